/* SPDX-License-Identifier: Apache-2.0 */
/* The load of the stress test: threads that are born and die, do random things, are hit by signals,
 * and keep the loss report of what they offered. */
#ifndef STROBE_TESTS_STRESS_LOAD_H
#define STROBE_TESTS_STRESS_LOAD_H

#include <glib.h>
#include <strobe/record.h>

#define STRESS_THREADS_MAX (1u << 20) /* in all, of a run */
#define STRESS_WINDOWS_MAX 65536u

/* What a record is; its name is this letter and the thread's number (and more). Its argument or
 * value counts up in each thread and class, ranges for each depth. */
enum {
    STRESS_MARK,    /* m7 */
    STRESS_UNIQUE,  /* u7.123: a name of its own */
    STRESS_COUNTER, /* c7 */
    STRESS_ITEM,    /* i7: through the plugin interface */
    STRESS_BULK,    /* b7 */
    STRESS_SIGNAL,  /* h7: from a signal handler */
    STRESS_RANGE    /* r7.2: at a depth of 2 */
};

/* How many records were offered in each window, by its number in the gate: for certain, and at
 * most, with those that met its beginning or end. */
struct stress_loss_report {
    guint64 least[STRESS_WINDOWS_MAX];
    guint64 most[STRESS_WINDOWS_MAX];
    gint64 tid[STRESS_THREADS_MAX]; /* the kernel's number of each thread */
    guint n_threads;
};

extern struct stress_loss_report stress_loss_report;

/* A sequence of random numbers, one for every thread. */
guint64 stress_random(guint64 *state);
guint stress_below(guint64 *state, guint n);

/* The kind of STRESS_ITEM and STRESS_BULK records: one u64. To be declared in each session. */
extern const StrobeKind stress_item;
void stress_set_item(StrobeKindId kind);

/* Threads that work until stop; each dies after a while, and another takes its place. */
void stress_start(guint64 seed, guint n);
void stress_stop(void);
/* Waits until what was offered before now is in the loss report. */
void stress_settle(void);

/* For the handler of signals: records if the thread is one of those. */
void stress_record_in_handler(void);

#endif
