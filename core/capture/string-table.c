/* SPDX-License-Identifier: Apache-2.0 */
#include "string-table.h"

#include <pthread.h>
#include <string.h>
#include <strobe/helpers/keyed-hash.h>
#include "capture-format.h"
#include "state-memory.h"

#define CHUNK_MIN (256u << 10)
#define CHUNK_MAX (64u << 20)
#define SLOTS_MIN 1024u
/* the first page has 2^10 entries; each further page has twice as many as the page before */
#define PAGE_BITS 10u
#define PAGES (33u - PAGE_BITS)
#define STRETCHES 4096u /* number of ranges of slots by which waiting strings are grouped */
#define WAITING_MIN 65536u

struct entry {
    const char *bytes; /* followed by a NUL; NULL: unknown id */
    guint32 length;
    guint32 is_stack;
};

/* The hash is stored with the id, so that adding a string does not read the bytes of other
 * strings. */
struct slot {
    guint32 hash, id; /* id 0: the slot is free */
};

/* Memory of strings. */
struct chunk {
    char *bytes;
    gsize size;
};

struct StrobeStringTable {
    pthread_mutex_t lock;       /* protects the table in strobe_string_table_intern */
    struct entry *pages[PAGES]; /* entries by id; they never move, see strobe_string_table_text */
    guint32 n_entries;          /* atomic */
    guint32 n_ids;              /* one more than the highest known id */
    struct slot *slots;         /* hash table, by hash of the bytes */
    guint32 n_slots;            /* a power of two, at most three quarters in use */
    guint32 n_used;
    struct slot *waiting; /* strings that were set and are not in `slots` yet */
    guint32 n_waiting, waiting_room;
    GArray *chunks; /* of struct chunk */
    char *chunk;
    gsize chunk_left;
    gsize bytes;       /* total size of the chunks */
    guint32 max_frame; /* highest id of a frame in the stacks that were set */
};

/* Returns the page of an id's entry, and in *place the index in this page. Page p begins with id
 * (2^p - 1) << PAGE_BITS. */
static guint page_of(guint32 id, guint64 *place)
{
    guint64 at = (guint64)id + (1u << PAGE_BITS);
    guint page = 63 - PAGE_BITS - (guint)__builtin_clzll(at);

    *place = at - ((guint64)1 << (page + PAGE_BITS));
    return page;
}

static struct entry *entry_of(const StrobeStringTable *table, guint32 id)
{
    guint64 place;
    guint page = page_of(id, &place);

    return &table->pages[page][place];
}

static guint32 n_entries(const StrobeStringTable *table)
{
    return __atomic_load_n(&table->n_entries, __ATOMIC_ACQUIRE);
}

static gsize page_bytes(guint page)
{
    return sizeof(struct entry) << (page + PAGE_BITS);
}

static struct slot *new_slots(gsize n)
{
    return strobe_state_memory(NULL, 0, n * sizeof(struct slot));
}

static void free_slots(struct slot *slots, gsize n)
{
    strobe_state_memory(slots, n * sizeof *slots, 0);
}

/* Makes the pages for ids below `n`; new entries are empty. */
static void make_pages(StrobeStringTable *table, guint32 n)
{
    guint64 place;
    guint last = page_of(n - 1, &place);

    for (guint i = last + 1; i-- > 0 && !table->pages[i];)
        table->pages[i] = strobe_state_memory(NULL, 0, page_bytes(i));
}

/* Publishes the entries below `n`, so that other threads may read them. */
static void publish_entries(StrobeStringTable *table, guint32 n)
{
    __atomic_store_n(&table->n_entries, n, __ATOMIC_RELEASE);
}

static guint32 hash_bytes(const char *bytes, gsize length, gboolean is_stack)
{
    const guint64 hash = strobe_hash_bytes(strobe_hash_key(), bytes, length);

    return (guint32)(is_stack ? ~hash : hash);
}

