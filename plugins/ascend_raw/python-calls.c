/* SPDX-License-Identifier: Apache-2.0 */
/* Reads torch.python_tracer_func: replays the calls of Python and C functions, thread by thread. */
#include <errno.h>
#include <string.h>
#include <strobe/helpers/keyed-hash.h>

#include "framework-files.h"
#include "python-names.h"

#define EVENT_BYTES 33u
#define TELL_EVERY 65536u
#define LATE_MAX 65536u  /* maximum number of late events, which are kept in memory */
#define DEPTH_MAX 65536u /* maximum nesting depth; deeper calls are only counted */
#define THREADS_MAX 65536u

enum { PYTHON_CALL, PYTHON_RETURN, C_CALL, C_RETURN };

typedef struct Event {
    guint64 time, thread, pid, key;
    guint8 tag;
} Event;

typedef struct Frame {
    guint64 id, parent;
    guint64 begin; /* time in the raw clock */
    StrobeStringId name;
    gint64 module; /* STROBE_ABSENT_I64: the call is of no module */
} Frame;

typedef struct Thread {
    guint64 number, pid;
    StrobeTrackId track;
    GArray *stack;    /* elements of type Frame */
    guint64 n_deeper; /* number of open calls that are nested deeper than DEPTH_MAX */
    guint64 n_events; /* number of replayed events */
    guint64 last;     /* time of the latest event */
    /* index of the thread's next late event in Python.late, and number of its late events */
    guint late, n_late;
} Thread;

/* An event to be sorted. `thread` is Thread.number. */
typedef struct SortedEvent {
    guint64 thread, time, key, tag;
} SortedEvent;

/* The shown name of a module in a thread. */
typedef struct ModuleName {
    gint64 number;
    StrobeStringId name;
} ModuleName;

typedef struct Python {
    Raw *raw;
    PythonNames *names;
    GPtrArray *threads;    /* elements of type Thread */
    GHashTable *by_number; /* thread and pid -> Thread */
    GHashTable *modules;   /* thread and module -> ModuleName */
    GHashTable *classes;   /* thread and class -> number of the class's modules */
    /* elements of type SortedEvent: events that are earlier than a previous event of their thread
     * in the file */
    GArray *late;
    guint64 n_too_deep, n_strange, n_threads_lost;
} Python;

static void read_event(const guchar *at, Event *event)
{
    event->time = raw_u64(at);
    event->thread = raw_u64(at + 8);
    event->pid = raw_u64(at + 16);
    event->key = raw_u64(at + 24);
    event->tag = at[32];
}

/* ---- threads ---- */

/* Two numbers that are the key of a hash table. */
typedef struct Pair {
    guint64 a, b;
} Pair;

static guint hash_pair(gconstpointer key)
{
    const Pair *pair = key;

    return (guint)strobe_hash_pair(strobe_hash_key(), pair->a, pair->b);
}

static gboolean equal_pairs(gconstpointer a, gconstpointer b)
{
    return memcmp(a, b, sizeof(Pair)) == 0;
}

static void free_thread(gpointer data)
{
    Thread *thread = data;

    g_array_unref(thread->stack);
    g_free(thread);
}

static Thread *thread_of(Python *p, const Event *event)
{
    const Pair key = {event->thread, event->pid};
    Thread *thread = g_hash_table_lookup(p->by_number, &key);

    if (thread)
        return thread;
    if (p->threads->len == THREADS_MAX) {
        p->n_threads_lost++;
        return NULL;
    }
    thread = g_new0(Thread, 1);
    thread->number = p->threads->len;
    thread->pid = event->pid;
    thread->track = raw_thread_track(p->raw, event->pid, event->thread);
    thread->stack = g_array_new(FALSE, FALSE, sizeof(Frame));
    g_ptr_array_add(p->threads, thread);
    g_hash_table_insert(p->by_number, g_memdup2(&key, sizeof key), thread);
    return thread;
}

/* ---- names ---- */

/* Returns the module's name in the thread. Numbers the modules of a class in the order in which
 * they first appear in the thread. */
static const ModuleName *module_of(Python *p, const Thread *thread, const PythonName *name)
{
    const char *class = python_names_class(p->names, name->module);
    const Pair key = {thread->number, name->module};
    const Pair class_key = {thread->number, (guintptr) class};
    ModuleName *known = g_hash_table_lookup(p->modules, &key);
    guint count;

    if (known)
        return known;
    count = GPOINTER_TO_UINT(g_hash_table_lookup(p->classes, &class_key));
    g_hash_table_insert(p->classes, g_memdup2(&class_key, sizeof class_key),
                        GUINT_TO_POINTER(count + 1));
    g_autofree char *text = g_strdup_printf("nn.Module: %s_%u", class, count);
    known = g_new0(ModuleName, 1);
    known->number = count;
    known->name = raw_intern(p->raw, text);
    g_hash_table_insert(p->modules, g_memdup2(&key, sizeof key), known);
    return known;
}

