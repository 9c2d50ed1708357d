/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Puts pieces of text (rows of a table, events of a trace) in order of a key, those of equal keys
 * as they came, in bounded memory: what does not fit is sorted in runs into a scratch file and
 * merged. libc only. One sorter, one thread. Since 1.0.
 */
#ifndef STROBE_HELPERS_ROW_SORTER_H
#define STROBE_HELPERS_ROW_SORTER_H

#include <strobe/helpers/json-writer.h> /* StrobeSink */

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct StrobeRowSorter StrobeRowSorter;

/* Compared in this order. */
typedef struct StrobeRowKey {
    int64_t major, minor;
} StrobeRowKey;

/* `directory`: of the scratch file (a descriptor, not owned); `run_bytes`: memory that rows may
 * take before they go there. NULL: out of memory, which the calls below then answer. */
StrobeRowSorter *strobe_row_sorter_new(int directory, size_t run_bytes);
/* The same for rows that packing makes no smaller: their scratch file is not packed. */
StrobeRowSorter *strobe_row_sorter_new_plain(int directory, size_t run_bytes);
/* The same with an empty file without a name for a scratch file, owned from now on, such as an
 * importer is given. -1: there is none, and errno says why, with which adding more than `run_bytes`
 * fails. */
StrobeRowSorter *strobe_row_sorter_new_in(int file, size_t run_bytes);
void strobe_row_sorter_free(StrobeRowSorter *sorter); /* NULL is allowed */

/* Copies a row. 0 or an errno value. */
int strobe_row_sorter_add(StrobeRowSorter *sorter, StrobeRowKey key, const char *row,
                          size_t length);
/* Hands every row to the sink, in order, one call a row. 0 or an errno value, the sink's too. Then
 * the sorter is of no more use. */
int strobe_row_sorter_finish(StrobeRowSorter *sorter, StrobeSink sink, void *user);

#if defined(__cplusplus)
}
#endif

#endif
