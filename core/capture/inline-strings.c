/* SPDX-License-Identifier: Apache-2.0 */
#include "inline-strings.h"

#include <string.h>
#include "capture-format.h"
#include "frame-names.h"

#define SLOTS 65536u
#define RING_BYTES (4u << 20)

/* The last string among those whose ids share the slot. */
struct slot {
    guint32 id;
    guint32 table_id; /* id in the table, if strings are kept */
    guint64 at; /* if strings are not kept: number of bytes that were written to the ring before the
                   string */
    guint32 length;
    gboolean is_stack;
};

struct StrobeInlineStrings {
    StrobeStringTable *table;
    StrobeFrameNames *frame_names;
    guint32 n_stored;
    gboolean is_kept;
    struct slot *slots; /* NULL until the first string comes */
    char *ring;
    guint64 written; /* number of bytes written to the ring */
};

StrobeInlineStrings *strobe_inline_strings_new(StrobeStringTable *table, JsonObject *metadata)
{
    StrobeInlineStrings *strings = g_new0(StrobeInlineStrings, 1);

    strings->table = table;
    strings->n_stored = strobe_string_table_end_stored(table);
    strings->frame_names = strobe_frame_names_new(table, metadata);
    return strings;
}

void strobe_inline_strings_free(StrobeInlineStrings *strings)
{
    if (!strings)
        return;
    strobe_frame_names_free(strings->frame_names);
    g_free(strings->slots);
    g_free(strings->ring);
    g_free(strings);
}

void strobe_inline_strings_keep(StrobeInlineStrings *strings)
{
    strings->is_kept = TRUE;
}

/* Copies the string contiguously into the ring, followed by a NUL. */
static void store_bytes(StrobeInlineStrings *strings, struct slot *slot, const char *bytes)
{
    guint64 room = ((guint64)slot->length + 1 + 7) & ~(guint64)7;
    guint64 left = RING_BYTES - strings->written % RING_BYTES;

    if (!strings->ring)
        strings->ring = g_malloc(RING_BYTES);
    if (room > left)
        strings->written += left;
    slot->at = strings->written;
    strings->written += room;
    if (room > RING_BYTES)
        return; /* the slot then counts as overwritten */
    memcpy(strings->ring + slot->at % RING_BYTES, bytes, slot->length);
    strings->ring[slot->at % RING_BYTES + slot->length] = 0;
}

/* Puts a stack into the table. Its frames may be inline strings too. */
static guint32 keep_stack(StrobeInlineStrings *strings, const char *bytes, guint32 length)
{
    g_autofree StrobeStringId *recorded = g_memdup2(bytes, length); /* an aligned copy */
    g_autoptr(GArray) frames = g_array_new(FALSE, FALSE, sizeof *recorded);

    for (guint32 i = 0; i < length / sizeof *recorded; i++)
        strobe_frame_names_append(strings->frame_names,
                                  strobe_inline_strings_resolve(strings, recorded[i]), frames);
    return strobe_string_table_intern(strings->table, frames->data, frames->len * sizeof *recorded,
                                      TRUE);
}

StrobeStringId strobe_inline_strings_intern(StrobeInlineStrings *strings, const char *bytes,
                                            gsize length)
{
    return strobe_string_table_intern(strings->table, bytes, length, FALSE);
}

void strobe_inline_strings_take(StrobeInlineStrings *strings, guint32 id, const char *bytes,
                                guint32 length, gboolean is_stack)
{
    if (!strings->slots)
        strings->slots = g_new0(struct slot, SLOTS);
    struct slot *slot = &strings->slots[id % SLOTS];
    guint32 table_id = 0;
    if (strings->is_kept)
        table_id = is_stack ? keep_stack(strings, bytes, length)
                            : strobe_string_table_intern(strings->table, bytes, length, FALSE);
    *slot = (struct slot){
        .id = id, .table_id = table_id, .length = length, .is_stack = is_stack != FALSE};
    if (!strings->is_kept)
        store_bytes(strings, slot, bytes);
}

static const struct slot *find_slot(const StrobeInlineStrings *strings, guint32 id)
{
    const struct slot *slot = strings->slots ? &strings->slots[id % SLOTS] : NULL;
    return slot && slot->id == id ? slot : NULL;
}

/* Returns the bytes of a string in the ring, NULL if they are overwritten. */
static const char *find_bytes(const StrobeInlineStrings *strings, const struct slot *slot)
{
    return strings->ring && strings->written - slot->at <= RING_BYTES
               ? strings->ring + slot->at % RING_BYTES
               : NULL;
}

guint32 strobe_inline_strings_n_stored(const StrobeInlineStrings *strings)
{
    return strings->n_stored;
}

gboolean strobe_inline_strings_knows(const StrobeInlineStrings *strings, guint32 id)
{
    const struct slot *slot = find_slot(strings, id);
    return slot && (strings->is_kept || find_bytes(strings, slot));
}

guint32 strobe_inline_strings_resolve(const StrobeInlineStrings *strings, guint32 id)
{
    if (!(id & STROBE_STRING_INLINE))
        return id < strings->n_stored ? id : 0;
    if (!strings->is_kept)
        return id;
    const struct slot *slot = find_slot(strings, id);
    return slot ? slot->table_id : 0;
}

StrobeText strobe_inline_strings_text(const StrobeInlineStrings *strings, guint32 id)
{
    if (G_LIKELY(!(id & STROBE_STRING_INLINE)))
        return strobe_string_table_text(strings->table, id);
    const struct slot *slot = strings->is_kept ? NULL : find_slot(strings, id);
    const char *bytes = slot && !slot->is_stack ? find_bytes(strings, slot) : NULL;
    return bytes ? (StrobeText){bytes, slot->length} : (StrobeText){"", 0};
}

gsize strobe_inline_strings_stack(const StrobeInlineStrings *strings, guint32 id,
                                  const StrobeStringId **frames)
{
    *frames = NULL;
    if (G_LIKELY(!(id & STROBE_STRING_INLINE)))
        return strobe_string_table_stack(strings->table, id, frames);
    const struct slot *slot = strings->is_kept ? NULL : find_slot(strings, id);
    const char *bytes = slot && slot->is_stack ? find_bytes(strings, slot) : NULL;
    *frames = (const StrobeStringId *)(const void *)bytes;
    return bytes ? slot->length / sizeof **frames : 0;
}