static void name_frame(Python *p, const Thread *thread, guint64 key, Frame *frame)
{
    const PythonName *name = python_names_find(p->names, key);
    char number[24];

    frame->module = STROBE_ABSENT_I64;
    if (!name) {
        g_snprintf(number, sizeof number, "%" G_GUINT64_FORMAT, key);
        frame->name = text_cache_string(p->raw->texts, number, strlen(number));
    } else if (name->module == NO_MODULE) {
        frame->name = name->text;
    } else {
        const ModuleName *module = module_of(p, thread, name);

        frame->module = module->number;
        frame->name = module->name;
    }
}

/* ---- replay ---- */

static void emit_frame(Python *p, const Thread *thread, const Frame *frame, guint64 end)
{
    const RawClock *clock = &p->raw->clock;
    struct strobe_python_call *fields =
        raw_emit(p->raw, RAW_PYTHON_CALL, thread->track, frame->name,
                 raw_clock_ns_unsigned(clock, frame->begin), raw_clock_ns_unsigned(clock, end));

    if (!fields)
        return;
    fields->id = frame->id;
    fields->parent = frame->parent;
    fields->module = frame->module;
}

static void push_frame(Python *p, Thread *thread, guint64 index, guint64 time, guint64 key)
{
    Frame frame = {.id = index, .begin = time};

    if (thread->stack->len == DEPTH_MAX) {
        thread->n_deeper++;
        p->n_too_deep++;
        return;
    }
    if (thread->stack->len)
        frame.parent = g_array_index(thread->stack, Frame, thread->stack->len - 1).id;
    name_frame(p, thread, key, &frame);
    g_array_append_val(thread->stack, frame);
}

/* Ends the innermost frame. Does not compare its name. */
static void pop_frame(Python *p, Thread *thread, guint64 time)
{
    guint n = thread->stack->len;

    if (thread->n_deeper) {
        thread->n_deeper--;
    } else if (n) {
        emit_frame(p, thread, &g_array_index(thread->stack, Frame, n - 1), time);
        g_array_set_size(thread->stack, n - 1);
    }
}

static void replay_event(Python *p, Thread *thread, guint64 time, guint64 key, guint64 tag)
{
    guint64 index = thread->n_events++;

    if (tag == PYTHON_CALL || tag == C_CALL)
        push_frame(p, thread, index, time, key);
    else if (tag == PYTHON_RETURN || tag == C_RETURN)
        pop_frame(p, thread, time);
    else
        p->n_strange++;
}

/* Ends the frames that are still open, with the time of the thread's last event. */
static void finish_thread(Python *p, Thread *thread)
{
    thread->n_deeper = 0;
    while (thread->stack->len && !p->raw->is_full)
        pop_frame(p, thread, thread->last);
}

/* ---- order ---- */

/* Collects the late events: events of frames that were open at the start are at the end of the
 * file; all other events of a thread are in order. Returns FALSE if too many events are out of
 * order. */
static gboolean find_late(Python *p, ByteStream *stream)
{
    const guchar *at;
    Event event;

    for (; (at = byte_stream_peek(stream, EVENT_BYTES)); byte_stream_skip(stream, EVENT_BYTES)) {
        Thread *thread;

        read_event(at, &event);
        thread = thread_of(p, &event);
        if (thread && event.time < thread->last) {
            const SortedEvent late = {thread->number, event.time, event.key, event.tag};

            g_array_append_val(p->late, late);
        } else if (thread) {
            thread->last = event.time;
        }
        if (p->late->len > LATE_MAX)
            return FALSE;
    }
    return TRUE;
}

static gint compare_late(gconstpointer x, gconstpointer y)
{
    const SortedEvent *a = x, *b = y;

    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return a->time < b->time ? -1 : a->time > b->time;
}

static void sort_late(Python *p)
{
    /* the sort is stable, so events with equal times keep their order */
    g_array_sort(p->late, compare_late);
    for (guint i = p->late->len; i-- > 0;) {
        const SortedEvent *late = &g_array_index(p->late, SortedEvent, i);
        Thread *thread = g_ptr_array_index(p->threads, late->thread);

        thread->late = i;
        thread->n_late++;
    }
}

/* Replays the thread's late events before `time`; with `all`, replays all of them. */
static void replay_late(Python *p, Thread *thread, guint64 time, gboolean all)
{
    while (thread->n_late) {
        const SortedEvent *late = &g_array_index(p->late, SortedEvent, thread->late);

        if (!all && late->time >= time)
            return;
        replay_event(p, thread, late->time, late->key, late->tag);
        thread->late++;
        thread->n_late--;
    }
}

