/* SPDX-License-Identifier: Apache-2.0 */
/* A template of an exporter: counts records by kind into counts.json. */
#include <strobe/helpers/json-writer.h>
#include <strobe/helpers/safe-file.h>
#include <strobe/strobe-plugin.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define KINDS_MAX 256 /* so that the state is bounded for any capture */

static const StrobeOption options[] = {
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_PATH,
        .name = "file",
        .default_value = "counts.json",
        .summary = "Name of the file in the result directory.",
    },
};

typedef struct Count {
    char *kind;
    uint64_t records;
} Count;

typedef struct Counts {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    StrobeSafeFile *file; /* the file appears under its name when it is finished */
    Count counts[KINDS_MAX];
    size_t n;
    uint64_t others;
} Counts;

static StrobeStatus io_error(Counts *counts, int error)
{
    return counts->host->fail(counts->self, STROBE_ERROR_IO, __FILE__, __LINE__,
                              "Cannot write the counts: file=\"%s\": %s",
                              counts->host->option_text(counts->self, "file"), strerror(error));
}

static void counts_close(void *state)
{
    Counts *counts = state;

    strobe_safe_file_discard(counts->file);
    for (size_t i = 0; i < counts->n; i++)
        free(counts->counts[i].kind);
    free(counts);
}

static StrobeStatus counts_open(const StrobeConsumerHost *host, StrobeInstance *self, void **state)
{
    Counts *counts = calloc(1, sizeof *counts);

    if (!counts)
        return host->fail(self, STROBE_ERROR_MEMORY, __FILE__, __LINE__, "Out of memory");
    counts->host = host;
    counts->self = self;
    counts->file =
        strobe_safe_file_create(host->metadata(self)->directory, host->option_text(self, "file"));
    if (!counts->file) {
        StrobeStatus status = io_error(counts, errno);

        counts_close(counts);
        return status;
    }
    *state = counts;
    return STROBE_OK;
}

static uint64_t *count_of(Counts *counts, const char *kind)
{
    for (size_t i = 0; i < counts->n; i++)
        if (!strcmp(counts->counts[i].kind, kind))
            return &counts->counts[i].records;
    if (counts->n == KINDS_MAX || !(counts->counts[counts->n].kind = strdup(kind)))
        return &counts->others;
    return &counts->counts[counts->n++].records;
}

/* A view is valid only during the call. strobe/helpers/fields.h finds known fields by name and
 * type, once for each kind. */
static StrobeStatus counts_batch(void *state, const StrobeView *records, size_t n)
{
    Counts *counts = state;

    for (size_t i = 0; i < n; i++)
        ++*count_of(counts, records[i].kind->name);
    return STROBE_OK;
}

static StrobeStatus counts_end(void *state)
{
    Counts *counts = state;
    StrobeSafeFile *file = counts->file;
    StrobeJsonWriter json;
    int error;

    strobe_json_init(&json, strobe_safe_file_write, file, STROBE_JSON_INDENTED);
    strobe_json_begin_object(&json);
    for (size_t i = 0; i < counts->n; i++) {
        strobe_json_key_text(&json, counts->counts[i].kind, strlen(counts->counts[i].kind));
        strobe_json_uint(&json, counts->counts[i].records);
    }
    if (counts->others) {
        strobe_json_key(&json, "(others)");
        strobe_json_uint(&json, counts->others);
    }
    strobe_json_end_object(&json);
    error = strobe_json_flush(&json);
    if (error)
        return io_error(counts, error); /* close discards the file */
    counts->file = NULL;
    error = strobe_safe_file_finish(file);
    return error ? io_error(counts, error) : STROBE_OK;
}

static const StrobeConsumerOps ops = {
    .struct_size = sizeof(StrobeConsumerOps),
    .open = counts_open,
    .batch = counts_batch,
    .end = counts_end,
    .close = counts_close,
};

/* "*" means every raw kind. If a derived kind is named here, the host runs the pass that makes
 * it. */
static const char *const wants[] = {"*", NULL};

static const StrobeComponent component = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_EXPORTER,
    .n_options = sizeof options / sizeof options[0],
    .name = "template_exporter",
    .summary = "Counts records by kind.",
    .options = options,
    .wants = wants,
    .ops = &ops,
};

STROBE_PLUGIN(component, .name = "template_exporter", .version = "1.0.0",
              .summary = "An exporter to copy.", .license = "Apache-2.0", .vendor = "Example");
