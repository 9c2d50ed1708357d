/* SPDX-License-Identifier: Apache-2.0 */
#include "open-spans.h"

#include <strobe/helpers/keyed-hash.h>

#define OPEN_MAX 1000000u
#define OPEN_BYTES_MAX (32u << 20) /* of what waits for the end of a span */

struct OpenSpans {
    guint64 n;         /* under way, of both sorts */
    guint64 n_begun;   /* of async ones, ever */
    gsize bytes;       /* of their keys and arguments */
    GHashTable *async; /* "category\1id\1name" to GArray of Pending */
};

typedef struct Pending {
    Begun begun;
    Row *row;
    guint64 number; /* in order of the begins */
} Pending;

static void unref_array(gpointer array)
{
    g_array_unref(array);
}

OpenSpans *open_spans_new(void)
{
    OpenSpans *open = g_new0(OpenSpans, 1);

    open->async = g_hash_table_new_full(strobe_hash_of_text, g_str_equal, g_free, unref_array);
    return open;
}

void open_spans_free(OpenSpans *open)
{
    if (!open)
        return;
    g_hash_table_unref(open->async);
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

static char *key_of(Import *import, const Event *event)
{
    const Slice *parts[] = {&event->category, &event->id, &event->name};
    GString *text = import->text;

    g_string_truncate(text, 0);
    for (guint i = 0; i < G_N_ELEMENTS(parts); i++) {
        slice_append(parts[i], text);
        g_string_append_c(text, '\1');
    }
    return g_strdup(text->str);
}

static gsize length_of(const char *text)
{
    return text ? strlen(text) : 0;
}

void open_spans_begin(Import *import, Row *row, const Event *event, gint64 time)
{
    OpenSpans *open = import->open;
    Pending pending = {.row = row, .begun = make_begun(import, event, time)};
    char *key = is_of_thread(event) ? NULL : key_of(import, event);
    GArray *array;

    pending.begun.bytes = length_of(pending.begun.arguments) + length_of(key);
    if (open->n == OPEN_MAX || open->bytes + pending.begun.bytes > OPEN_BYTES_MAX) {
        import_damage(import, event, "too many spans are under way");
        g_free(pending.begun.arguments);
        g_free(key);
        return;
    }
    open->n++;
    open->bytes += pending.begun.bytes;
    if (!key) {
        if (!row->begun)
            row->begun = g_array_new(FALSE, FALSE, sizeof(Begun));
        g_array_append_val(row->begun, pending.begun);
        return;
    }
    array = g_hash_table_lookup(open->async, key);
    if (!array) {
        array = g_array_new(FALSE, FALSE, sizeof(Pending));
        g_hash_table_insert(open->async, key, array);
    } else {
        g_free(key);
    }
    pending.number = open->n_begun++;
    g_array_append_val(array, pending);
}

static struct chrome_trace_span *emit(Import *import, Row *row, Begun *begun, gint64 end)
{
    const char phase[2] = {begun->phase, 0};
    StrobeStringId arguments = 0;
    struct chrome_trace_span *fields;

    if (begun->arguments) {
        g_autofree char *whole = g_strconcat(begun->arguments, "}", NULL);

        arguments = import_intern_text(import, whole);
        g_clear_pointer(&begun->arguments, g_free);
    }
    fields = import_emit(import, SORT_SPAN, rows_track(import->rows, row), begun->name,
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

/* Stacks that its own record has no field for; it is filled. */
static void emit_stacks(Import *import, Row *row, const Begun *begun, const Stacks *stacks,
                        gint64 end)
{
    stacks_emit(import, stacks, rows_track(import->rows, row), begun->name, begun->begin,
                MAX(begun->begin, end));
}

/* The arguments of the begin and those of the end are one object. */
static void join_arguments(Import *import, const Event *event, Begun *begun)
{
    char *own = import_arguments(import, event), *joined;

    if (own && begun->arguments) {
        joined = g_strconcat(begun->arguments, ", ", own + 1, NULL);
        g_free(begun->arguments);
        g_free(own);
        begun->arguments = joined;
    } else if (own) {
        begun->arguments = own;
    }
}

static void end_one(Import *import, Row *row, const Event *event, Begun *begun, gint64 time)
{
    import->open->n--;
    import->open->bytes -= begun->bytes;
    if (time < begun->begin)
        import_damage(import, event, "a span ends before it begins");
    Stacks own = stacks_of_event(import, event);
    if (own.begin && !own.end) /* what the end's event calls its stack */
        own = (Stacks){0, own.begin};
    join_arguments(import, event, begun);
    emit(import, row, begun, time);
    emit_stacks(import, row, begun, &begun->stacks, time);
    emit_stacks(import, row, begun, &own, time);
}

static void end_of_thread(Import *import, Row *row, const Event *event, gint64 time)
{
    Begun begun;

    if (!row->begun || row->begun->len == 0) {
        import_damage(import, event, "an end of a span that never began");
        return;
    }
    begun = g_array_index(row->begun, Begun, row->begun->len - 1);
    g_array_set_size(row->begun, row->begun->len - 1);
    end_one(import, row, event, &begun, time);
}

void open_spans_end(Import *import, Row *row, const Event *event, gint64 time)
{
    OpenSpans *open = import->open;
    Pending pending;
    GArray *array;

    if (is_of_thread(event)) {
        end_of_thread(import, row, event, time);
        return;
    }
    g_autofree char *key = key_of(import, event);
    array = g_hash_table_lookup(open->async, key);
    if (!array) {
        import_damage(import, event, "an end of a span that never began");
        return;
    }
    pending = g_array_index(array, Pending, array->len - 1);
    g_array_set_size(array, array->len - 1);
    if (array->len == 0)
        g_hash_table_remove(open->async, key);
    end_one(import, pending.row, event, &pending.begun, time);
}

/* ---- what never ends ---- */

static void finish_one(Import *import, Row *row, Begun *begun)
{
    struct chrome_trace_span *fields =
        import->is_full ? NULL : emit(import, row, begun, import->last);

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

/* Those of the table, which has no order. */
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

void open_spans_finish(Import *import)
{
    g_autofree char *reason = NULL;
    g_autoptr(GPtrArray) async = NULL;

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
