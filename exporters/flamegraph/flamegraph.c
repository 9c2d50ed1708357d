/* SPDX-License-Identifier: Apache-2.0 */
/* Draws flame graphs from call paths. */
#include "flamegraph.h"

#include <errno.h>
#include <string.h>
#include <strobe/helpers/safe-file.h>

#include "path-sources.h"
#include "picture.h"

/* maximum number of paths in a picture; the smallest paths are omitted */
#define PATHS_MAX 262144

/* The picture of each source of call paths. */
static const struct {
    const char *option; /* the option that names the file */
    const char *title;  /* the part of the picture's title that follows the command */
    FlameUnit unit;
} pictures[N_PATH_SOURCES] = {
    [PATHS_SAMPLES] = {"file", "", {"ms", 1e6}},
    [PATHS_WAITS] = {"wait_file", ": waiting", {"ms", 1e6}},
    [PATHS_CALLS] = {"python_file", ": calls of Python", {"ms", 1e6}},
    [PATHS_OPERATORS] = {"operators_file", ": operators", {"ms", 1e6}},
    [PATHS_HEAP] = {"heap_file", ": heap", {"KB", 1024}},
};

typedef struct Flamegraph {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    PathSources sources;
    GPtrArray *paths[N_PATH_SOURCES]; /* elements of type FlamePath */
    guint64 n_left_out[N_PATH_SOURCES];
} Flamegraph;

static void free_path(gpointer path)
{
    g_free(((FlamePath *)path)->frames);
    g_free(path);
}

static StrobeStatus flamegraph_open(const StrobeConsumerHost *host, StrobeInstance *self,
                                    void **state)
{
    Flamegraph *graph = g_new0(Flamegraph, 1);

    graph->host = host;
    graph->self = self;
    path_sources_init(&graph->sources, host, self, host->option_text(self, "heap_metric"));
    for (guint i = 0; i < N_PATH_SOURCES; i++)
        graph->paths[i] = g_ptr_array_new_with_free_func(free_path);
    *state = graph;
    return STROBE_OK;
}

static void flamegraph_close(void *state)
{
    Flamegraph *graph = state;

    for (guint i = 0; i < N_PATH_SOURCES; i++)
        g_ptr_array_unref(graph->paths[i]);
    g_free(graph);
}

static void add_path(Flamegraph *graph, const SourcePath *found)
{
    const StrobeStringId *frames = NULL;
    size_t n = graph->host->stack_frames(graph->self, found->stack, &frames);
    GPtrArray *paths = graph->paths[found->source];

    if (n == 0)
        return;
    if (paths->len >= PATHS_MAX) {
        graph->n_left_out[found->source]++;
        return;
    }
    FlamePath *path = g_new(FlamePath, 1);
    *path = (FlamePath){g_new(StrobeStringId, n), (guint)n, found->value};
    for (size_t i = 0; i < n; i++)
        path->frames[i] = frames[n - 1 - i];
    g_ptr_array_add(paths, path);
}

static StrobeStatus flamegraph_batch(void *state, const StrobeView *records, size_t n)
{
    Flamegraph *graph = state;
    SourcePath path;

    for (size_t i = 0; i < n; i++)
        if (path_sources_read(&graph->sources, &records[i], &path))
            add_path(graph, &path);
    return STROBE_OK;
}

static StrobeText text_of(void *user, StrobeStringId id)
{
    const Flamegraph *graph = user;

    return graph->host->string(graph->self, id);
}

static int write_picture(const Flamegraph *graph, guint source, const GString *picture)
{
    StrobeSafeFile *file =
        strobe_safe_file_create(graph->host->metadata(graph->self)->directory,
                                graph->host->option_text(graph->self, pictures[source].option));
    int error = file ? strobe_safe_file_write(file, picture->str, picture->len) : errno;

    if (file && error)
        strobe_safe_file_discard(file);
    return file && !error ? strobe_safe_file_finish(file) : error;
}

/* Writes the picture of the source. If there are no paths, makes no file. */
static StrobeStatus finish_picture(Flamegraph *graph, guint source)
{
    const StrobeConsumerHost *host = graph->host;
    const StrobeMetadata *metadata = host->metadata(graph->self);
    const char *chosen = host->option_text(graph->self, "title");
    g_autofree char *title =
        g_strconcat(*chosen ? chosen : metadata->command, pictures[source].title, NULL);

    if (graph->paths[source]->len == 0)
        return STROBE_OK;
    if (graph->n_left_out[source])
        host->log(graph->self, STROBE_LOG_WARNING,
                  "%" G_GUINT64_FORMAT " call paths beyond %d are not in the flame graph %s",
                  graph->n_left_out[source], PATHS_MAX,
                  host->option_text(graph->self, pictures[source].option));
    flame_paths_sort(graph->paths[source], text_of, graph);
    GString *picture =
        flame_picture(graph->paths[source], title, &pictures[source].unit, text_of, graph);
    int error = write_picture(graph, source, picture);
    g_string_free(picture, TRUE);
    if (!error)
        return STROBE_OK;
    return host->fail(graph->self, STROBE_ERROR_IO, __FILE__, __LINE__,
                      "Cannot write the flame graph: file=\"%s\", folder=\"%s\": %s",
                      host->option_text(graph->self, pictures[source].option),
                      metadata->directory_path, g_strerror(error));
}

static StrobeStatus flamegraph_end(void *state)
{
    StrobeStatus status = STROBE_OK;

    for (guint i = 0; i < N_PATH_SOURCES && status == STROBE_OK; i++)
        status = finish_picture(state, i);
    return status;
}

const StrobeConsumerOps flamegraph_ops = {
    .struct_size = sizeof(StrobeConsumerOps),
    .open = flamegraph_open,
    .batch = flamegraph_batch,
    .end = flamegraph_end,
    .close = flamegraph_close,
};
