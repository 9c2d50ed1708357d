/* SPDX-License-Identifier: Apache-2.0 */
/* The load of the stress test: threads that begin and end, make random calls, are interrupted by
 * signals, and count the records that they offer. */
#ifndef STROBE_TESTS_STRESS_LOAD_H
#define STROBE_TESTS_STRESS_LOAD_H

#include <glib.h>
#include <strobe/record.h>

#define STRESS_THREADS_MAX (1u << 20) /* maximum number of threads in a whole run */
#define STRESS_WINDOWS_MAX 65536u

/* Types of records. The name of a record begins with the type's letter and the thread's number, as
 * the examples show. Its argument or value increases within each thread and type, and for ranges
 * within each depth. */
enum {
    STRESS_MARK,    /* m7 */
    STRESS_UNIQUE,  /* u7.123, a unique name */
    STRESS_COUNTER, /* c7 */
    STRESS_ITEM,    /* i7, recorded through the plugin interface */
    STRESS_BULK,    /* b7 */
    STRESS_SIGNAL,  /* h7, recorded in a signal handler */
    STRESS_RANGE    /* r7.2, at a depth of 2 */
};

/* For each window, by its number in the gate, the number of records that were certainly offered in
 * it (least), and the number with those that were offered at its begin or end (most). */
struct stress_loss_report {
    guint64 least[STRESS_WINDOWS_MAX];
    guint64 most[STRESS_WINDOWS_MAX];
    gint64 tid[STRESS_THREADS_MAX]; /* the kernel's ids of the threads */
    guint n_threads;
};

extern struct stress_loss_report stress_loss_report;

/* Returns the next number of a sequence of random numbers. Each thread has its own `state`. */
guint64 stress_random(guint64 *state);
guint stress_below(guint64 *state, guint n);

/* The kind of the records STRESS_ITEM and STRESS_BULK, which has one u64. The test must declare it
 * in each session. */
extern const StrobeKind stress_item;
void stress_set_item(StrobeKindId kind);

/* stress_start starts `n` threads, which work until stress_stop. Each ends after some time, and
 * another one replaces it. */
void stress_start(guint64 seed, guint n);
void stress_stop(void);
/* Waits until all records that were offered before the call are counted. */
void stress_settle(void);

/* Records if the interrupted thread belongs to the load. Signal handlers call this. */
void stress_record_in_handler(void);

#endif
