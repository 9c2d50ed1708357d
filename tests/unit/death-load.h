/* SPDX-License-Identifier: Apache-2.0 */
/* Records in every way until the process is killed, and reports in shared memory which records are
 * certainly committed. */
#ifndef STROBE_TESTS_DEATH_LOAD_H
#define STROBE_TESTS_DEATH_LOAD_H

#include <glib.h>

#define DEATH_THREADS 2
#define DEATH_RECORDS_MAX 400000 /* maximum number of records of each type for each thread */
#define DEATH_WINDOWS 5

enum { DEATH_NONE, DEATH_BEGUN, DEATH_COMMITTED, DEATH_FOUND };

/* The states (DEATH_*) of the records of each thread, by their number. The members with `_window`
 * have the number of each record's window, modulo 256. */
struct death_progress {
    guint8 ranges[DEATH_THREADS][DEATH_RECORDS_MAX];
    guint8 marks[DEATH_THREADS][DEATH_RECORDS_MAX];
    guint8 range_window[DEATH_THREADS][DEATH_RECORDS_MAX];
    guint8 mark_window[DEATH_THREADS][DEATH_RECORDS_MAX];
    /* least and largest possible number of reservations that were refused because they were too
     * large */
    guint64 refused_least, refused_most;
    gint n_done[DEATH_THREADS];
    gint is_over;
    gint is_closing; /* 1: the window may be ending */
};

struct death_plan {
    const char *config;   /* JSON that is added to the configuration of the session */
    guint window_records; /* least number of records of each thread in a window */
    /* the threads record at full speed, and use up the pool with bulks of records */
    gboolean is_fast;
    gboolean dumps; /* the flight recorder makes several dumps in a window */
};

/* Runs five windows, and exits with 0 if it is not killed before. */
void death_run(const char *folder, const struct death_plan *plan, struct death_progress *progress)
    __attribute__((noreturn));

#endif
