/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the object around the events: schema, devices, metadata. Members that are known before the
 * first event precede the events, as in PyTorch's traces; all other members follow the events. */
#include <strobe/helpers/fields.h>
#include <strobe/helpers/keyed-hash.h>

#include "tensorboard.h"

#define MEMBERS_MAX 4096u
#define DEVICES_MAX 256u

struct BoardHead {
    GHashTable *keys; /* keys of the members that were written */
    GString *devices; /* members of deviceProperties: the devices whose names are known */
    guint n_devices;
    gboolean has_devices; /* the member deviceProperties was written */
    GPtrArray *late;      /* texts of the members that come after the events */
};

BoardHead *board_head_new(Board *board)
{
    BoardHead *head = g_new0(BoardHead, 1);

    head->keys = g_hash_table_new_full(strobe_hash_of_text, g_str_equal, g_free, NULL);
    head->late = g_ptr_array_new_with_free_func(g_free);
    head->devices = g_string_new(NULL);
    return head;
}

void board_head_free(BoardHead *head)
{
    if (!head)
        return;
    g_hash_table_unref(head->keys);
    g_ptr_array_unref(head->late);
    g_string_free(head->devices, TRUE);
    g_free(head);
}

static void put_raw(Board *board, const char *text)
{
    trace_out_sink(board->is_begun ? &board->main : &board->file, text, strlen(text));
}

/* Returns whether this file writes the member itself. */
static gboolean is_own(const char *key)
{
    static const char *const own[] = {"schemaVersion", "traceEvents", "traceName",
                                      "displayTimeUnit", "baseTimeNanoseconds"};

    for (guint i = 0; i < G_N_ELEMENTS(own); i++)
        if (!strcmp(own[i], key))
            return TRUE;
    return FALSE;
}

static void add_member(Board *board, char *text)
{
    if (board->is_begun) {
        g_ptr_array_add(board->head->late, text);
        return;
    }
    put_raw(board, text);
    g_free(text);
}

/* Writes a metadata record as a member. If Kineto has the key, writes it in Kineto's spelling. Keys
 * of collectors are unchanged. */
void write_metadata(Board *board, const BoardKind *kind, const StrobeView *record)
{
    BoardHead *head = board->head;
    StrobeText key = board->host->string(board->self, record->name);
    guint32 id = strobe_field_u32(record, kind->known[0], 0);
    StrobeText value = board->host->string(board->self, id);
    const CachedText *text;
    g_autofree char *key_text = NULL, *value_text = NULL;

    if (!key.length || is_own(key.bytes) || g_hash_table_size(head->keys) >= MEMBERS_MAX ||
        !g_hash_table_add(head->keys, g_strndup(key.bytes, key.length)))
        return;
    text = text_cache_escape(board->texts, key.bytes, key.length);
    key_text = g_strndup(text->bytes, text->length);
    if (strobe_field_u8(record, kind->known[1], 0) && is_json(value)) {
        value_text = g_strndup(value.bytes, value.length);
    } else {
        text = text_cache_escape(board->texts, value.bytes, value.length);
        value_text = g_strndup(text->bytes, text->length);
    }
    head->has_devices |= !strcmp(key.bytes, "deviceProperties");
    add_member(board, g_strdup_printf(",\n%s: %s", key_text, value_text));
}

void write_device_info(Board *board, const BoardKind *kind, const StrobeView *record)
{
    BoardHead *head = board->head;
    gint32 device = (gint32)strobe_field_u32(record, kind->known[0], G_MAXUINT32);
    StrobeText name = board->host->string(board->self, record->name);
    const CachedText *text;

    if (device < 0 || head->n_devices == DEVICES_MAX)
        return;
    text = text_cache_escape(board->texts, name.bytes, name.length);
    g_string_append_printf(head->devices, "%s{\"id\": %d, \"name\": %.*s}",
                           head->n_devices++ ? ", " : "", device, (int)text->length, text->bytes);
}

void board_begin_events(Board *board)
{
    g_autofree char *text = NULL;
    gboolean has_events = board->main.has_events;

    if (board->is_begun)
        return;
    text = g_strdup_printf(",\n\"displayTimeUnit\": \"ms\",\n\"baseTimeNanoseconds\": "
                           "%" G_GINT64_FORMAT ",\n\"traceEvents\": [",
                           board->base_ns);
    put_raw(board, text);
    if (has_events) /* no separator precedes the first event */
        trace_out_sink(&board->file, board->main.bytes + strlen(", "),
                       board->main.used - strlen(", "));
    trace_out_clear(&board->main);
    board->main = board->file;
    board->main.has_events = has_events;
    board->file = (TraceOut){0};
    board->is_begun = TRUE;
}

/* Writes the trace's id as a member, like Kineto. Does nothing if an imported trace has this
 * member. */
static void put_trace_id(Board *board)
{
    const char *id = board->host->metadata_value(board->self, "trace_id");
    const CachedText *text;

    if (!*id || g_hash_table_contains(board->head->keys, "trace_id"))
        return;
    text = text_cache_escape(board->texts, id, strlen(id));
    g_autofree char *member =
        g_strdup_printf(",\n\"trace_id\": %.*s", (int)text->length, text->bytes);
    put_raw(board, member);
}

void board_end_events(Board *board)
{
    BoardHead *head = board->head;
    gint32 rank = board->host->metadata(board->self)->rank;

    put_raw(board, "\n]");
    for (guint i = 0; i < head->late->len; i++)
        put_raw(board, head->late->pdata[i]);
    put_trace_id(board);
    if (rank >= 0 && !g_hash_table_contains(head->keys, "distributedInfo")) {
        g_autofree char *text = g_strdup_printf(",\n\"distributedInfo\": {\"rank\": %d}", rank);

        put_raw(board, text);
    }
    if (!head->has_devices) {
        g_autofree char *text =
            g_strdup_printf(",\n\"deviceProperties\": [%s]", head->devices->str);

        put_raw(board, text);
    }
}
