/* SPDX-License-Identifier: Apache-2.0 */
#include "event-stream.h"

#include <pthread.h>
#include <strobe/helpers/thread.h>

#define ARENA_BYTES (4 * (gsize)PIECE_BYTES) /* of a piece's events */
#define WORTH_BYTES (4u << 20)               /* a smaller source is read by one */
#define ITEM_BYTES G_STRUCT_OFFSET(Event, arg)
#define ITEMS_MAX (ARENA_BYTES / ITEM_BYTES)

/* What one call of the reader found. */
typedef struct Item {
    gint result;
    guint at;    /* of the event in the arena */
    char *error; /* of damage */
} Item;

/* Pieces are numbered as they are read. Whoever has the turn may go on into the next one, which the
 * other one has begun for nothing then. */
typedef struct Worker {
    EventStream *stream;
    EventReader *reader;
    char *arena; /* events, each as long as its arguments are */
    gsize used;
    Item *items; /* found before it was its turn */
    guint n_items;
    gboolean has_turn;
    guint64 next;     /* number of the piece behind its own */
    guint64 position; /* in the source, behind its text */
    /* under the stream's lock */
    guint64 number; /* of its piece */
    const char *text;
    gsize length;
    gboolean is_cut;  /* behind it an event begins */
    gboolean is_void; /* the other one has taken its text; atomic */
} Worker;

struct EventStream {
    ByteSource *source;
    EventTaker take;
    void *user;
    const EventReader *reader; /* whose events are handed out */
    guint64 position;
    Worker workers[2];
    pthread_mutex_t reading; /* who holds it may take the other lock too */
    guint64 offset;          /* of the next piece in the text */
    gsize piece_bytes;
    GByteArray *rest; /* of the text read: begins with the event that the next piece begins with */
    gboolean is_at_event, is_over;
    guint64 n_read; /* pieces; changed under both locks */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    guint64 turn;        /* number of the piece whose events are handed out */
    gboolean is_stopped; /* nothing more is wanted; atomic */
};

gboolean event_stream_is_worth_a_thread(ByteSource *source)
{
    return byte_source_total(source) >= WORTH_BYTES && strobe_thread_processors() > 1;
}

gboolean event_stream_is_object(const EventStream *s)
{
    return event_reader_is_object(s->reader);
}

guint64 event_stream_position(const EventStream *s)
{
    return s->position;
}

/* ---- by one ---- */

void event_stream_read(ByteSource *source, guint64 offset, EventTaker take, void *user)
{
    EventReader *reader = event_reader_new(source, offset, PIECE_BYTES);
    EventStream s = {.reader = reader};
    g_autofree Event *event = g_new0(Event, 1);
    const char *error = NULL;
    int result;

    if (offset)
        byte_source_skip(source, offset);
    while ((result = event_reader_next(reader, event, &error)) != EVENT_END) {
        s.position = byte_source_position(source);
        if (!take(user, &s, result, event, error))
            break;
    }
    event_reader_free(reader);
}

/* ---- pieces of the text ---- */

/* Up to `size` bytes of text behind what was read before; 0: there are none. A piece ends where an
 * event seems to begin, if one does near its end. */
static gsize read_text(EventStream *s, const EventScan *scan, char *bytes, gsize size,
                       gboolean *is_cut)
{
    gsize used = s->rest->len, cut = 0;
    gssize n;

    if (used)
        memcpy(bytes, s->rest->data, used);
    g_byte_array_set_size(s->rest, 0);
    while (used < size && !s->is_over) {
        n = byte_source_read(s->source, bytes + used, size - used);
        s->is_over = n <= 0;
        used += (gsize)MAX(n, 0);
    }
    if (!s->is_over && used > 2 * GAP_BYTES)
        cut = event_scan_find_last(scan, bytes, used - MIN(used, s->piece_bytes) / 2,
                                   used - GAP_BYTES);
    if (cut)
        g_byte_array_append(s->rest, (const guint8 *)bytes + cut, (guint)(used - cut));
    s->is_at_event = *is_cut = cut != 0;
    used = cut ? cut : used;
    s->offset += used;
    return used;
}

