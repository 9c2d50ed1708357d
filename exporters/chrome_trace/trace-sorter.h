/* SPDX-License-Identifier: Apache-2.0 */
/* A part of the file that is put in another order than its records come in. */
#ifndef STROBE_CHROME_TRACE_TRACE_SORTER_H
#define STROBE_CHROME_TRACE_TRACE_SORTER_H

#include <strobe/helpers/row-sorter.h>

#include "rows.h"

typedef struct TraceSorter {
    StrobeRowSorter *rows;
    gboolean has_events;
    int error; /* errno of the first failure */
} TraceSorter;

void trace_sorter_init(TraceSorter *sorter, const StrobeFacts *facts);
void trace_sorter_clear(TraceSorter *sorter);
/* Events are put in order of time as a double of microseconds, which is what the original compares.
 */
void trace_sorter_add_at(TraceSorter *sorter, gint64 time_ns, TraceOut *event);
/* Events are ordered by a number. */
void trace_sorter_add(TraceSorter *sorter, gint64 key, TraceOut *event);
void trace_sorter_append(TraceSorter *sorter, TraceOut *out);

#endif