StrobeStringTable *strobe_string_table_new(guint32 first_free)
{
    StrobeStringTable *table = g_new0(StrobeStringTable, 1);

    pthread_mutex_init(&table->lock, NULL);
    make_pages(table, MAX(first_free, 1));
    publish_entries(table, MAX(first_free, 1));
    table->n_slots = SLOTS_MIN;
    table->slots = new_slots(table->n_slots);
    table->chunks = g_array_new(FALSE, FALSE, sizeof(struct chunk));
    return table;
}

void strobe_string_table_free(StrobeStringTable *table)
{
    if (!table)
        return;
    for (guint i = 0; i < PAGES; i++)
        if (table->pages[i])
            strobe_state_memory(table->pages[i], page_bytes(i), 0);
    for (guint i = 0; i < table->chunks->len; i++) {
        const struct chunk *chunk = &g_array_index(table->chunks, struct chunk, i);
        strobe_state_memory(chunk->bytes, chunk->size, 0);
    }
    g_array_unref(table->chunks);
    free_slots(table->slots, table->n_slots);
    free_slots(table->waiting, table->waiting_room);
    pthread_mutex_destroy(&table->lock);
    g_free(table);
}

/* Returns the slot with these bytes, or the free slot for them. */
static struct slot *find_slot(const StrobeStringTable *table, guint32 hash, const char *bytes,
                              gsize length, gboolean is_stack)
{
    guint32 mask = table->n_slots - 1, at = hash & mask;

    for (; table->slots[at].id; at = (at + 1) & mask) {
        const struct entry *e;

        if (table->slots[at].hash != hash)
            continue;
        e = entry_of(table, table->slots[at].id);
        if (e->length == length && e->is_stack == (is_stack != FALSE) &&
            memcmp(e->bytes, bytes, length) == 0)
            break;
    }
    return &table->slots[at];
}

static void grow_slots(StrobeStringTable *table)
{
    struct slot *old = table->slots;
    guint32 n = table->n_slots, mask = 2 * n - 1;

    table->n_slots *= 2;
    table->slots = new_slots(table->n_slots);
    for (guint32 i = 0; i < n; i++) {
        guint32 at = old[i].hash & mask;

        if (!old[i].id)
            continue;
        while (table->slots[at].id)
            at = (at + 1) & mask;
        table->slots[at] = old[i];
    }
    free_slots(old, n);
}

static char *add_chunk(StrobeStringTable *table, gsize size)
{
    struct chunk chunk = {strobe_state_memory(NULL, 0, size), size};

    g_array_append_val(table->chunks, chunk);
    table->bytes += size;
    return chunk.bytes;
}

/* Returns room for `n` bytes. New chunks grow with the table, so that there are only few files. */
static char *take_room(StrobeStringTable *table, gsize n)
{
    const gsize size = CLAMP(table->bytes / 2, CHUNK_MIN, CHUNK_MAX);

    n = (n + 7) & ~(gsize)7;
    if (n > CHUNK_MIN / 4 && n > table->chunk_left && n > size / 4)
        return add_chunk(table, n); /* a separate chunk for a long string, so that the rest of the
                                       current chunk is not wasted */
    if (table->chunk_left < n) {
        table->chunk = add_chunk(table, size);
        table->chunk_left = size;
    }
    char *out = table->chunk;
    table->chunk += n;
    table->chunk_left -= n;
    return out;
}

static void store_string(StrobeStringTable *table, guint32 id, const char *bytes, gsize length,
                         gboolean is_stack)
{
    struct entry *e = entry_of(table, id);
    char *copy = take_room(table, length + 1);

    memcpy(copy, bytes, length);
    copy[length] = 0;
    e->bytes = copy;
    e->length = (guint32)length;
    e->is_stack = is_stack != FALSE;
    table->n_ids = MAX(table->n_ids, id + 1);
}

/* Puts a string into the slots. There must be a free slot. */
static void take_slot(StrobeStringTable *table, const struct slot *wanted)
{
    const struct entry *e = entry_of(table, wanted->id);
    struct slot *slot = find_slot(table, wanted->hash, e->bytes, e->length, e->is_stack != 0);

    if (slot->id)
        return; /* an equal string with another id is already in the slots */
    *slot = *wanted;
    table->n_used++;
}

