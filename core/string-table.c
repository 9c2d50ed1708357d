/* SPDX-License-Identifier: Apache-2.0 */
#include "string-table.h"

#include <string.h>

#define CHUNK (256u << 10)
#define SLOTS_MIN 1024u

struct entry {
    const char *bytes; /* NUL behind them; NULL: unknown id */
    guint32 length;
    guint32 is_stack;
};

struct StrobeStringTable {
    GArray *entries; /* by id */
    guint32 *slots;  /* ids by hash of their bytes, 0: free; id 0 is never stored */
    guint32 n_slots; /* a power of two, at most three quarters in use */
    guint32 n_used;
    GPtrArray *chunks;
    char *chunk;
    gsize chunk_left;
    gsize bytes;
    guint64 n_refused;
    guint32 full_id;
};

static guint32 hash_bytes(const char *bytes, gsize length, gboolean is_stack)
{
    const guint64 factor = 0x9e3779b97f4a7c15u;
    guint64 h = length * factor ^ (guint64)is_stack, part = 0;

    for (; length >= 8; length -= 8, bytes += 8) {
        memcpy(&part, bytes, 8);
        h = (h ^ part) * factor;
        h ^= h >> 32;
    }
    part = 0;
    memcpy(&part, bytes, length);
    h = (h ^ part) * factor;
    return (guint32)(h ^ h >> 32);
}

StrobeStringTable *strobe_string_table_new(guint32 first_free)
{
    StrobeStringTable *table = g_new0(StrobeStringTable, 1);

    table->entries = g_array_new(FALSE, TRUE, sizeof(struct entry));
    g_array_set_size(table->entries, MAX(first_free, 1));
    table->n_slots = SLOTS_MIN;
    table->slots = g_new0(guint32, table->n_slots);
    table->chunks = g_ptr_array_new_with_free_func(g_free);
    return table;
}

void strobe_string_table_free(StrobeStringTable *table)
{
    if (!table)
        return;
    g_array_unref(table->entries);
    g_free(table->slots);
    g_ptr_array_unref(table->chunks);
    g_free(table);
}

static const struct entry *entry_of(const StrobeStringTable *table, guint32 id)
{
    return &g_array_index(table->entries, struct entry, id);
}

/* The slot that holds these bytes, or the free one where they belong. */
static guint32 *find_slot(const StrobeStringTable *table, const char *bytes, gsize length,
                          gboolean is_stack)
{
    guint32 mask = table->n_slots - 1, at = hash_bytes(bytes, length, is_stack) & mask;

    for (; table->slots[at]; at = (at + 1) & mask) {
        const struct entry *e = entry_of(table, table->slots[at]);
        if (e->length == length && e->is_stack == (is_stack != FALSE) &&
            memcmp(e->bytes, bytes, length) == 0)
            break;
    }
    return &table->slots[at];
}

static void grow_slots(StrobeStringTable *table)
{
    guint32 *old = table->slots, n = table->n_slots;

    table->n_slots *= 2;
    table->slots = g_new0(guint32, table->n_slots);
    for (guint32 i = 0; i < n; i++) {
        const struct entry *e = old[i] ? entry_of(table, old[i]) : NULL;
        if (e)
            *find_slot(table, e->bytes, e->length, e->is_stack != 0) = old[i];
    }
    g_free(old);
}

static char *take_room(StrobeStringTable *table, gsize n)
{
    n = (n + 7) & ~(gsize)7;
    table->bytes += n + sizeof(struct entry) + 2 * sizeof *table->slots;
    if (n > CHUNK / 4) { /* a chunk of its own, so that a long string wastes nothing */
        char *own = g_malloc(n);
        g_ptr_array_add(table->chunks, own);
        return own;
    }
    if (table->chunk_left < n) {
        table->chunk = g_malloc(CHUNK);
        table->chunk_left = CHUNK;
        g_ptr_array_add(table->chunks, table->chunk);
    }
    char *out = table->chunk;
    table->chunk += n;
    table->chunk_left -= n;
    return out;
}

static void store(StrobeStringTable *table, guint32 id, const char *bytes, gsize length,
                  gboolean is_stack)
{
    struct entry *e = &g_array_index(table->entries, struct entry, id);
    char *copy = take_room(table, length + 1);

    memcpy(copy, bytes, length);
    copy[length] = 0;
    e->bytes = copy;
    e->length = (guint32)length;
    e->is_stack = is_stack != FALSE;
    guint32 *slot = find_slot(table, copy, length, is_stack);
    if (*slot)
        return; /* a second id of the same bytes */
    *slot = id;
    if (++table->n_used > table->n_slots / 4 * 3)
        grow_slots(table);
}

void strobe_string_table_set(StrobeStringTable *table, guint32 id, const char *bytes, gsize length,
                             gboolean is_stack)
{
    if (id == table->entries->len) /* more than a recorder has: an importer wrote them, in order */
        g_array_set_size(table->entries, id + 1);
    if (id && id < table->entries->len && !entry_of(table, id)->bytes)
        store(table, id, bytes, length, is_stack);
}

guint32 strobe_string_table_intern(StrobeStringTable *table, const char *bytes, gsize length,
                                   gboolean is_stack)
{
    if (length == 0 && is_stack)
        return 0;
    guint32 known = *find_slot(table, bytes, length, is_stack);
    if (known)
        return known;
    if (table->bytes > STROBE_STRING_TABLE_MAX_BYTES && table->full_id) {
        table->n_refused++;
        return is_stack ? 0 : table->full_id;
    }
    guint32 id = table->entries->len;
    g_array_set_size(table->entries, id + 1);
    store(table, id, bytes, length, is_stack);
    if (table->bytes > STROBE_STRING_TABLE_MAX_BYTES && !table->full_id) {
        table->full_id = id + 1;
        g_array_set_size(table->entries, id + 2);
        store(table, id + 1, STROBE_STRING_TABLE_FULL, strlen(STROBE_STRING_TABLE_FULL), FALSE);
    }
    return id;
}

StrobeText strobe_string_table_text(const StrobeStringTable *table, guint32 id)
{
    StrobeText none = {"", 0};

    if (id >= table->entries->len)
        return none;
    const struct entry *e = entry_of(table, id);
    if (!e->bytes || e->is_stack)
        return none;
    return (StrobeText){e->bytes, e->length};
}

gsize strobe_string_table_stack(const StrobeStringTable *table, guint32 id,
                                const StrobeStringId **frames)
{
    *frames = NULL;
    if (id >= table->entries->len)
        return 0;
    const struct entry *e = entry_of(table, id);
    if (!e->bytes || !e->is_stack)
        return 0;
    *frames = (const StrobeStringId *)(const void *)e->bytes;
    return e->length / sizeof(StrobeStringId);
}

guint64 strobe_string_table_n_refused(const StrobeStringTable *table)
{
    return table->n_refused;
}
