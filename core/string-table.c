/* SPDX-License-Identifier: Apache-2.0 */
#include "string-table.h"

#include <string.h>

#define CHUNK (256u << 10)

struct entry {
    const char *bytes; /* NUL behind them; NULL: unknown id */
    guint32 length;
    guint32 is_stack;
};

struct StrobeStringTable {
    GArray *entries; /* by id */
    GHashTable *ids; /* struct entry* (a copy in the arena) to id */
    GPtrArray *chunks;
    char *chunk;
    gsize chunk_left;
    gsize bytes;
    guint64 n_refused;
    guint32 full_id;
};

static guint hash_entry(gconstpointer key)
{
    const struct entry *e = key;
    guint h = 2166136261u ^ e->is_stack;

    for (guint32 i = 0; i < e->length; i++)
        h = (h ^ (guchar)e->bytes[i]) * 16777619u;
    return h;
}

static gboolean equal_entries(gconstpointer a, gconstpointer b)
{
    const struct entry *x = a, *y = b;
    return x->length == y->length && x->is_stack == y->is_stack &&
           memcmp(x->bytes, y->bytes, x->length) == 0;
}

StrobeStringTable *strobe_string_table_new(guint32 first_free)
{
    StrobeStringTable *table = g_new0(StrobeStringTable, 1);

    table->entries = g_array_new(FALSE, TRUE, sizeof(struct entry));
    g_array_set_size(table->entries, first_free);
    table->ids = g_hash_table_new_full(hash_entry, equal_entries, g_free, NULL);
    table->chunks = g_ptr_array_new_with_free_func(g_free);
    return table;
}

void strobe_string_table_free(StrobeStringTable *table)
{
    if (!table)
        return;
    g_array_unref(table->entries);
    g_hash_table_unref(table->ids);
    g_ptr_array_unref(table->chunks);
    g_free(table);
}

static char *take_room(StrobeStringTable *table, gsize n)
{
    n = (n + 7) & ~(gsize)7;
    table->bytes += n;
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
    g_hash_table_insert(table->ids, g_memdup2(e, sizeof *e), GUINT_TO_POINTER(id));
}

void strobe_string_table_set(StrobeStringTable *table, guint32 id, const char *bytes, gsize length,
                             gboolean is_stack)
{
    if (id == table->entries->len) /* more than a recorder has: an importer wrote them, in order */
        g_array_set_size(table->entries, id + 1);
    if (id < table->entries->len && !g_array_index(table->entries, struct entry, id).bytes)
        store(table, id, bytes, length, is_stack);
}

guint32 strobe_string_table_intern(StrobeStringTable *table, const char *bytes, gsize length,
                                   gboolean is_stack)
{
    struct entry key = {bytes, (guint32)length, is_stack != FALSE};

    if (length == 0 && is_stack)
        return 0;
    gpointer known = g_hash_table_lookup(table->ids, &key);
    if (known)
        return GPOINTER_TO_UINT(known);
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
    const struct entry *e = &g_array_index(table->entries, struct entry, id);
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
    const struct entry *e = &g_array_index(table->entries, struct entry, id);
    if (!e->bytes || !e->is_stack)
        return 0;
    *frames = (const StrobeStringId *)(const void *)e->bytes;
    return e->length / sizeof(StrobeStringId);
}

guint64 strobe_string_table_n_refused(const StrobeStringTable *table)
{
    return table->n_refused;
}