/* Returns the waiting strings grouped by ranges of slots; inside a range they keep their order. */
static struct slot *waiting_by_stretch(const StrobeStringTable *table)
{
    struct slot *ordered = new_slots(table->n_waiting);
    g_autofree guint32 *starts = g_new0(guint32, STRETCHES + 1);
    guint32 mask = table->n_slots - 1, per_stretch = MAX(table->n_slots / STRETCHES, 1);

    for (guint32 i = 0; i < table->n_waiting; i++)
        starts[(table->waiting[i].hash & mask) / per_stretch + 1]++;
    for (guint32 i = 0; i < STRETCHES; i++)
        starts[i + 1] += starts[i];
    for (guint32 i = 0; i < table->n_waiting; i++)
        ordered[starts[(table->waiting[i].hash & mask) / per_stretch]++] = table->waiting[i];
    return ordered;
}

/* Puts the waiting strings into the slots, one range of slots after the other. The slots of
 * millions of strings may exceed the memory, and in random order each string would load a page. */
static void index_waiting(StrobeStringTable *table)
{
    if (!table->n_waiting)
        return;
    while (table->n_used + table->n_waiting > table->n_slots / 4 * 3)
        grow_slots(table);
    struct slot *ordered = waiting_by_stretch(table);
    for (guint32 i = 0; i < table->n_waiting; i++)
        take_slot(table, &ordered[i]);
    free_slots(ordered, table->n_waiting);
    free_slots(table->waiting, table->waiting_room);
    table->waiting = NULL;
    table->n_waiting = table->waiting_room = 0;
}

static void wait_for_slot(StrobeStringTable *table, struct slot slot)
{
    if (table->n_waiting == table->waiting_room) {
        index_waiting(table);
        table->waiting_room = MAX(WAITING_MIN, table->n_slots / 16);
        table->waiting = new_slots(table->waiting_room);
    }
    table->waiting[table->n_waiting++] = slot;
}

/* Is the frame an id of the table from `first` on? The id of an inline frame is not in the
 * table. */
static gboolean is_frame_from(StrobeStringId frame, guint32 first)
{
    return frame >= first && !(frame & STROBE_STRING_INLINE);
}

static void note_frames(StrobeStringTable *table, guint32 id)
{
    const StrobeStringId *frames;
    gsize n = strobe_string_table_stack(table, id, &frames);

    for (gsize i = 0; i < n; i++)
        if (is_frame_from(frames[i], table->max_frame))
            table->max_frame = frames[i];
}

void strobe_string_table_set(StrobeStringTable *table, guint32 id, const char *bytes, gsize length,
                             gboolean is_stack)
{
    if (id == table->n_entries) { /* more ids than a recorder can assign: an importer wrote them, in
                                     order */
        make_pages(table, id + 1);
        publish_entries(table, id + 1);
    }
    if (!id || id >= table->n_entries || entry_of(table, id)->bytes)
        return;
    store_string(table, id, bytes, length, is_stack);
    if (is_stack)
        note_frames(table, id);
    wait_for_slot(table, (struct slot){hash_bytes(bytes, length, is_stack), id});
}

/* Returns the id of the bytes. The caller holds the lock. */
static guint32 intern_bytes(StrobeStringTable *table, const char *bytes, gsize length,
                            gboolean is_stack)
{
    index_waiting(table);
    guint32 hash = hash_bytes(bytes, length, is_stack);
    guint32 known = find_slot(table, hash, bytes, length, is_stack)->id;
    if (known)
        return known;
    guint32 id = table->n_entries;
    if (id & STROBE_STRING_INLINE)
        return 0; /* no input has so many strings: they would need more than 80 GB */
    make_pages(table, id + 1);
    store_string(table, id, bytes, length, is_stack);
    publish_entries(table, id + 1);
    if (table->n_used >= table->n_slots / 4 * 3)
        grow_slots(table);
    take_slot(table, &(struct slot){hash, id});
    return id;
}

