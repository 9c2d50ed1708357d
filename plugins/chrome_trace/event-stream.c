/* SPDX-License-Identifier: Apache-2.0 */
#include "event-stream.h"

#include <pthread.h>
#include <strobe/helpers/thread.h>

#define BATCHES 3u                   /* one is read, one handed out, one between them */
#define ARENA_BYTES (512u << 10)     /* of a batch's events */
#define WORTH_BYTES (4u << 20)       /* a smaller source is read before a thread begins */
#define ITEMS_MAX (ARENA_BYTES / 64) /* an event is larger than that */

/* What one call found. */
typedef struct Item {
    gint result;
    guint at;    /* of the event in the arena */
    char *error; /* of damage */
} Item;

typedef struct Batch {
    char *arena; /* events, each as long as its arguments are */
    Item *items;
    guint n;
    guint64 position;
    GPtrArray *buffers; /* whose text these events, or those before them, are slices of */
    GPtrArray *large;   /* the same of another size */
} Batch;

struct EventStream {
    ByteSource *source;
    EventReader *reader;
    Event *event; /* without a thread: the only one */
    gboolean has_thread;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    Batch batches[BATCHES];
    guint n_read, n_done; /* batches; the difference is ready to be handed out */
    gboolean is_stopped;
    guint next;      /* item of the batch that is handed out */
    GPtrArray *free; /* buffers that are nobody's */
};

gboolean event_stream_is_worth_a_thread(ByteSource *source)
{
    return byte_source_total(source) >= WORTH_BYTES && strobe_thread_processors() > 1;
}

/* ---- the thread ---- */

static char *obtain_buffer(void *user)
{
    EventStream *s = user;
    char *buffer = NULL;

    pthread_mutex_lock(&s->mutex);
    if (s->free->len)
        buffer = g_ptr_array_steal_index_fast(s->free, s->free->len - 1);
    pthread_mutex_unlock(&s->mutex);
    return buffer ? buffer : event_reader_new_buffer();
}

/* The reader goes on in another buffer; events of this batch, or of those before it, need it. */
static void retire_buffer(void *user, char *buffer, gboolean is_large)
{
    EventStream *s = user;
    Batch *batch = &s->batches[s->n_read % BATCHES];

    g_ptr_array_add(is_large ? batch->large : batch->buffers, buffer);
}

static gboolean has_retired(const Batch *batch)
{
    return batch->buffers->len || batch->large->len;
}

static gboolean has_room(const Batch *batch, gsize used)
{
    return batch->n < ITEMS_MAX && used + sizeof(Event) <= ARENA_BYTES;
}

/* Until it is full, or the text goes on in another buffer. FALSE: that was all. */
static gboolean read_batch(EventStream *s, Batch *batch)
{
    gsize used = 0;
    gint result = EVENT_ONE;

    batch->n = 0;
    while (result != EVENT_END && has_room(batch, used) && !has_retired(batch)) {
        Event *event = (Event *)(void *)(batch->arena + used);
        const char *error = NULL;

        result = event_reader_next(s->reader, event, &error);
        batch->items[batch->n++] = (Item){result, (guint)used, g_strdup(error)};
        used += G_STRUCT_OFFSET(Event, arg);
        used += result == EVENT_ONE ? event->n_args * sizeof(EventArg) : 0;
        used = (used + 15) & ~(gsize)15;
    }
    batch->position = byte_source_position(s->source);
    return result != EVENT_END;
}

static gboolean wait_for_room(EventStream *s)
{
    gboolean is_stopped;

    pthread_mutex_lock(&s->mutex);
    while (s->n_read - s->n_done == BATCHES && !s->is_stopped)
        pthread_cond_wait(&s->changed, &s->mutex);
    is_stopped = s->is_stopped;
    pthread_mutex_unlock(&s->mutex);
    return !is_stopped;
}

static gpointer read_ahead(gpointer user)
{
    EventStream *s = user;
    gboolean goes_on = TRUE;

    while (goes_on && wait_for_room(s)) {
        goes_on = read_batch(s, &s->batches[s->n_read % BATCHES]);
        pthread_mutex_lock(&s->mutex);
        s->n_read++;
        pthread_cond_signal(&s->changed);
        pthread_mutex_unlock(&s->mutex);
    }
    return NULL;
}