static gboolean is_stopped(const EventStream *s)
{
    return g_atomic_int_get(&s->is_stopped);
}

/* The next piece, which is then read from its begin; FALSE: there is none. `is_event`: its begin is
 * known. */
static gboolean begin_piece(Worker *w, gboolean *is_event)
{
    EventStream *s = w->stream;
    const guint64 offset = s->offset;
    gsize room, length;
    gboolean is_cut = FALSE;
    char *bytes = event_reader_buffer(w->reader, &room);

    *is_event = s->is_at_event;
    length = read_text(s, event_reader_scan(w->reader), bytes, MIN(room, s->piece_bytes), &is_cut);
    if (!length)
        return FALSE;
    event_reader_set_piece(w->reader, offset, length, is_cut);
    w->position = byte_source_position(s->source);
    pthread_mutex_lock(&s->lock);
    w->number = s->n_read++;
    w->next = w->number + 1;
    w->text = bytes;
    w->length = length;
    w->is_cut = is_cut;
    g_atomic_int_set(&w->is_void, FALSE);
    pthread_mutex_unlock(&s->lock);
    return TRUE;
}

/* The text of the piece that the other one has begun, which begins another. */
static gsize take_over(Worker *w, char *bytes, gboolean *is_cut)
{
    EventStream *s = w->stream;
    Worker *other = &s->workers[w == s->workers];

    pthread_mutex_lock(&s->lock);
    memcpy(bytes, other->text, other->length);
    *is_cut = other->is_cut;
    g_atomic_int_set(&other->is_void, TRUE);
    w->position = other->position;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    return other->length;
}

/* Text for an event that goes beyond its piece, or for what is no event. */
static gssize read_on(void *user, char *bytes, gsize size, gboolean *is_cut)
{
    Worker *w = user;
    EventStream *s = w->stream;
    gsize n;

    pthread_mutex_lock(&s->reading);
    if (w->next < s->n_read) {
        n = take_over(w, bytes, is_cut);
    } else {
        n = read_text(s, event_reader_scan(w->reader), bytes, size, is_cut);
        w->position = byte_source_position(s->source);
        s->n_read += n != 0;
    }
    pthread_mutex_unlock(&s->reading);
    w->next += n != 0;
    s->position = w->position;
    return (gssize)n;
}

/* ---- turns ---- */

