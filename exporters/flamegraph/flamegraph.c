/* SPDX-License-Identifier: Apache-2.0 */
/* call_path -> a flame graph. */
#include "flamegraph.h"

#include <errno.h>
#include <string.h>
#include <strobe/helpers/fields.h>
#include <strobe/helpers/safe-file.h>

#include "picture.h"

#define PATHS_MAX 262144 /* of a picture; those that took least are left out */

enum { TIME, PATH, N_WANTED };

static const StrobeWantedField wanted[N_WANTED] = {
    [TIME] = {"time", STROBE_FIELD_I64},
    [PATH] = {"path", STROBE_FIELD_STACK},
};

typedef struct Flamegraph {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    StrobeBinder binder;
    GPtrArray *paths; /* of FlamePath */
    guint64 n_left_out;
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
    graph->binder.wanted = wanted;
    graph->binder.n_wanted = N_WANTED;
    graph->paths = g_ptr_array_new_with_free_func(free_path);
    *state = graph;
    return STROBE_OK;
}

static void flamegraph_close(void *state)
{
    Flamegraph *graph = state;

    g_ptr_array_unref(graph->paths);
    g_free(graph);
}

/* The pass emits the paths that took most first. */
static void add_path(Flamegraph *graph, StrobeStackId stack, gint64 time)
{
    const StrobeStringId *frames = NULL;
    size_t n = graph->host->stack_frames(graph->self, stack, &frames);

    if (n == 0 || time <= 0)
        return;
    if (graph->paths->len >= PATHS_MAX) {
        graph->n_left_out++;
        return;
    }
    FlamePath *path = g_new(FlamePath, 1);
    *path = (FlamePath){g_new(StrobeStringId, n), (guint)n, time};
    for (size_t i = 0; i < n; i++)
        path->frames[i] = frames[n - 1 - i];
    g_ptr_array_add(graph->paths, path);
}

static StrobeStatus flamegraph_batch(void *state, const StrobeView *records, size_t n)
{
    Flamegraph *graph = state;

    for (size_t i = 0; i < n; i++) {
        const uint32_t *at = strobe_binder_offsets(&graph->binder, records[i].kind);
        if (strcmp(records[i].kind->name, "call_path") == 0)
            add_path(graph, strobe_field_u32(&records[i], at[PATH], 0),
                     strobe_field_i64(&records[i], at[TIME], 0));
    }
    return STROBE_OK;
}

static StrobeText text_of(void *user, StrobeStringId id)
{
    const Flamegraph *graph = user;

    return graph->host->string(graph->self, id);
}

static int write_picture(const Flamegraph *graph, const GString *picture)
{
    StrobeSafeFile *file = strobe_safe_file_create(graph->host->metadata(graph->self)->directory,
                                                   graph->host->option_text(graph->self, "file"));
    int error = file ? strobe_safe_file_write(file, picture->str, picture->len) : errno;

    if (file && error)
        strobe_safe_file_discard(file);
    return file && !error ? strobe_safe_file_finish(file) : error;
}

/* Nothing to show: no file. */
static StrobeStatus flamegraph_end(void *state)
{
    Flamegraph *graph = state;
    const StrobeConsumerHost *host = graph->host;
    const StrobeMetadata *metadata = host->metadata(graph->self);
    const char *title = host->option_text(graph->self, "title");

    if (graph->paths->len == 0)
        return STROBE_OK;
    if (graph->n_left_out)
        host->log(graph->self, STROBE_LOG_WARNING,
                  "%" G_GUINT64_FORMAT " call paths beyond %d are not in the flame graph",
                  graph->n_left_out, PATHS_MAX);
    flame_paths_sort(graph->paths, text_of, graph);
    GString *picture =
        flame_picture(graph->paths, *title ? title : metadata->command, text_of, graph);
    int error = write_picture(graph, picture);
    g_string_free(picture, TRUE);
    if (!error)
        return STROBE_OK;
    return host->fail(graph->self, STROBE_ERROR_IO, __FILE__, __LINE__,
                      "Cannot write the flame graph: file=\"%s\", folder=\"%s\": %s",
                      host->option_text(graph->self, "file"), metadata->directory_path,
                      g_strerror(error));
}

const StrobeConsumerOps flamegraph_ops = {
    .struct_size = sizeof(StrobeConsumerOps),
    .open = flamegraph_open,
    .batch = flamegraph_batch,
    .end = flamegraph_end,
    .close = flamegraph_close,
};
