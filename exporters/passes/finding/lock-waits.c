/* SPDX-License-Identifier: Apache-2.0 */
#include "lock-waits.h"

#include <string.h>

#include "sorted-values.h"

struct LockWaits {
    GHashTable *threads; /* track -> LockThread */
};

static void free_thread(gpointer data)
{
    LockThread *thread = data;

    strobe_intervals_clear(&thread->waits);
    g_free(thread);
}

LockWaits *lock_waits_new(void)
{
    LockWaits *waits = g_new0(LockWaits, 1);

    waits->threads = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, free_thread);
    return waits;
}

void lock_waits_free(LockWaits *waits)
{
    g_hash_table_unref(waits->threads);
    g_free(waits);
}

static void skip_underscores(const char **name, gsize *length)
{
    while (*length && **name == '_') {
        (*name)++;
        (*length)--;
    }
}

gboolean lock_waits_is_lock(const char *name, gsize length)
{
    /* Names of functions that wait for a lock. Internal functions of the C library have the same
     * names after underscores or __GI_. The last name is a function of Python's interpreter
     * lock. */
    static const char *const locks[] = {
        "pthread_mutex_lock",
        "pthread_mutex_timedlock",
        "pthread_mutex_clocklock",
        "pthread_rwlock_rdlock",
        "pthread_rwlock_wrlock",
        "pthread_rwlock_timedrdlock",
        "pthread_spin_lock",
        "pthread_rwlock_clockrdlock",
        "pthread_rwlock_timedwrlock",
        "lll_lock_wait",
        "pthread_rwlock_clockwrlock",
        "lll_lock_wait_private",
        "take_gil",
    };

    /* a blank separates the function's name from the name of the object file */
    const char *end = memchr(name, ' ', length);

    length = end ? (gsize)(end - name) : length;
    skip_underscores(&name, &length);
    if (length > 3 && !memcmp(name, "GI_", 3)) {
        name += 3;
        length -= 3;
        skip_underscores(&name, &length);
    }
    for (gsize i = 0; i < G_N_ELEMENTS(locks); i++)
        if (length == strlen(locks[i]) && !memcmp(name, locks[i], length))
            return TRUE;
    return FALSE;
}

/* Returns the thread of a track, and adds it if necessary. Returns NULL if there are too many
 * threads. */
static LockThread *find_thread(LockWaits *waits, StrobeTrackId track, StrobeStringId name,
                               StrobeStringId caller)
{
    LockThread *thread = g_hash_table_lookup(waits->threads, GUINT_TO_POINTER(track));

    if (thread || g_hash_table_size(waits->threads) >= LOCK_THREADS_MAX)
        return thread;
    thread = g_new0(LockThread, 1);
    thread->track = track;
    thread->name = name;
    thread->caller = caller;
    g_hash_table_insert(waits->threads, GUINT_TO_POINTER(track), thread);
    return thread;
}

void lock_waits_add(LockWaits *waits, StrobeTrackId track, StrobeStringId name,
                    StrobeStringId caller, gint64 begin_ns, gint64 end_ns)
{
    LockThread *thread = end_ns > begin_ns ? find_thread(waits, track, name, caller) : NULL;

    if (!thread)
        return;
    thread->count++;
    if (thread->waits.n < LOCK_STRETCHES_MAX)
        strobe_intervals_add(&thread->waits, begin_ns, end_ns);
    else
        thread->spilt_ns += end_ns - begin_ns;
}

static gint compare_threads(gconstpointer a, gconstpointer b)
{
    const LockThread *x = *(LockThread *const *)a, *y = *(LockThread *const *)b;

    if (x->time_ns != y->time_ns)
        return x->time_ns > y->time_ns ? -1 : 1;
    return (x->track > y->track) - (x->track < y->track);
}

GPtrArray *lock_waits_threads(LockWaits *waits, gint64 begin_ns, gint64 end_ns)
{
    LockThread *thread;
    GHashTableIter iter;

    g_hash_table_iter_init(&iter, waits->threads);
    while (g_hash_table_iter_next(&iter, NULL, (gpointer *)&thread)) {
        strobe_intervals_merge(&thread->waits);
        thread->time_ns =
            thread->spilt_ns + strobe_intervals_covered(&thread->waits, begin_ns, end_ns);
    }
    GPtrArray *sorted = sorted_values(waits->threads, compare_threads);

    while (sorted->len && ((LockThread *)g_ptr_array_index(sorted, sorted->len - 1))->time_ns <= 0)
        g_ptr_array_set_size(sorted, (gint)sorted->len - 1);
    return sorted;
}
