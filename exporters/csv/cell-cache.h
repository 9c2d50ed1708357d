/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts of cells, including quotes, cached by the id of their string or stack. The cache is
 * bounded: each id has one slot, and long texts are not kept.
 */
#ifndef STROBE_CSV_CELL_CACHE_H
#define STROBE_CSV_CELL_CACHE_H

#include <glib.h>
#include <strobe/helpers/table.h>

enum {
    CELL_CACHE_TEXT = 0,  /* a string */
    CELL_CACHE_LIST = 1,  /* a string, each ';' followed by CR LF */
    CELL_CACHE_STACK = 2, /* a stack */
    CELL_CACHE_KINDS = 3
};

/* Valid until the next call for the same cache. */
typedef struct CachedCell {
    guint32 id;
    guint32 length;
    gboolean is_formula; /* csv_is_formula() of the text */
    char *bytes;         /* padded for csv_cells_copy_padded() */
} CachedCell;

typedef struct CellCache {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    CachedCell *slots[CELL_CACHE_KINDS];
    guint32 mask[CELL_CACHE_KINDS];
    StrobeCell cell;
    GString *made; /* the last text */
    CachedCell unkept;
} CellCache;

CellCache *cell_cache_new(const StrobeConsumerHost *host, StrobeInstance *self);
void cell_cache_free(CellCache *cache);

/* Makes the record's cell in this bound column, whose string or stack has this id. NULL: out of
 * memory. */
const CachedCell *cell_cache_make(CellCache *cache, guint kind, guint32 id,
                                  const StrobeColumn *column, guint32 place,
                                  const StrobeView *record);

/* Returns the cell from the cache, or makes it; `id` is not 0. */
static inline const CachedCell *cell_cache_find(const CellCache *cache, guint kind, guint32 id)
{
    const CachedCell *slot = &cache->slots[kind][id & cache->mask[kind]];

    return G_LIKELY(slot->id == id) ? slot : NULL;
}

#endif