guint32 strobe_string_table_intern(StrobeStringTable *table, const char *bytes, gsize length,
                                   gboolean is_stack)
{
    guint32 id;

    if (length == 0 && is_stack)
        return 0;
    pthread_mutex_lock(&table->lock);
    id = intern_bytes(table, bytes, length, is_stack);
    pthread_mutex_unlock(&table->lock);
    return id;
}

guint64 strobe_string_table_steps(StrobeStringTable *table)
{
    guint64 n = 0;

    index_waiting(table);
    for (guint32 at = 0; at < table->n_slots; at++)
        if (table->slots[at].id)
            n += (at - table->slots[at].hash) & (table->n_slots - 1);
    return n;
}

guint32 strobe_string_table_n_ids(const StrobeStringTable *table)
{
    return table->n_ids;
}

/* Rebuilds the slots from the current hashes, after the bytes of strings have changed. */
static void fill_slots(StrobeStringTable *table)
{
    memset(table->slots, 0, table->n_slots * sizeof *table->slots);
    table->n_used = table->n_waiting = 0;
    for (guint32 id = 1; id < table->n_ids; id++) {
        const struct entry *e = entry_of(table, id);

        if (e->bytes)
            wait_for_slot(table, (struct slot){hash_bytes(e->bytes, e->length, e->is_stack), id});
    }
}

/* Replaces the frames of one stack. TRUE: the stack has changed. */
static gboolean expand_stack(StrobeStringTable *table, guint32 id, StrobeFrameExpand expand,
                             gpointer user, GArray *frames)
{
    const struct entry *e = entry_of(table, id);
    const StrobeStringId *old = (const StrobeStringId *)(const void *)e->bytes;
    gsize n = e->length / sizeof *old;

    g_array_set_size(frames, 0);
    for (gsize i = 0; i < n; i++)
        expand(user, old[i], frames);
    if (frames->len == n && (n == 0 || memcmp(frames->data, old, n * sizeof *old) == 0))
        return FALSE;
    store_string(table, id, frames->data, frames->len * sizeof *old, TRUE);
    return TRUE;
}

void strobe_string_table_expand_frames(StrobeStringTable *table, StrobeFrameExpand expand,
                                       gpointer user)
{
    g_autoptr(GArray) frames = g_array_new(FALSE, FALSE, sizeof(StrobeStringId));
    const guint32 n_ids = table->n_ids;
    gboolean is_changed = FALSE;

    for (guint32 id = 1; id < n_ids; id++) {
        const struct entry *e = entry_of(table, id);
        if (e->bytes && e->is_stack)
            is_changed |= expand_stack(table, id, expand, user, frames);
    }
    if (is_changed)
        fill_slots(table);
}

static void drop_frames(StrobeStringTable *table, guint32 first)
{
    for (guint32 id = 1; id < table->n_ids; id++) {
        const struct entry *e = entry_of(table, id);
        StrobeStringId *frames = (StrobeStringId *)(gpointer)e->bytes;
        gsize n = e->bytes && e->is_stack ? e->length / sizeof *frames : 0;

        for (gsize i = 0; i < n; i++)
            if (is_frame_from(frames[i], first))
                frames[i] = 0;
    }
    fill_slots(table);
}

guint32 strobe_string_table_end_stored(StrobeStringTable *table)
{
    const guint32 first = table->n_entries;

    if (table->max_frame >= first)
        drop_frames(table, first);
    return first;
}

StrobeText strobe_string_table_text(const StrobeStringTable *table, guint32 id)
{
    StrobeText none = {"", 0};

    if (id >= n_entries(table))
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
    if (id >= n_entries(table))
        return 0;
    const struct entry *e = entry_of(table, id);
    if (!e->bytes || !e->is_stack)
        return 0;
    *frames = (const StrobeStringId *)(const void *)e->bytes;
    return e->length / sizeof(StrobeStringId);
}
