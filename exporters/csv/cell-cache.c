/* SPDX-License-Identifier: Apache-2.0 */
#include "cell-cache.h"

#include "csv-cells.h"

/* The number of slots is a power of two. All texts together have at most 16384 * 1 KB * 2 + 4096 *
 * 8 KB = 64 MB. */
static const struct {
    guint slots;
    guint longest;
} limits[CELL_CACHE_KINDS] = {
    [CELL_CACHE_TEXT] = {16384, 1024},
    [CELL_CACHE_LIST] = {16384, 1024},
    [CELL_CACHE_STACK] = {4096, 8192},
};

CellCache *cell_cache_new(const StrobeConsumerHost *host, StrobeInstance *self)
{
    CellCache *cache = g_new0(CellCache, 1);

    cache->host = host;
    cache->self = self;
    cache->made = g_string_new(NULL);
    for (guint kind = 0; kind < CELL_CACHE_KINDS; kind++) {
        cache->slots[kind] = g_new0(CachedCell, limits[kind].slots);
        cache->mask[kind] = limits[kind].slots - 1;
    }
    return cache;
}

void cell_cache_free(CellCache *cache)
{
    for (guint kind = 0; kind < CELL_CACHE_KINDS; kind++) {
        for (guint i = 0; i <= cache->mask[kind]; i++)
            g_free(cache->slots[kind][i].bytes);
        g_free(cache->slots[kind]);
    }
    strobe_cell_clear(&cache->cell);
    g_string_free(cache->made, TRUE);
    g_free(cache);
}

static const char padding[CSV_PADDING];

static const CachedCell *make_cell(CellCache *cache, guint kind, CachedCell *slot)
{
    const gboolean is_formula = csv_is_formula(cache->cell.bytes, cache->cell.length);
    gsize length;

    g_string_truncate(cache->made, 0);
    csv_quote(cache->made, cache->cell.bytes, cache->cell.length);
    length = cache->made->len;
    g_string_append_len(cache->made, padding, sizeof padding);
    if (length > limits[kind].longest) {
        cache->unkept.length = (guint32)length;
        cache->unkept.is_formula = is_formula;
        cache->unkept.bytes = cache->made->str;
        return &cache->unkept;
    }
    g_free(slot->bytes);
    slot->length = (guint32)length;
    slot->is_formula = is_formula;
    slot->bytes = g_memdup2(cache->made->str, cache->made->len);
    return slot;
}

const CachedCell *cell_cache_make(CellCache *cache, guint kind, guint32 id,
                                  const StrobeColumn *column, guint32 place,
                                  const StrobeView *record)
{
    CachedCell *slot = &cache->slots[kind][id & cache->mask[kind]];
    const CachedCell *made;

    if (strobe_table_cell(cache->host, cache->self, column, place, record, &cache->cell))
        return NULL;
    made = make_cell(cache, kind, slot);
    if (made == slot)
        slot->id = id;
    return made;
}
