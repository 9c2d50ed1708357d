/* SPDX-License-Identifier: Apache-2.0 */
#include "consumer-host.h"

#include <string.h>
#include <strobe/helpers/keyed-hash.h>
#include "error.h"
#include "json-text.h"
#include "log.h"

#define MESSAGES_MAX 1000u /* maximum number of kept messages */
#define VIEW_FLAGS                                                                                 \
    (STROBE_VIEW_UNFINISHED | STROBE_VIEW_STRADDLES | STROBE_VIEW_INCOMPLETE |                     \
     STROBE_VIEW_CLOCK_UNSURE)

static StrobeConsumer *consumer_of(StrobeInstance *self)
{
    return self->owner;
}

static StrobeStorage *host_storage(StrobeInstance *self)
{
    return consumer_of(self)->storage;
}

static const StrobeMetadata *host_metadata(StrobeInstance *self)
{
    return &consumer_of(self)->metadata;
}

static StrobeText host_string(StrobeInstance *self, StrobeStringId id)
{
    return strobe_reader_string(consumer_of(self)->reader, id);
}

static size_t host_stack_frames(StrobeInstance *self, StrobeStackId id,
                                const StrobeStringId **frames)
{
    return strobe_reader_stack(consumer_of(self)->reader, id, frames);
}

static const StrobeTrackView *host_track(StrobeInstance *self, StrobeTrackId id)
{
    return strobe_reader_track(consumer_of(self)->reader, id);
}

static uint32_t host_track_count(StrobeInstance *self)
{
    return strobe_reader_n_tracks(consumer_of(self)->reader);
}

static StrobeStringId host_intern(StrobeInstance *self, const char *bytes, size_t length)
{
    return strobe_reader_intern(consumer_of(self)->reader, bytes, length);
}

static StrobeStackId host_stack(StrobeInstance *self, const StrobeStringId *frames, size_t n)
{
    return strobe_reader_intern_stack(consumer_of(self)->reader, frames, n);
}

static void *host_emit(StrobeInstance *self, uint32_t kind_index, StrobeTrackId track,
                       StrobeStringId name, int64_t begin_ns, int64_t end_ns)
{
    StrobeConsumer *c = consumer_of(self);

    c->newest = NULL;
    if (!c->log || kind_index >= c->component->n_kinds)
        return NULL;
    if (c->is_stored[kind_index])
        return memset(c->unkept, 0, STROBE_KIND_FIELDS_MAX * sizeof *c->unkept);
    const StrobeDerived record = {.kind = (guint16)kind_index,
                                  .track = track,
                                  .name = name,
                                  .field_bytes = c->kinds[kind_index].field_words * 8,
                                  .begin_ns = begin_ns,
                                  .end_ns = end_ns};
    c->newest = strobe_derived_log_add(c->log, &record);
    if (c->newest)
        c->counts[kind_index].n++;
    else if (!c->failure)
        g_set_error(
            &c->failure, STROBE_ERROR, STROBE_ERROR_IO,
            "pass %s: Cannot keep derived records in the folder for temporary files: %s: %s",
            c->component->name, c->storage->place, g_strerror(strobe_derived_log_error(c->log)));
    return c->newest ? c->newest + 1 : NULL;
}

static const char *host_metadata_entry(StrobeInstance *self, const char *key)
{
    StrobeConsumer *c = consumer_of(self);
    JsonObject *metadata = strobe_reader_metadata(c->reader);
    JsonNode *node =
        json_object_has_member(metadata, key) ? json_object_get_member(metadata, key) : NULL;
    char *text;

    if (!node || JSON_NODE_HOLDS_NULL(node))
        return "";
    if (json_node_get_value_type(node) == G_TYPE_STRING)
        return json_node_get_string(node);
    if (!c->metadata_texts)
        c->metadata_texts = g_hash_table_new_full(strobe_hash_of_text, g_str_equal, g_free, g_free);
    text = g_hash_table_lookup(c->metadata_texts, key);
    if (!text) {
        text = strobe_json_to_text(node, 0);
        g_hash_table_insert(c->metadata_texts, g_strdup(key), text);
    }
    return text;
}

static int32_t host_touches_gap(StrobeInstance *self, StrobeTrackId track, int64_t begin_ns,
                                int64_t end_ns)
{
    return strobe_gaps_touch(consumer_of(self)->gaps, track, begin_ns, end_ns);
}

static void host_flag(StrobeInstance *self, uint32_t flags)
{
    StrobeDerived *record = consumer_of(self)->newest;

    if (!record)
        return;
    if (flags & ~record->flags & STROBE_VIEW_INCOMPLETE)
        consumer_of(self)->counts[record->kind].n_incomplete++;
    record->flags |= (guint16)(flags & VIEW_FLAGS);
}

const StrobeConsumerHost strobe_consumer_host = {
    .struct_size = sizeof(StrobeConsumerHost),
    .abi_minor = STROBE_ABI_MINOR,
    .metadata = host_metadata,
    .storage = host_storage,
    .string = host_string,
    .stack_frames = host_stack_frames,
    .track = host_track,
    .track_count = host_track_count,
    .intern = host_intern,
    .stack = host_stack,
    .emit = host_emit,
    .metadata_value = host_metadata_entry,
    .option_bool = strobe_instance_option_bool,
    .option_int = strobe_instance_option_int,
    .option_double = strobe_instance_option_double,
    .option_text = strobe_instance_option_text,
    .log = strobe_instance_log,
    .fail = strobe_instance_fail,
    .touches_gap = host_touches_gap,
    .flag = host_flag,
};

typedef struct Message {
    gint32 level;
    char *text;
} Message;

static void clear_message(gpointer message)
{
    g_free(((Message *)message)->text);
}

void strobe_consumer_log(StrobeInstance *self, gint32 level, const char *text)
{
    GArray *messages = consumer_of(self)->messages;

    if (messages && messages->len < MESSAGES_MAX) {
        const Message message = {level, g_strdup(text)};

        g_array_append_val(messages, message);
    } else {
        strobe_log(level, "%s: %s", self->component->name, text);
    }
}

void strobe_consumer_keep_messages(StrobeConsumer *c)
{
    c->messages = g_array_new(FALSE, FALSE, sizeof(Message));
    g_array_set_clear_func(c->messages, clear_message);
}

void strobe_consumer_print_messages(StrobeConsumer *c)
{
    for (guint i = 0; i < c->messages->len; i++) {
        const Message *message = &g_array_index(c->messages, Message, i);

        strobe_log(message->level, "%s: %s", c->component->name, message->text);
    }
    g_clear_pointer(&c->messages, g_array_unref);
}
