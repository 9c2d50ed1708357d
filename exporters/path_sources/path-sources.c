/* SPDX-License-Identifier: Apache-2.0 */
#include "path-sources.h"

#include <string.h>

enum { VALUE, STACK, SOURCE, N_WANTED };

static const StrobeWantedField call_wanted[N_WANTED] = {[VALUE] = {"time", STROBE_FIELD_I64},
                                                        [STACK] = {"path", STROBE_FIELD_STACK},
                                                        [SOURCE] = {"source", STROBE_FIELD_STRING}};
static const StrobeWantedField operator_wanted[] = {
    [VALUE] = {"host_self", STROBE_FIELD_I64}, [STACK] = {"path", STROBE_FIELD_STACK}};

enum { CALL_PATH, STACK_TOTAL, HEAP_PATH };

static const char *const kinds[PATH_SOURCE_KINDS_N] = {PATH_SOURCE_KINDS};
const char *const path_source_heap_metrics[] = {"most_bytes", "peak_bytes", "live_bytes",
                                                "allocated_bytes", NULL};

void path_sources_init(PathSources *sources, const StrobeConsumerHost *host, StrobeInstance *self,
                       const char *heap_metric)
{
    sources->host = host;
    sources->self = self;
    sources->heap_wanted[VALUE] = (StrobeWantedField){heap_metric, STROBE_FIELD_I64};
    sources->heap_wanted[STACK] = (StrobeWantedField){"stack", STROBE_FIELD_STACK};
    sources->binders[CALL_PATH] = (StrobeBinder){.wanted = call_wanted, .n_wanted = N_WANTED};
    sources->binders[STACK_TOTAL] =
        (StrobeBinder){.wanted = operator_wanted, .n_wanted = G_N_ELEMENTS(operator_wanted)};
    sources->binders[HEAP_PATH] = (StrobeBinder){.wanted = sources->heap_wanted,
                                                 .n_wanted = G_N_ELEMENTS(sources->heap_wanted)};
}

static gboolean has_text(StrobeText text, const char *wanted)
{
    return text.length == strlen(wanted) && memcmp(text.bytes, wanted, text.length) == 0;
}

static PathSource source_of(const PathSources *sources, guint kind, const StrobeView *record,
                            const guint32 *at)
{
    if (kind != CALL_PATH)
        return kind == STACK_TOTAL ? PATHS_OPERATORS : PATHS_HEAP;
    const StrobeText source =
        sources->host->string(sources->self, strobe_field_u32(record, at[SOURCE], 0));
    return has_text(source, "python_call")       ? PATHS_CALLS
           : has_text(source, "cpu_sample.wait") ? PATHS_WAITS
                                                 : PATHS_SAMPLES;
}

gboolean path_sources_read(PathSources *sources, const StrobeView *record, SourcePath *path)
{
    guint kind = 0;

    while (kind < PATH_SOURCE_KINDS_N && strcmp(record->kind->name, kinds[kind]) != 0)
        kind++;
    if (kind == PATH_SOURCE_KINDS_N)
        return FALSE;
    const guint32 *at = strobe_binder_offsets(&sources->binders[kind], record->kind);
    *path =
        (SourcePath){source_of(sources, kind, record, at), strobe_field_u32(record, at[STACK], 0),
                     strobe_field_i64(record, at[VALUE], 0)};
    return path->value > 0;
}
