/* SPDX-License-Identifier: Apache-2.0 */
/* Reads call paths with their time or memory from records: of samples, of waiting, of Python calls,
 * of operators and of the heap. */
#ifndef STROBE_EXPORTERS_PATH_SOURCES_H
#define STROBE_EXPORTERS_PATH_SOURCES_H

#include <glib.h>
#include <strobe/exporter.h>
#include <strobe/helpers/fields.h>

typedef enum PathSource {
    PATHS_SAMPLES,
    PATHS_WAITS,
    PATHS_CALLS,
    PATHS_OPERATORS,
    PATHS_HEAP,
    N_PATH_SOURCES
} PathSource;

/* The kinds that have paths, to list in the `wants` of an exporter. */
#define PATH_SOURCE_KINDS "call_path", "stack_total", "heap_path"
#define PATH_SOURCE_KINDS_N 3

/* The option that chooses the value of the heap's paths. */
#define HEAP_METRIC_OPTION                                                                         \
    {                                                                                              \
        .struct_size = sizeof(StrobeOption),                                                       \
        .type = STROBE_OPTION_ENUM,                                                                \
        .name = "heap_metric",                                                                     \
        .default_value = "most_bytes",                                                             \
        .choices = path_source_heap_metrics,                                                       \
        .summary = "The bytes that count for a path of the heap: its own maximum, its bytes at "   \
                   "the peak of all paths, at the end, or all that it allocated.",                 \
    }
extern const char *const path_source_heap_metrics[];

typedef struct PathSources {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    StrobeWantedField heap_wanted[2];
    StrobeBinder binders[PATH_SOURCE_KINDS_N];
} PathSources;

typedef struct SourcePath {
    PathSource source;
    StrobeStackId stack; /* frames, the innermost first */
    gint64 value;        /* in ns, for the heap in B */
} SourcePath;

/* `heap_metric` is one of path_source_heap_metrics and must stay valid. */
void path_sources_init(PathSources *sources, const StrobeConsumerHost *host, StrobeInstance *self,
                       const char *heap_metric);
/* Sets `path` to the path of a record. Returns FALSE if the record is not a path, or its value is
 * 0. */
gboolean path_sources_read(PathSources *sources, const StrobeView *record, SourcePath *path);

#endif
