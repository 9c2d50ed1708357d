/* SPDX-License-Identifier: Apache-2.0 */
/* How long each thread waits for locks: by the calls of the C library, or by the stacks that
 * threads wait with. */
#ifndef STROBE_PASSES_LOCK_WAITS_H
#define STROBE_PASSES_LOCK_WAITS_H

#include <glib.h>
#include <strobe/exporter.h>
#include <strobe/helpers/intervals.h>

#define LOCK_THREADS_MAX 1024u
#define LOCK_STRETCHES_MAX 16384u /* a thread; further waits count wherever they lie */

typedef struct LockThread {
    StrobeTrackId track;
    StrobeStringId name;   /* of the call, of the first wait */
    StrobeStringId caller; /* of that; 0: unknown */
    guint64 count;
    gint64 time_ns;  /* in the wanted times */
    gint64 spilt_ns; /* of waits without a place in `waits` */
    StrobeIntervals waits;
} LockThread;

typedef struct LockWaits LockWaits;

LockWaits *lock_waits_new(void);
void lock_waits_free(LockWaits *waits);

/* Whether a call of this name ("pthread_mutex_lock", "__GI___lll_lock_wait (libc.so.6)") waits for
 * a lock; a condition variable and a semaphore are mostly waits for work. */
gboolean lock_waits_is_lock(const char *name, gsize length);
/* A wait in the call `name` that `caller` made (0: unknown). */
void lock_waits_add(LockWaits *waits, StrobeTrackId track, StrobeStringId name,
                    StrobeStringId caller, gint64 begin_ns, gint64 end_ns);
/* Of LockThread, the longest first, with what lies in [begin_ns, end_ns); those without time are
 * left out. Lent. */
GPtrArray *lock_waits_threads(LockWaits *waits, gint64 begin_ns, gint64 end_ns);

#endif