/* ---- handing out ---- */

static void clear_items(Batch *batch)
{
    for (guint i = 0; i < batch->n; i++)
        g_free(batch->items[i].error);
    batch->n = 0;
}

/* What was handed out is given back to the thread. */
static void give_back(EventStream *s)
{
    Batch *batch = &s->batches[s->n_done % BATCHES];

    clear_items(batch);
    g_ptr_array_set_size(batch->large, 0);
    pthread_mutex_lock(&s->mutex);
    while (batch->buffers->len)
        g_ptr_array_add(s->free, g_ptr_array_steal_index_fast(batch->buffers, 0));
    s->n_done++;
    s->next = 0;
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->mutex);
}

static Batch *wait_for_batch(EventStream *s)
{
    pthread_mutex_lock(&s->mutex);
    while (s->n_read == s->n_done)
        pthread_cond_wait(&s->changed, &s->mutex);
    pthread_mutex_unlock(&s->mutex);
    return &s->batches[s->n_done % BATCHES];
}

static int next_read(EventStream *s, const Event **event, const char **error)
{
    Batch *batch = &s->batches[s->n_done % BATCHES];
    const Item *item;

    if (s->next && s->next == batch->n)
        give_back(s);
    if (!s->next)
        batch = wait_for_batch(s);
    item = &batch->items[s->next];
    if (item->result != EVENT_END) /* which is found again and again */
        s->next++;
    *event = (const Event *)(const void *)(batch->arena + item->at);
    *error = item->error;
    return item->result;
}

int event_stream_next(EventStream *s, const Event **event, const char **error)
{
    if (s->has_thread)
        return next_read(s, event, error);
    *event = s->event;
    return event_reader_next(s->reader, s->event, error);
}

/* The reader has written it before the first batch was handed over, and never does again. */
gboolean event_stream_is_object(const EventStream *s)
{
    return event_reader_is_object(s->reader);
}

guint64 event_stream_position(const EventStream *s)
{
    return s->has_thread ? s->batches[s->n_done % BATCHES].position
                         : byte_source_position(s->source);
}

/* ---- life ---- */

static void free_batches(EventStream *s)
{
    event_reader_set_owner(s->reader, (BufferOwner){0});
    for (guint i = 0; i < BATCHES; i++) {
        g_free(s->batches[i].arena);
        g_free(s->batches[i].items);
        g_ptr_array_unref(s->batches[i].buffers);
        g_ptr_array_unref(s->batches[i].large);
    }
    g_ptr_array_unref(s->free);
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->mutex);
}

static void start_thread(EventStream *s)
{
    pthread_mutex_init(&s->mutex, NULL);
    pthread_cond_init(&s->changed, NULL);
    s->free = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < BATCHES; i++) {
        s->batches[i].arena = g_malloc(ARENA_BYTES);
        s->batches[i].items = g_new(Item, ITEMS_MAX);
        s->batches[i].buffers = g_ptr_array_new_with_free_func(g_free);
        s->batches[i].large = g_ptr_array_new_with_free_func(g_free);
    }
    event_reader_set_owner(s->reader, (BufferOwner){s, obtain_buffer, retire_buffer});
    s->has_thread = strobe_thread_start(&s->thread, read_ahead, s) == 0;
    if (!s->has_thread)
        free_batches(s);
}

static void end_thread(EventStream *s)
{
    pthread_mutex_lock(&s->mutex);
    s->is_stopped = TRUE;
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->mutex);
    pthread_join(s->thread, NULL);
    for (; s->n_done < s->n_read; s->n_done++)
        clear_items(&s->batches[s->n_done % BATCHES]);
    free_batches(s);
}

EventStream *event_stream_new(ByteSource *source, gboolean has_thread, guint64 offset)
{
    EventStream *s = g_new0(EventStream, 1);

    s->source = source;
    s->reader = event_reader_new(source, offset);
    if (has_thread)
        start_thread(s);
    if (!s->has_thread)
        s->event = g_new0(Event, 1);
    return s;
}

void event_stream_free(EventStream *s)
{
    if (s->has_thread)
        end_thread(s);
    event_reader_free(s->reader);
    g_free(s->event);
    g_free(s);
}