static void replay_file(Python *p, ByteStream *stream)
{
    const guchar *at;
    guint64 n = 0;
    Event event;

    for (guint i = 0; i < p->threads->len; i++)
        ((Thread *)g_ptr_array_index(p->threads, i))->last = 0;
    for (; !p->raw->is_full && (at = byte_stream_peek(stream, EVENT_BYTES));
         byte_stream_skip(stream, EVENT_BYTES)) {
        Thread *thread;

        read_event(at, &event);
        thread = thread_of(p, &event);
        if (++n % TELL_EVERY == 0)
            raw_progress(p->raw, stream);
        if (!thread || event.time < thread->last)
            continue; /* replay_late replays late events */
        replay_late(p, thread, event.time, FALSE);
        replay_event(p, thread, event.time, event.key, event.tag);
        thread->last = event.time;
    }
    for (guint i = 0; i < p->threads->len && !p->raw->is_full; i++) {
        Thread *thread = g_ptr_array_index(p->threads, i);

        replay_late(p, thread, 0, TRUE);
        finish_thread(p, thread);
    }
}

/* ---- a file that is out of order ---- */

static int sort_events(Python *p, ByteStream *stream, StrobeExternalSorter *sorter)
{
    const guchar *at;
    int error = 0;
    Event event;

    for (; !error && (at = byte_stream_peek(stream, EVENT_BYTES));
         byte_stream_skip(stream, EVENT_BYTES)) {
        read_event(at, &event);
        const Thread *thread = thread_of(p, &event);
        if (!thread)
            continue;
        const SortedEvent sorted = {thread->number, event.time, event.key, event.tag};
        const StrobeSortKey key = {thread->number, (gint64)(event.time ^ (guint64)1 << 63)};
        error = strobe_external_sorter_add(sorter, key, &sorted, sizeof sorted);
    }
    return error;
}

static void replay_events(Python *p, StrobeExternalSorter *sorter)
{
    Thread *thread = NULL; /* thread of the last event */
    const SortedEvent *event;
    size_t length;

    while (!p->raw->is_full && (event = strobe_external_sorter_next(sorter, &length))) {
        if (thread && thread->number != event->thread)
            finish_thread(p, thread);
        thread = g_ptr_array_index(p->threads, event->thread);
        thread->last = event->time;
        replay_event(p, thread, event->time, event->key, event->tag);
    }
    if (thread)
        finish_thread(p, thread);
}

/* Sorts the whole file by thread and time, and replays one thread after the other. */
static void replay_sorted(Python *p, ByteStream *stream)
{
    Raw *raw = p->raw;
    StrobeExternalSorter *sorter = raw_sorter(raw);

    if (!sort_events(p, stream, sorter))
        replay_events(p, sorter);
    if (strobe_external_sorter_error(sorter))
        raw_damage(raw, raw->files.files[RAW_TRACER_FUNC].name, "cannot be sorted: %s",
                   g_strerror(strobe_external_sorter_error(sorter)));
    strobe_external_sorter_free(sorter);
}

/* ---- the file ---- */

static void report_damage(const Python *p, const RawFile *file, const ByteStream *stream)
{
    if (p->n_too_deep)
        raw_damage(p->raw, file->name, "%" G_GUINT64_FORMAT " calls inside %u others are left out",
                   p->n_too_deep, DEPTH_MAX);
    if (p->n_strange)
        raw_damage(p->raw, file->name, "%" G_GUINT64_FORMAT " events of unknown tags",
                   p->n_strange);
    if (p->n_threads_lost)
        raw_damage(p->raw, file->name, "events of threads beyond the first %u are left out",
                   THREADS_MAX);
    raw_tell_stream(p->raw, file, stream, stream->size / EVENT_BYTES);
}

static void import_calls(Python *p, const RawFile *file)
{
    ByteStream stream;
    gboolean is_orderly;

    byte_stream_init(&stream, file->fd);
    is_orderly = find_late(p, &stream);
    byte_stream_rewind(&stream);
    if (is_orderly) {
        sort_late(p);
        replay_file(p, &stream);
    } else {
        replay_sorted(p, &stream);
    }
    report_damage(p, file, &stream);
    byte_stream_clear(&stream);
}

void python_calls_import(Raw *raw)
{
    const RawFile *file = &raw->files.files[RAW_TRACER_FUNC];
    Python p = {.raw = raw};

    if (!file->name && !raw->files.files[RAW_TRACER_HASH].name)
        return;
    p.names = python_names_new(raw);
    p.threads = g_ptr_array_new_with_free_func(free_thread);
    p.by_number = g_hash_table_new_full(hash_pair, equal_pairs, g_free, NULL);
    p.modules = g_hash_table_new_full(hash_pair, equal_pairs, g_free, g_free);
    p.classes = g_hash_table_new_full(hash_pair, equal_pairs, g_free, NULL);
    p.late = g_array_new(FALSE, FALSE, sizeof(SortedEvent));
    if (file->name)
        import_calls(&p, file);
    python_names_free(p.names);
    g_ptr_array_unref(p.threads);
    g_hash_table_unref(p.by_number);
    g_hash_table_unref(p.modules);
    g_hash_table_unref(p.classes);
    g_array_unref(p.late);
}
