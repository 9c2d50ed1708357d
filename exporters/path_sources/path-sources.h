/* SPDX-License-Identifier: Apache-2.0 */
/* Call paths with what was found on each: of samples, waiting, calls of Python, operators, the
 * heap. */
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

/* The kinds that have paths, for the wants of an exporter. */
#define PATH_SOURCE_KINDS "call_path", "stack_total", "heap_path"
#define PATH_SOURCE_KINDS_N 3

/* An option: which number of the heap's paths is taken. */
#define HEAP_METRIC_OPTION                                                                         \
    {                                                                                              \
        .struct_size = sizeof(StrobeOption),                                                       \
        .type = STROBE_OPTION_ENUM,                                                                \
        .name = "heap_metric",                                                                     \
        .default_value = "most_bytes",                                                             \
        .choices = path_source_heap_metrics,                                                       \
        .summary = "What counts of the heap: the most that a path had at one time, what it had "   \
                   "at the peak of all, what is there at the end, or all that it allocated.",      \
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
    StrobeStackId stack; /* innermost first */
    gint64 value;        /* ns; of the heap B */
} SourcePath;

/* `heap_metric` is one of path_source_heap_metrics, lent. */
void path_sources_init(PathSources *sources, const StrobeConsumerHost *host, StrobeInstance *self,
                       const char *heap_metric);
/* FALSE: the record is no path, or nothing was found on it. */
gboolean path_sources_read(PathSources *sources, const StrobeView *record, SourcePath *path);

#endif
