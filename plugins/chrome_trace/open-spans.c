/* SPDX-License-Identifier: Apache-2.0 */
#include "open-spans.h"

#include "trace-equal-spans.h"

#include <strobe/helpers/keyed-hash.h>

#define OPEN_MAX 1000000u
#define OPEN_BYTES_MAX (32u << 20) /* maximum size of the keys and arguments of all open spans */
/* maximum number of ends that wait for their begin; at most ENDS_OF_KEY_MAX of them have the same
 * key */
#define ENDS_MAX 65536u
#define ENDS_OF_KEY_MAX 64u
/* maximum number of begins with the same key that are examined for an end */
#define BEGINS_LOOKED_AT 64u
#define END_BYTES_MAX (16u << 20)
#define NEVER_BEGAN "an end of a span that never began"

struct OpenSpans {
    guint64 n;         /* number of open spans, of threads and asynchronous ones */
    guint64 n_begun;   /* number of asynchronous spans that have begun so far */
    gsize bytes;       /* size of the open spans' keys and arguments */
    guint n_ends;      /* number of ends that wait for their begin */
    gsize end_bytes;   /* size of the keys and arguments of the waiting ends */
    GHashTable *async; /* "category\1id\1name\1process" -> GArray of Pending */
    GHashTable *ends;  /* the same keys -> GArray of Ended */
};

typedef struct Pending {
    Begun begun;
    Row *row;
    guint64 number; /* number of the span in the order of the begins */
} Pending;

/* The end of an asynchronous span that comes before its begin in the file, because another thread
 * wrote the begin. */
typedef struct Ended {
    char *arguments; /* JSON without the last brace, as in Begun */
    Stacks stacks;
    gint64 time;
    guint64 offset;
    gsize bytes;
} Ended;

static void clear_ended(gpointer data)
{
    g_free(((Ended *)data)->arguments);
}

static void unref_array(gpointer array)
{
    g_array_unref(array);
}

OpenSpans *open_spans_new(void)
{
    OpenSpans *open = g_new0(OpenSpans, 1);

    open->async = g_hash_table_new_full(strobe_hash_of_text, g_str_equal, g_free, unref_array);
    open->ends = g_hash_table_new_full(strobe_hash_of_text, g_str_equal, g_free, unref_array);
    return open;
}

void open_spans_free(OpenSpans *open)
{
    if (!open)
        return;
    g_hash_table_unref(open->async);
    g_hash_table_unref(open->ends);
    g_free(open);
}

static gboolean is_of_thread(const Event *event)
{
    return event->phase.text[0] == 'B' || event->phase.text[0] == 'E';
}

static Begun make_begun(Import *import, const Event *event, gint64 time)
{
    return (Begun){.name = import_intern(import, &event->name),
                   .category = import_intern(import, &event->category),
                   .arguments = import_arguments(import, event),
                   .id = import_intern(import, &event->id),
                   .stacks = stacks_of_event(import, event),
                   .begin = time,
                   .phase = event->phase.text[0]};
}

/* Returns whether the id is valid only in its process, for example {"local": "0x1"}. */
static gboolean is_local(const StrobeJsonValue *id)
{
    return id->type == STROBE_JSON_OBJECT && memmem(id->text, id->length, "\"local\"", 7);
}

static char *key_of(Import *import, const Event *event)
{
    const StrobeJsonValue none = {0};
    const StrobeJsonValue *parts[] = {&event->category, &event->id, &event->name,
                                      is_local(&event->id) ? &event->pid : &none};
    GString *text = import->text;

    g_string_truncate(text, 0);
    for (guint i = 0; i < G_N_ELEMENTS(parts); i++) {
        value_append(parts[i], text);
        g_string_append_c(text, '\1');
    }
    return g_strdup(text->str);
}

static gsize length_of(const char *text)
{
    return text ? strlen(text) : 0;
}