static void stop(EventStream *s)
{
    pthread_mutex_lock(&s->lock);
    g_atomic_int_set(&s->is_stopped, TRUE);
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

static gboolean hand_out(Worker *w, int result, const Event *event, const char *error)
{
    EventStream *s = w->stream;

    if (result != EVENT_END && s->take(s->user, s, result, event, error))
        return TRUE;
    stop(s);
    return FALSE;
}

static void clear_items(Worker *w)
{
    for (guint i = 0; i < w->n_items; i++)
        g_free(w->items[i].error);
    w->n_items = 0;
    w->used = 0;
}

/* What was found before the turn came. FALSE: nothing more is wanted. */
static gboolean hand_out_items(Worker *w)
{
    EventStream *s = w->stream;
    gboolean goes_on = TRUE;

    s->reader = w->reader;
    s->position = w->position;
    for (guint i = 0; i < w->n_items && goes_on; i++) {
        const Item *item = &w->items[i];

        goes_on = hand_out(w, item->result, (const Event *)(const void *)(w->arena + item->at),
                           item->error);
    }
    clear_items(w);
    return goes_on;
}

/* Until all before it is handed out, and what was found of its own. FALSE: nobody wants more of its
 * piece. */
static gboolean await_turn(void *user)
{
    Worker *w = user;
    EventStream *s = w->stream;

    if (w->has_turn)
        return TRUE;
    pthread_mutex_lock(&s->lock);
    while (s->turn != w->number && !w->is_void && !s->is_stopped)
        pthread_cond_wait(&s->changed, &s->lock);
    w->has_turn = !w->is_void && !s->is_stopped;
    pthread_mutex_unlock(&s->lock);
    return w->has_turn && hand_out_items(w);
}

static void pass_turn(Worker *w)
{
    EventStream *s = w->stream;

    pthread_mutex_lock(&s->lock);
    s->turn = w->next;
    w->has_turn = FALSE;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

/* ---- the work ---- */

static gboolean has_room(const Worker *w)
{
    return w->n_items < ITEMS_MAX && w->used + sizeof(Event) <= ARENA_BYTES;
}

static void keep(Worker *w, int result, const Event *event, const char *error)
{
    gsize bytes = result == EVENT_ONE      ? ITEM_BYTES + event->n_args * sizeof(EventArg)
                  : result == EVENT_DAMAGE ? ITEM_BYTES
                                           : sizeof(Event);

    w->items[w->n_items++] = (Item){result, (guint)w->used, g_strdup(error)};
    w->used += (bytes + 15) & ~(gsize)15;
}

/* From the begin of its piece to an event that begins the next one. */
static void read_piece(Worker *w)
{
    const EventStream *s = w->stream;
    const char *error;
    gboolean goes_on = TRUE;
    int result;

    do {
        Event *event = (Event *)(void *)(w->arena + w->used);

        error = NULL;
        result = event_reader_next(w->reader, event, &error);
        if (is_stopped(s) || g_atomic_int_get(&w->is_void))
            return;
        if (result == EVENT_CUT)
            break;
        if (w->has_turn) {
            goes_on = hand_out(w, result, event, error);
        } else {
            keep(w, result, event, error);
            if (result == EVENT_END || !has_room(w))
                goes_on = await_turn(w);
        }
    } while (goes_on);
    if (goes_on && await_turn(w))
        pass_turn(w);
}

static gpointer work(gpointer user)
{
    Worker *w = user;
    EventStream *s = w->stream;
    gboolean is_event = FALSE, goes_on = TRUE;

    while (goes_on) {
        clear_items(w);
        pthread_mutex_lock(&s->reading);
        goes_on = !is_stopped(s) && begin_piece(w, &is_event);
        pthread_mutex_unlock(&s->reading);
        if (goes_on && is_event)
            read_piece(w);
        else if (goes_on)
            await_turn(w); /* never comes: the other one takes the text */
    }
    return NULL;
}

static void init_worker(EventStream *s, Worker *w, guint64 offset)
{
    w->stream = s;
    w->reader = event_reader_new(s->source, offset, 2 * s->piece_bytes);
    w->arena = g_malloc(ARENA_BYTES);
    w->items = g_new(Item, ITEMS_MAX);
    event_reader_set_owner(w->reader, (PieceOwner){w, await_turn, read_on});
}

static void clear_worker(Worker *w)
{
    clear_items(w);
    event_reader_free(w->reader);
    g_free(w->arena);
    g_free(w->items);
}

/* One alone until it knows what events look like. */
static void read_by_two(EventStream *s)
{
    Worker *own = &s->workers[0], *other = &s->workers[1];
    pthread_t thread;
    gboolean has_thread;

    own->has_turn = TRUE;
    s->reader = own->reader;
    read_piece(own);
    if (is_stopped(s))
        return;
    event_reader_learn(other->reader, own->reader);
    has_thread = strobe_thread_start(&thread, work, other) == 0;
    work(own);
    if (has_thread)
        pthread_join(thread, NULL);
}

void event_stream_read_by_two(ByteSource *source, guint64 offset, gsize piece_bytes,
                              EventTaker take, void *user)
{
    EventStream s = {.source = source,
                     .take = take,
                     .user = user,
                     .offset = offset,
                     .piece_bytes = piece_bytes,
                     .rest = g_byte_array_new()};

    if (offset)
        byte_source_skip(source, offset);
    pthread_mutex_init(&s.reading, NULL);
    pthread_mutex_init(&s.lock, NULL);
    pthread_cond_init(&s.changed, NULL);
    for (guint i = 0; i < 2; i++)
        init_worker(&s, &s.workers[i], offset);
    read_by_two(&s);
    for (guint i = 0; i < 2; i++)
        clear_worker(&s.workers[i]);
    pthread_cond_destroy(&s.changed);
    pthread_mutex_destroy(&s.lock);
    pthread_mutex_destroy(&s.reading);
    g_byte_array_unref(s.rest);
}
