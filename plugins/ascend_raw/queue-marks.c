/* SPDX-License-Identifier: Apache-2.0 */
/* Reads torch.op_mark: the enqueues and dequeues of the task queue. */
#include <errno.h>
#include <string.h>

#include "framework-files.h"
#include "open-marks.h"

#define MARK_BYTES 40u
#define TELL_EVERY 65536u

enum { ENQUEUE_START, ENQUEUE_END, DEQUEUE_START, DEQUEUE_END };
enum { FIELD_NAME = 1 };

/* Size of the table of enqueues that wait for the name of their dequeue, and of names that wait for
 * their enqueue. The queue is short and ids increase, so an enqueue and its dequeue are close to
 * each other. */
#define WINDOW (1u << 16)
#define PROBES 8u

typedef struct Waiting {
    guint64 id;
    guint64 number; /* order of arrival; 0: the entry is free */
    gint64 begin, end;
    StrobeTrackId track;    /* track of the enqueue */
    StrobeStringId dequeue; /* if this entry is of a dequeue: the name for its enqueue; else 0 */
} Waiting;

typedef struct QueueMarks {
    Raw *raw;
    OpenMarks *open;
    Waiting *waiting;
    guint64 n_waited, n_unmatched, n_strange;
    /* elements of type StrobeStringId, indexed by the id of the bare name */
    GArray *enqueue_names, *dequeue_names;
    StrobeStringId enqueue;
} QueueMarks;

/* A mark. Its time is converted later. */
typedef struct Mark {
    gint64 time;
    guint64 category, id, thread, pid;
    TlvText name;
    StrobeStringId bare; /* string id of `name` */
} Mark;

static gboolean read_mark(QueueMarks *q, const TlvRecord *record, Mark *mark)
{
    static const char nothing[TEXT_CACHE_MARGIN];
    static const TlvText none = {nothing, 0};

    mark->time = raw_i64(record->fixed);
    mark->category = raw_u64(record->fixed + 8);
    mark->id = raw_u64(record->fixed + 16);
    mark->thread = raw_u64(record->fixed + 24);
    mark->pid = raw_u64(record->fixed + 32);
    mark->name = record->present & 1u << FIELD_NAME ? record->fields[FIELD_NAME] : none;
    if (mark->category > DEQUEUE_END) {
        q->n_strange++;
        return FALSE;
    }
    mark->bare = text_cache_field(q->raw->texts, mark->name.bytes, mark->name.length);
    if (mark->bare && mark->bare == text_cache_invalid(q->raw->texts))
        mark->name = (TlvText){TEXT_CACHE_INVALID, strlen(TEXT_CACHE_INVALID)};
    return TRUE;
}

/* ---- names ---- */

/* Makes the name "Dequeue@<name>" or "Enqueue@<name>", once for each bare name. */
static void make_name(QueueMarks *q, GArray *names, const char *side, const Mark *mark)
{
    if (mark->bare < names->len && g_array_index(names, StrobeStringId, mark->bare))
        return;
    g_autoptr(GString) text = g_string_new(side);
    g_string_append_len(text, mark->name.bytes, (gssize)mark->name.length);
    if (mark->bare >= names->len)
        g_array_set_size(names, mark->bare + 1);
    g_array_index(names, StrobeStringId, mark->bare) =
        q->raw->host->intern(q->raw->self, text->str, text->len);
}

static void make_names(QueueMarks *q, const Mark *mark)
{
    make_name(q, q->dequeue_names, "Dequeue@", mark);
    make_name(q, q->enqueue_names, "Enqueue@", mark);
}

/* ---- joining the two sides ---- */

static void emit_side(QueueMarks *q, gboolean is_dequeue, StrobeTrackId track, StrobeStringId name,
                      gint64 begin, gint64 end, guint64 id)
{
    struct strobe_task_queue *fields = raw_emit(q->raw, RAW_TASK_QUEUE, track, name, begin, end);

    if (!fields)
        return;
    fields->correlation = id;
    fields->is_dequeue = is_dequeue;
}

static void let_go(QueueMarks *q, Waiting *w, StrobeStringId name)
{
    if (!w->number) /* the entry is free */
        return;
    if (!w->dequeue)
        emit_side(q, FALSE, w->track, name, w->begin, w->end, w->id);
    w->number = 0;
}

/* Returns an entry for the id. If no entry is free, first emits the entry that has waited longest,
 * without a name. */
static Waiting *place_for(QueueMarks *q, guint64 id)
{
    Waiting *oldest = NULL;

    for (guint i = 0; i < PROBES; i++) {
        Waiting *w = &q->waiting[(id + i) % WINDOW];

        if (!oldest || w->number < oldest->number)
            oldest = w;
    }
    let_go(q, oldest, q->enqueue);
    *oldest = (Waiting){.id = id, .number = ++q->n_waited};
    return oldest;
}