static struct chrome_trace_span *emit_span(Import *import, Row *row, Begun *begun, gint64 end)
{
    const char phase[2] = {begun->phase, 0};
    StrobeStringId arguments = 0;
    struct chrome_trace_span *fields;

    if (begun->arguments) {
        g_autofree char *whole = g_strconcat(begun->arguments, "}", NULL);

        arguments = import_intern_text(import, whole);
        g_clear_pointer(&begun->arguments, g_free);
    }
    if (begun->phase == 'B') /* the row's waiting spans began after it and are inside it */
        equal_spans_flush(import, row);
    fields = import_emit(import, RECORD_SPAN, rows_track(import->rows, row), begun->name,
                         begun->begin, MAX(begun->begin, end));
    if (!fields)
        return NULL;
    fields->category = begun->category;
    fields->id = begun->id;
    fields->arguments = arguments;
    fields->phase = import_intern_text(import, phase);
    fields->stack = begun->stacks.begin;
    begun->stacks.begin = 0;
    return fields;
}

/* Emits the stacks for which the span's record has no field. Must be called after the record's
 * fields are filled. */
static void emit_stacks(Import *import, Row *row, const Begun *begun, const Stacks *stacks,
                        gint64 end)
{
    stacks_emit(import, stacks, rows_track(import->rows, row), begun->name, begun->begin,
                MAX(begun->begin, end));
}

/* Joins the arguments of the begin and of the end to one object. Frees `own`. */
static void join_arguments(Begun *begun, char *own)
{
    char *joined;

    if (own && begun->arguments) {
        joined = g_strconcat(begun->arguments, ", ", own + 1, NULL);
        g_free(begun->arguments);
        g_free(own);
        begun->arguments = joined;
    } else if (own) {
        begun->arguments = own;
    }
}

static Ended make_ended(Import *import, const Event *event, gint64 time)
{
    Ended ended = {.arguments = import_arguments(import, event),
                   .stacks = stacks_of_event(import, event),
                   .time = time,
                   .offset = event->offset};

    /* the event that ends the span has its own stack */
    if (ended.stacks.begin && !ended.stacks.end)
        ended.stacks = (Stacks){0, ended.stacks.begin};
    return ended;
}

/* Ends one span: emits it, and frees the arguments of `begun` and of `ended`. */
static void end_one(Import *import, Row *row, const Event *event, Begun *begun, Ended *ended)
{
    if (ended->time < begun->begin)
        import_damage(import, event, "a span ends before it begins");
    join_arguments(begun, g_steal_pointer(&ended->arguments));
    emit_span(import, row, begun, ended->time);
    emit_stacks(import, row, begun, &begun->stacks, ended->time);
    emit_stacks(import, row, begun, &ended->stacks, ended->time);
}

static void forget_span(OpenSpans *open, gsize bytes)
{
    open->n--;
    open->bytes -= bytes;
}

static void end_of_thread(Import *import, Row *row, const Event *event, gint64 time)
{
    Begun begun;
    Ended ended;

    if (!row->begun || row->begun->len == 0) {
        import_damage(import, event, NEVER_BEGAN);
        return;
    }
    begun = g_array_index(row->begun, Begun, row->begun->len - 1);
    g_array_set_size(row->begun, row->begun->len - 1);
    forget_span(import->open, begun.bytes);
    ended = make_ended(import, event, time);
    end_one(import, row, event, &begun, &ended);
}

/* Returns whether another span may be open. If not, reports damage. */
static gboolean has_room(Import *import, const Event *event, gsize bytes)
{
    OpenSpans *open = import->open;

    if (open->n == OPEN_MAX || open->bytes + bytes > OPEN_BYTES_MAX) {
        import_damage(import, event, "too many spans are open");
        return FALSE;
    }
    open->n++;
    open->bytes += bytes;
    return TRUE;
}

/* Returns the array of a key in `table`, and adds it if necessary. The table takes ownership of the
 * key. */
