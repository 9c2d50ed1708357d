/* SPDX-License-Identifier: Apache-2.0 */
/* Adds up how long each thread waits for locks. The waits are found from calls of the C library or
 * from the stacks of waiting threads. */
#ifndef STROBE_PASSES_LOCK_WAITS_H
#define STROBE_PASSES_LOCK_WAITS_H

#include <glib.h>
#include <strobe/exporter.h>
#include <strobe/helpers/intervals.h>

#define LOCK_THREADS_MAX 1024u
/* Maximum number of waits of a thread that are stored. Further waits are only added up, and count
 * for every range. */
#define LOCK_STRETCHES_MAX 16384u

typedef struct LockThread {
    StrobeTrackId track;
    StrobeStringId name;   /* name of the call that waited first */
    StrobeStringId caller; /* function that made this call; 0: unknown */
    guint64 count;
    gint64 time_ns;  /* waits inside the requested range */
    gint64 spilt_ns; /* total time of the waits that are not stored */
    StrobeIntervals waits;
} LockThread;

typedef struct LockWaits LockWaits;

LockWaits *lock_waits_new(void);
void lock_waits_free(LockWaits *waits);

/* Returns whether a call with this name waits for a lock, for example "pthread_mutex_lock" or
 * "__GI___lll_lock_wait (libc.so.6)". Condition variables and semaphores do not count: threads
 * mostly wait in them for work. */
gboolean lock_waits_is_lock(const char *name, gsize length);
/* Adds a wait in the call `name`, made by `caller` (0: unknown). */
void lock_waits_add(LockWaits *waits, StrobeTrackId track, StrobeStringId name,
                    StrobeStringId caller, gint64 begin_ns, gint64 end_ns);
/* Returns the threads (LockThread) with their waits inside [begin_ns, end_ns), the longest waits
 * first; omits threads without waits in this range. `waits` owns the array. */
GPtrArray *lock_waits_threads(LockWaits *waits, gint64 begin_ns, gint64 end_ns);

#endif