static void take_enqueue(QueueMarks *q, guint64 id, StrobeTrackId track, gint64 begin, gint64 end)
{
    Waiting *made;

    for (guint i = 0; i < PROBES; i++) {
        const Waiting *w = &q->waiting[(id + i) % WINDOW];

        if (w->number && w->id == id && w->dequeue) {
            emit_side(q, FALSE, track, w->dequeue, begin, end, id);
            return;
        }
    }
    made = place_for(q, id);
    made->track = track;
    made->begin = begin;
    made->end = end;
}

/* Emits the waiting enqueue with this id, with the name. Also stores the name for an enqueue that
 * comes later, because the enqueuing thread may mark its end after the dequeue has begun. */
static void take_dequeue(QueueMarks *q, guint64 id, StrobeStringId enqueue_name)
{
    gboolean is_known = FALSE;

    for (guint i = 0; i < PROBES; i++) {
        Waiting *w = &q->waiting[(id + i) % WINDOW];

        if (w->number && w->id == id && w->dequeue)
            is_known = TRUE; /* the name from an earlier dequeue with this id stays */
        else if (w->number && w->id == id)
            let_go(q, w, enqueue_name);
    }
    if (!is_known)
        place_for(q, id)->dequeue = enqueue_name;
}

/* ---- marks ---- */

static void take_end(QueueMarks *q, const Mark *mark, gint64 begin)
{
    const RawClock *clock = &q->raw->clock;
    StrobeTrackId track = raw_thread_track(q->raw, mark->pid, mark->thread);
    gint64 begin_ns = raw_clock_ns(clock, begin), end_ns = raw_clock_ns(clock, mark->time);

    if (mark->category == ENQUEUE_END) {
        take_enqueue(q, mark->id, track, begin_ns, end_ns);
        return;
    }
    make_names(q, mark);
    emit_side(q, TRUE, track, g_array_index(q->dequeue_names, StrobeStringId, mark->bare), begin_ns,
              end_ns, mark->id);
    take_dequeue(q, mark->id, g_array_index(q->enqueue_names, StrobeStringId, mark->bare));
}

/* Processes a mark. An end is paired with the latest start of the same thread and name, even if one
 * is of an enqueue and the other of a dequeue. Earlier starts are dropped. */
static void take_mark(QueueMarks *q, const Mark *mark)
{
    gint64 begin;

    if (mark->category == ENQUEUE_START || mark->category == DEQUEUE_START) {
        if (!open_marks_put(q->open, mark->thread, mark->bare, mark->time))
            q->n_unmatched++;
    } else if (open_marks_take(q->open, mark->thread, mark->bare, &begin)) {
        take_end(q, mark, begin);
    } else {
        q->n_unmatched++;
    }
}

/* ---- the file ---- */

/* Returns whether the times of each thread never decrease, so that one pass can find all pairs. */
static gboolean is_in_order(TlvReader *reader)
{
    OpenMarks *last = open_marks_new();
    gboolean is_good = TRUE;
    TlvRecord record;

    while (is_good && tlv_next(reader, &record)) {
        gint64 time = raw_i64(record.fixed), before;
        guint64 thread = raw_u64(record.fixed + 24);

        is_good = (!open_marks_take(last, thread, 0, &before) || before <= time) &&
                  open_marks_put(last, thread, 0, time);
    }
    open_marks_free(last);
    tlv_rewind(reader);
    return is_good;
}

static void read_in_order(QueueMarks *q, TlvReader *reader)
{
    TlvRecord record;
    Mark mark;

    while (!q->raw->is_full && tlv_next(reader, &record)) {
        if (read_mark(q, &record, &mark))
            take_mark(q, &mark);
        if (reader->n_records % TELL_EVERY == 0)
            raw_progress(q->raw, &reader->stream);
    }
}

/* ---- a file that is out of order ---- */

/* Packs the string id of a mark's name, the index of its thread in `threads`, and its category into
 * one word. */
#define THREAD_BITS 32
#define CATEGORY_BITS 2

static guint64 pack_mark(QueueMarks *q, const Mark *mark, GArray *threads, OpenMarks *known)
{
    gint64 index;

    /* the key has only the lower half of the process id, so the whole id is compared, which may be
     * damaged */
    if (!open_marks_take(known, mark->thread, (guint32)mark->pid, &index) ||
        g_array_index(threads, Mark, index).pid != mark->pid) {
        index = threads->len;
        g_array_append_val(threads, *mark);
    }
    open_marks_put(known, mark->thread, (guint32)mark->pid, index);
    if (mark->category == ENQUEUE_END || mark->category == DEQUEUE_END)
        make_names(q, mark);
    return (guint64)mark->bare << (THREAD_BITS + CATEGORY_BITS) | (guint64)index << CATEGORY_BITS |
           mark->category;
}