static GArray *array_of(GHashTable *table, char *key, guint size)
{
    GArray *array = g_hash_table_lookup(table, key);

    if (array) {
        g_free(key);
        return array;
    }
    array = g_array_new(FALSE, FALSE, size);
    g_hash_table_insert(table, key, array);
    return array;
}

/* Finds and removes the earliest end at or after `time` among the ends that wait for their begin.
 * Returns FALSE if there is none. */
static gboolean take_ended(OpenSpans *open, const char *key, gint64 time, Ended *ended)
{
    GArray *array = g_hash_table_lookup(open->ends, key);
    guint best = G_MAXUINT;

    for (guint i = 0; array && i < array->len; i++) {
        gint64 its = g_array_index(array, Ended, i).time;

        if (its >= time && (best == G_MAXUINT || its < g_array_index(array, Ended, best).time))
            best = i;
    }
    if (best == G_MAXUINT)
        return FALSE;
    *ended = g_array_index(array, Ended, best);
    g_array_index(array, Ended, best).arguments = NULL;
    g_array_remove_index_fast(array, best);
    if (array->len == 0)
        g_hash_table_remove(open->ends, key);
    open->n_ends--;
    open->end_bytes -= ended->bytes;
    return TRUE;
}

static void begin_async(Import *import, Row *row, const Event *event, Begun *begun)
{
    OpenSpans *open = import->open;
    char *key = key_of(import, event);
    Pending pending = {.row = row};
    Ended ended;

    begun->bytes = length_of(begun->arguments) + strlen(key);
    if (take_ended(open, key, begun->begin, &ended)) {
        end_one(import, row, event, begun, &ended);
        g_free(key);
    } else if (has_room(import, event, begun->bytes)) {
        pending.begun = *begun;
        pending.number = open->n_begun++;
        g_array_append_val(array_of(open->async, key, sizeof pending), pending);
    } else {
        g_free(begun->arguments);
        g_free(key);
    }
}

void open_spans_begin(Import *import, Row *row, const Event *event, gint64 time)
{
    Begun begun = make_begun(import, event, time);

    if (!is_of_thread(event)) {
        begin_async(import, row, event, &begun);
        return;
    }
    begun.bytes = length_of(begun.arguments);
    if (!has_room(import, event, begun.bytes)) {
        g_free(begun.arguments);
        return;
    }
    if (!row->begun)
        row->begun = g_array_new(FALSE, FALSE, sizeof(Begun));
    g_array_append_val(row->begun, begun);
}

static gboolean is_kept(const OpenSpans *open, const char *key, gsize bytes)
{
    const GArray *array = g_hash_table_lookup(open->ends, key);

    return open->n_ends < ENDS_MAX && open->end_bytes + bytes <= END_BYTES_MAX &&
           (!array || array->len < ENDS_OF_KEY_MAX);
}

/* Stores an end, because its begin may follow in the file. Takes ownership of the end's
 * arguments. */
static void keep_end(Import *import, const Event *event, const char *key, Ended *ended)
{
    OpenSpans *open = import->open;
    GArray *array;

    ended->bytes = length_of(ended->arguments) + strlen(key);
    if (!is_kept(open, key, ended->bytes)) {
        import_damage(import, event, NEVER_BEGAN);
        g_free(ended->arguments);
        return;
    }
    array = array_of(open->ends, g_strdup(key), sizeof *ended);
    g_array_set_clear_func(array, clear_ended);
    open->n_ends++;
    open->end_bytes += ended->bytes;
    g_array_append_vals(array, ended, 1);
}

/* Removes the last begin that is not after `time`, and sets `pending` to it. Returns FALSE if there
 * is none. */
static gboolean take_pending(OpenSpans *open, const char *key, gint64 time, Pending *pending)
{
    GArray *array = g_hash_table_lookup(open->async, key);
    guint n = array ? array->len : 0, least = n - MIN(n, BEGINS_LOOKED_AT);

    while (n > least && g_array_index(array, Pending, n - 1).begun.begin > time)
        n--;
    if (n == least)
        return FALSE;
    *pending = g_array_index(array, Pending, n - 1);
    g_array_remove_index(array, n - 1);
    if (array->len == 0)
        g_hash_table_remove(open->async, key);
    return TRUE;
}

