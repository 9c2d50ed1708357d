/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sorts records of any length by a key; records with equal keys keep their order. If the records
 * exceed the memory limit, the sorter sorts them in runs, keeps the runs in a record log and merges
 * them. Only one thread at a time may use a sorter. libc and libzstd only. Since 1.0.
 */
#ifndef STROBE_HELPERS_EXTERNAL_SORTER_H
#define STROBE_HELPERS_EXTERNAL_SORTER_H

#include <strobe/helpers/storage.h>

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct StrobeExternalSorter StrobeExternalSorter;

/* Keys are compared member by member, in this order. */
typedef struct StrobeSortKey {
    int64_t major, minor;
} StrobeSortKey;

/* Makes an empty sorter. `storage` must outlive the sorter. NULL: out of memory; the calls below
 * accept NULL and return ENOMEM or NULL. */
StrobeExternalSorter *strobe_external_sorter_new(StrobeStorage *storage);
void strobe_external_sorter_free(StrobeExternalSorter *sorter); /* NULL is allowed */

/* Adds a copy of the bytes. Returns 0 or an errno value; later calls repeat an error. */
int strobe_external_sorter_add(StrobeExternalSorter *sorter, StrobeSortKey key, const void *bytes,
                               size_t length);
/* Adds a record of `length` bytes and returns its memory, 8-byte aligned, which the caller must
 * fill before the next call. NULL: an error. */
void *strobe_external_sorter_reserve(StrobeExternalSorter *sorter, StrobeSortKey key,
                                     size_t length);

/* Returns the next record in order, 8-byte aligned, valid until the next call. NULL: the end, or an
 * error. No record may be added after the first call. */
void *strobe_external_sorter_next(StrobeExternalSorter *sorter, size_t *length);
int strobe_external_sorter_error(const StrobeExternalSorter *sorter); /* 0 or an errno value */

#if defined(__cplusplus)
}
#endif

#endif
