/* SPDX-License-Identifier: Apache-2.0 */
#include "call-nesting.h"

#include <strobe/helpers/keyed-hash.h>

typedef struct OpenCall {
    gint64 begin_ns, end_ns;
} OpenCall;

/* Returns the open calls of a thread; outer calls come first. */
static GArray *calls_of(GHashTable *threads, guint64 pid, guint64 tid)
{
    const guint64 key = pid << 32 ^ tid;
    GArray *calls = g_hash_table_lookup(threads, &key);

    if (!calls) {
        calls = g_array_new(FALSE, FALSE, sizeof(OpenCall));
        g_hash_table_insert(threads, g_memdup2(&key, sizeof key), calls);
    }
    return calls;
}

GHashTable *call_nesting_new(void)
{
    return g_hash_table_new_full(strobe_hash_of_number, g_int64_equal, g_free,
                                 (GDestroyNotify)g_array_unref);
}

static OpenCall *last_of(GArray *calls)
{
    return calls->len ? &g_array_index(calls, OpenCall, calls->len - 1) : NULL;
}

gboolean call_nesting_add(GHashTable *threads, const SvpCall *call)
{
    GArray *calls = calls_of(threads, call->pid, call->tid);
    OpenCall added = {call->begin_ns, call->end_ns}, *last;

    while ((last = last_of(calls)) && last->end_ns <= call->begin_ns)
        g_array_set_size(calls, calls->len - 1);
    if (last && last->begin_ns == added.begin_ns && last->end_ns < added.end_ns) {
        const OpenCall inner = *last; /* the new call encloses the last one */

        *last = added;
        added = inner;
    } else if (last && last->end_ns < added.end_ns) {
        return FALSE;
    }
    g_array_append_val(calls, added);
    return TRUE;
}