void open_spans_end(Import *import, Row *row, const Event *event, gint64 time)
{
    OpenSpans *open = import->open;
    Pending pending;
    Ended ended;

    if (is_of_thread(event)) {
        end_of_thread(import, row, event, time);
        return;
    }
    g_autofree char *key = key_of(import, event);
    ended = make_ended(import, event, time);
    if (!take_pending(open, key, time, &pending)) {
        keep_end(import, event, key, &ended);
        return;
    }
    forget_span(open, pending.begun.bytes);
    end_one(import, pending.row, event, &pending.begun, &ended);
}

/* ---- spans that never end ---- */

static void finish_one(Import *import, Row *row, Begun *begun)
{
    struct chrome_trace_span *fields =
        import->is_full ? NULL : emit_span(import, row, begun, import->last);

    if (fields) {
        fields->unfinished = 1;
        emit_stacks(import, row, begun, &begun->stacks, begun->begin);
    }
    g_clear_pointer(&begun->arguments, g_free);
}

static void finish_row(Import *import, Row *row, gpointer user)
{
    for (guint i = row->begun ? row->begun->len : 0; i-- > 0;)
        finish_one(import, row, &g_array_index(row->begun, Begun, i));
}

static gint latest_first(gconstpointer a, gconstpointer b)
{
    const Pending *x = *(Pending *const *)a, *y = *(Pending *const *)b;

    return x->number < y->number ? 1 : -1;
}

/* Returns the open asynchronous spans, sorted, because the hash table has no order. */
static GPtrArray *sorted_async(const OpenSpans *open)
{
    GPtrArray *sorted = g_ptr_array_new();
    GHashTableIter iter;
    gpointer array;

    g_hash_table_iter_init(&iter, open->async);
    while (g_hash_table_iter_next(&iter, NULL, &array))
        for (guint i = 0; i < ((GArray *)array)->len; i++)
            g_ptr_array_add(sorted, &g_array_index((GArray *)array, Pending, i));
    g_ptr_array_sort(sorted, latest_first);
    return sorted;
}

static gint first_first(gconstpointer a, gconstpointer b)
{
    const guint64 x = *(const guint64 *)a, y = *(const guint64 *)b;

    return x < y ? -1 : x > y;
}

/* Reports the ends that still wait for their begin, in the order of the file. */
static void tell_ends(Import *import)
{
    g_autofree Event *event = g_new0(Event, 1);
    g_autoptr(GArray) offsets = g_array_new(FALSE, FALSE, sizeof(guint64));
    GHashTableIter iter;
    gpointer array;

    g_hash_table_iter_init(&iter, import->open->ends);
    while (g_hash_table_iter_next(&iter, NULL, &array))
        for (guint i = 0; i < ((GArray *)array)->len; i++)
            g_array_append_val(offsets, g_array_index((GArray *)array, Ended, i).offset);
    g_array_sort(offsets, first_first);
    for (guint i = 0; i < offsets->len; i++) {
        event->offset = g_array_index(offsets, guint64, i);
        import_damage(import, event, NEVER_BEGAN);
    }
}

void open_spans_finish(Import *import)
{
    g_autofree char *reason = NULL;
    g_autoptr(GPtrArray) async = NULL;

    tell_ends(import);
    if (import->open->n == 0)
        return;
    rows_for_each(import->rows, finish_row, NULL);
    async = sorted_async(import->open);
    for (guint i = 0; i < async->len; i++) {
        Pending *pending = async->pdata[i];

        finish_one(import, pending->row, &pending->begun);
    }
    reason = g_strdup_printf("%" G_GUINT64_FORMAT " spans never end", import->open->n);
    import->host->damage(import->self, import->part, reason);
}
