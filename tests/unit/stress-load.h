/* SPDX-License-Identifier: Apache-2.0 */
/* The load of the stress test: threads that are started and end, do random things, are
 * interrupted by signals, and count the records that they offer. */
#ifndef STROBE_TESTS_STRESS_LOAD_H
#define STROBE_TESTS_STRESS_LOAD_H

#include <glib.h>
#include <strobe/record.h>

#define STRESS_THREADS_MAX (1u << 20) /* number in a whole run */
#define STRESS_WINDOWS_MAX 65536u

/* Classes of records. The name of a record is this letter and the thread's number (and more).
 * Its argument or value increases in each thread and class, and for ranges in each depth. */
enum {
    STRESS_MARK,    /* m7 */
    STRESS_UNIQUE,  /* u7.123: a unique name */
    STRESS_COUNTER, /* c7 */
    STRESS_ITEM,    /* i7: through the plugin interface */
    STRESS_BULK,    /* b7 */
    STRESS_SIGNAL,  /* h7: from a signal handler */
    STRESS_RANGE    /* r7.2: at a depth of 2 */
};

/* The number of offered records in each window, by the window's number in the gate: the certain
 * number, and the largest possible number, with those at its begin or end. */
struct stress_loss_report {
    guint64 least[STRESS_WINDOWS_MAX];
    guint64 most[STRESS_WINDOWS_MAX];
    gint64 tid[STRESS_THREADS_MAX]; /* the kernel's thread ids */
    guint n_threads;
};

extern struct stress_loss_report stress_loss_report;

/* A sequence of random numbers, one for each thread. */
guint64 stress_random(guint64 *state);
guint stress_below(guint64 *state, guint n);

/* The kind of STRESS_ITEM and STRESS_BULK records, with one u64. Must be declared in each
 * session. */
extern const StrobeKind stress_item;
void stress_set_item(StrobeKindId kind);

/* Threads that work until stop; each ends after some time, and another one replaces it. */
void stress_start(guint64 seed, guint n);
void stress_stop(void);
/* Waits until all records that were offered before are counted. */
void stress_settle(void);

/* For the signal handler: records if the interrupted thread belongs to the load. */
void stress_record_in_handler(void);

#endif
