/* SPDX-License-Identifier: Apache-2.0 */
#include "begun-spans.h"

#include <string.h>

#define SPANS_MAX 65536u
#define BYTES_MAX (64u << 20) /* maximum size of all copied texts together */

typedef struct Begun {
    Row *row;
    gint64 begin;
    char *name, *category;
    gboolean has_category;
    gsize bytes;
    GArray *args; /* elements of type TraceArg, with copies of their texts */
} Begun;

struct BegunSpans {
    GHashTable *rows; /* address of a Row -> GPtrArray of Begun */
    guint n;
    gsize bytes;
    Begun *out; /* the span that was returned last */
    TraceEvent event;
    guint64 offset; /* offset of the event's end in the file */
    char dur[48];
};

static void clear_arg(gpointer data)
{
    TraceArg *arg = data;

    g_free((char *)arg->key);
    g_free((char *)arg->text);
}

static void free_begun(gpointer data)
{
    Begun *begun = data;

    g_free(begun->name);
    g_free(begun->category);
    g_array_unref(begun->args);
    g_free(begun);
}

BegunSpans *begun_spans_new(void)
{
    BegunSpans *spans = g_new0(BegunSpans, 1);

    spans->rows = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL,
                                        (GDestroyNotify)g_ptr_array_unref);
    return spans;
}

void begun_spans_free(BegunSpans *spans)
{
    g_clear_pointer(&spans->out, free_begun);
    g_hash_table_unref(spans->rows);
    g_free(spans);
}

static gsize bytes_of(const TraceEvent *event)
{
    gsize bytes = strlen(event->name) + strlen(event->category);

    for (guint i = 0; i < event->n_args; i++)
        bytes += sizeof(TraceArg) + strlen(event->args[i].key) + event->args[i].length;
    return bytes;
}

static void add_args(Begun *begun, const TraceEvent *event)
{
    for (guint i = 0; i < event->n_args && begun->args->len < TRACE_ARGS_MAX; i++) {
        TraceArg arg = event->args[i];

        arg.key = g_strdup(arg.key);
        arg.text = g_memdup2(arg.text, arg.length + 1);
        g_array_append_val(begun->args, arg);
    }
}

gboolean begun_spans_begin(BegunSpans *spans, Row *row, const TraceEvent *event, gint64 begin)
{
    GPtrArray *open = g_hash_table_lookup(spans->rows, row);
    gsize bytes = bytes_of(event);
    Begun *begun;

    spans->offset = event->offset;
    if (spans->n >= SPANS_MAX || spans->bytes + bytes > BYTES_MAX)
        return FALSE;
    if (!open) {
        open = g_ptr_array_new_with_free_func(free_begun);
        g_hash_table_insert(spans->rows, row, open);
    }
    begun = g_new0(Begun, 1);
    begun->row = row;
    begun->begin = begin;
    begun->name = g_strdup(event->name);
    begun->category = g_strdup(event->category);
    begun->has_category = event->has_category;
    begun->bytes = bytes;
    begun->args = g_array_new(FALSE, FALSE, sizeof(TraceArg));
    g_array_set_clear_func(begun->args, clear_arg);
    add_args(begun, event);
    g_ptr_array_add(open, begun);
    spans->n++;
    spans->bytes += bytes;
    return TRUE;
}

static Begun *take_last(BegunSpans *spans, GPtrArray *open)
{
    Begun *begun = g_ptr_array_steal_index(open, open->len - 1);

    g_clear_pointer(&spans->out, free_begun);
    spans->out = begun;
    spans->n--;
    spans->bytes -= begun->bytes;
    return begun;
}

static const TraceEvent *make_event(BegunSpans *spans, const Begun *begun, const char *phase)
{
    spans->event = (TraceEvent){.phase = phase,
                                .name = begun->name,
                                .category = begun->category,
                                .ts = "",
                                .dur = spans->dur,
                                .id = "",
                                .pid = begun->row->pid,
                                .tid = begun->row->tid,
                                .has_pid = TRUE,
                                .has_dur = *spans->dur != '\0',
                                .has_category = begun->has_category,
                                .offset = spans->offset,
                                .args = (const TraceArg *)(gconstpointer)begun->args->data,
                                .n_args = begun->args->len};
    return &spans->event;
}

const TraceEvent *begun_spans_end(BegunSpans *spans, Row *row, const TraceEvent *event, gint64 end,
                                  gint64 *begin)
{
    GPtrArray *open = g_hash_table_lookup(spans->rows, row);
    Begun *begun = open && open->len ? take_last(spans, open) : NULL;
    gint64 ns;

    if (!begun)
        return NULL;
    spans->offset = event->offset;
    *begin = begun->begin;
    ns = MAX(end, begun->begin) - begun->begin;
    add_args(begun, event);
    g_snprintf(spans->dur, sizeof spans->dur, "%" G_GINT64_FORMAT ".%03d", ns / 1000,
               (int)(ns % 1000));
    return make_event(spans, begun, "X");
}

const TraceEvent *begun_spans_rest(BegunSpans *spans, Row **row, gint64 *begin)
{
    GHashTableIter iter;
    gpointer value;

    spans->dur[0] = '\0';
    g_hash_table_iter_init(&iter, spans->rows);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        GPtrArray *open = value;

        if (open->len) {
            const Begun *begun = take_last(spans, open);
            *row = begun->row;
            *begin = begun->begin;
            return make_event(spans, begun, "B");
        }
        g_hash_table_iter_remove(&iter);
    }
    return NULL;
}