/* A mark in the form in which it is sorted. */
typedef struct SortedMark {
    gint64 time;
    guint64 id, packed;
} SortedMark;

/* State for packing and unpacking sorted marks. */
typedef struct Sorted {
    QueueMarks *q;
    GArray *threads; /* elements of type Mark: the first mark of each thread */
    OpenMarks *known;
} Sorted;

static void unpack_mark(const SortedMark *sorted, const GArray *threads, Mark *mark)
{
    guint64 index = sorted->packed >> CATEGORY_BITS & G_MAXUINT32;

    *mark = g_array_index(threads, Mark, index);
    mark->time = sorted->time;
    mark->id = sorted->id;
    mark->category = sorted->packed & (((guint64)1 << CATEGORY_BITS) - 1);
    mark->bare = (guint32)(sorted->packed >> (THREAD_BITS + CATEGORY_BITS));
}

static int sort_marks(Sorted *s, TlvReader *reader, StrobeExternalSorter *sorter)
{
    TlvRecord record;
    int error = 0;
    Mark mark;

    while (!error && tlv_next(reader, &record)) {
        if (!read_mark(s->q, &record, &mark))
            continue;
        const SortedMark sorted = {mark.time, mark.id,
                                   pack_mark(s->q, &mark, s->threads, s->known)};
        error = strobe_external_sorter_add(sorter, (StrobeSortKey){0, mark.time}, &sorted,
                                           sizeof sorted);
    }
    return error;
}

static void take_marks(const Sorted *s, StrobeExternalSorter *sorter)
{
    const SortedMark *sorted;
    size_t length;
    Mark mark;

    while (!s->q->raw->is_full && (sorted = strobe_external_sorter_next(sorter, &length))) {
        unpack_mark(sorted, s->threads, &mark);
        take_mark(s->q, &mark);
    }
}

static void read_sorted(QueueMarks *q, TlvReader *reader)
{
    StrobeExternalSorter *sorter = raw_sorter(q->raw);
    Sorted sorted = {q, g_array_new(FALSE, FALSE, sizeof(Mark)), open_marks_new()};

    if (!sort_marks(&sorted, reader, sorter))
        take_marks(&sorted, sorter);
    if (strobe_external_sorter_error(sorter))
        raw_damage(q->raw, q->raw->files.files[RAW_OP_MARK].name, "cannot be sorted: %s",
                   g_strerror(strobe_external_sorter_error(sorter)));
    open_marks_free(sorted.known);
    g_array_unref(sorted.threads);
    strobe_external_sorter_free(sorter);
}

static void finish_marks(QueueMarks *q, const TlvReader *reader)
{
    const RawFile *file = &q->raw->files.files[RAW_OP_MARK];

    for (guint i = 0; i < WINDOW && !q->raw->is_full; i++)
        let_go(q, &q->waiting[i], q->enqueue);
    if (q->n_unmatched)
        raw_damage(q->raw, file->name, "%" G_GUINT64_FORMAT " ends without a start, left out",
                   q->n_unmatched);
    if (q->n_strange)
        raw_damage(q->raw, file->name, "%" G_GUINT64_FORMAT " marks of unknown categories",
                   q->n_strange);
    raw_tell_tlv(q->raw, file, reader);
}

void queue_marks_import(Raw *raw)
{
    const RawFile *file = &raw->files.files[RAW_OP_MARK];
    QueueMarks q = {.raw = raw};
    TlvReader reader;

    if (!file->name)
        return;
    q.open = open_marks_new();
    q.waiting = g_new0(Waiting, WINDOW);
    q.enqueue_names = g_array_new(FALSE, TRUE, sizeof(StrobeStringId));
    q.dequeue_names = g_array_new(FALSE, TRUE, sizeof(StrobeStringId));
    q.enqueue = raw_intern(raw, "Enqueue");
    tlv_init(&reader, file->fd, MARK_BYTES);
    if (is_in_order(&reader))
        read_in_order(&q, &reader);
    else
        read_sorted(&q, &reader);
    finish_marks(&q, &reader);
    tlv_clear(&reader);
    open_marks_free(q.open);
    g_free(q.waiting);
    g_array_unref(q.enqueue_names);
    g_array_unref(q.dequeue_names);
}
