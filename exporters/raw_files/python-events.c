/* SPDX-License-Identifier: Apache-2.0 */
#include "python-events.h"

#include <string.h>
#include <strobe/helpers/keyed-hash.h>

#define MODULE "nn.Module: "

struct PythonEvents {
    StrobeExternalSorter *calls; /* calls, sorted by begin */
    const PythonCall *call;      /* the next call; NULL: it has not been read */
    /* thread -> GArray of PythonCall: calls that have not returned, the innermost last */
    GHashTable *open;
    PythonCall returned;
};

static void free_stack(void *stack)
{
    g_array_unref(stack);
}

PythonEvents *python_events_new(StrobeStorage *storage)
{
    PythonEvents *events = g_new0(PythonEvents, 1);

    events->calls = strobe_external_sorter_new(storage);
    events->open = g_hash_table_new_full(strobe_hash_of_number, g_int64_equal, g_free, free_stack);
    return events;
}

void python_events_free(PythonEvents *events)
{
    strobe_external_sorter_free(events->calls);
    g_hash_table_unref(events->open);
    g_free(events);
}

/* Adds a call. Calls with the same begin are sorted by id, because ids count the calls of a thread;
 * calls without an id are sorted by length, because a longer call encloses a shorter one. */
void python_events_add(PythonEvents *events, const PythonCall *call)
{
    const gint64 order = call->id ? (gint64)call->id : ~call->end_ns;

    strobe_external_sorter_add(events->calls, (StrobeSortKey){call->begin_ns, order}, call,
                               sizeof *call);
}

static GArray *stack_of(PythonEvents *events, guint64 thread)
{
    GArray *stack = g_hash_table_lookup(events->open, &thread);

    if (!stack) {
        stack = g_array_new(FALSE, FALSE, sizeof(PythonCall));
        g_hash_table_insert(events->open, g_memdup2(&thread, sizeof thread), stack);
    }
    return stack;
}

/* Returns whether the innermost open call has returned before `next` begins. If it ends exactly
 * when `next` begins, it has returned unless it is the parent of `next`. */
static gboolean has_returned(const GArray *stack, const PythonCall *next)
{
    if (!stack->len)
        return FALSE;
    const PythonCall *top = &g_array_index(stack, PythonCall, stack->len - 1);

    return top->end_ns < next->begin_ns ||
           (top->end_ns == next->begin_ns && (!next->parent || top->id != next->parent));
}

static gboolean return_call(PythonEvents *events, GArray *stack, PythonEvent *event)
{
    events->returned = g_array_index(stack, PythonCall, stack->len - 1);
    g_array_set_size(stack, stack->len - 1);
    *event = (PythonEvent){events->returned.end_ns, &events->returned, TRUE};
    return TRUE;
}

/* Sets `event` to the return of any open call. Is used after the last call. Returns FALSE if no
 * call is open. */
static gboolean return_any_call(PythonEvents *events, PythonEvent *event)
{
    GHashTableIter iter;
    void *stack;

    g_hash_table_iter_init(&iter, events->open);
    while (g_hash_table_iter_next(&iter, NULL, &stack)) {
        if (((GArray *)stack)->len)
            return return_call(events, stack, event);
        g_hash_table_iter_remove(&iter);
    }
    return FALSE;
}

gboolean python_events_next(PythonEvents *events, PythonEvent *event)
{
    size_t length;

    if (!events->call)
        events->call = strobe_external_sorter_next(events->calls, &length);
    if (!events->call)
        return return_any_call(events, event);
    GArray *stack = stack_of(events, events->call->thread);
    if (has_returned(stack, events->call))
        return return_call(events, stack, event);
    g_array_append_vals(stack, events->call, 1);
    *event = (PythonEvent){events->call->begin_ns, events->call, FALSE};
    events->call = NULL;
    return TRUE;
}

int python_events_error(const PythonEvents *events)
{
    return strobe_external_sorter_error(events->calls);
}

char *python_events_text(const char *name, guint64 key)
{
    const char *number = strrchr(name, '_');

    if (!g_str_has_prefix(name, MODULE) || !number ||
        !g_ascii_string_to_unsigned(number + 1, 10, 0, G_MAXUINT32, NULL, NULL))
        return g_strdup(name);
    return g_strdup_printf("%.*s######%" G_GUINT64_FORMAT, (int)(number - name - strlen(MODULE)),
                           name + strlen(MODULE), key);
}
