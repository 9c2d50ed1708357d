/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Caches the texts of cells, including quotes, by the id of their string or stack. The cache is
 * bounded: the ids share a fixed number of slots, and long texts are not cached.
 */
#ifndef STROBE_CSV_CELL_CACHE_H
#define STROBE_CSV_CELL_CACHE_H

#include <glib.h>
#include <strobe/helpers/table.h>

enum {
    CELL_CACHE_TEXT = 0,  /* a string */
    CELL_CACHE_LIST = 1,  /* a string; CR LF is inserted after each ';' */
    CELL_CACHE_STACK = 2, /* a stack */
    CELL_CACHE_KINDS = 3
};

/* The text of a cell. It is valid until the next call for the same cache. */
typedef struct CachedCell {
    guint32 id;
    guint32 length;
    gboolean is_formula; /* the result of csv_is_formula() for the text */
    char *bytes;         /* padded, so that csv_cells_copy_padded() can copy it */
} CachedCell;

typedef struct CellCache {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    CachedCell *slots[CELL_CACHE_KINDS];
    guint32 mask[CELL_CACHE_KINDS];
    StrobeCell cell;
    GString *made; /* buffer with the text that was made last */
    CachedCell unkept;
} CellCache;

CellCache *cell_cache_new(const StrobeConsumerHost *host, StrobeInstance *self);
void cell_cache_free(CellCache *cache);

/* Makes the cell of the record in the bound column, and caches the cell if its text is not long.
 * `id` is the id of the cell's string or stack. Returns NULL if there is no memory. */
const CachedCell *cell_cache_make(CellCache *cache, guint kind, guint32 id,
                                  const StrobeColumn *column, guint32 place,
                                  const StrobeView *record);

/* Returns the cell if it is in the cache, else NULL. `id` must not be 0. */
static inline const CachedCell *cell_cache_find(const CellCache *cache, guint kind, guint32 id)
{
    const CachedCell *slot = &cache->slots[kind][id & cache->mask[kind]];

    return G_LIKELY(slot->id == id) ? slot : NULL;
}

#endif
