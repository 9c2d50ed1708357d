/* SPDX-License-Identifier: Apache-2.0 */
/* A process that records in every way until it is killed, and reports in shared memory which
 * records are certainly committed. */
#ifndef STROBE_TESTS_DEATH_LOAD_H
#define STROBE_TESTS_DEATH_LOAD_H

#include <glib.h>

#define DEATH_THREADS 2
#define DEATH_RECORDS_MAX 400000 /* for each thread */
#define DEATH_WINDOWS 5

enum { DEATH_NONE, DEATH_BEGUN, DEATH_COMMITTED, DEATH_FOUND };

/* The states of the records of each thread, by number. `..._window` has the number of the
 * record's window, modulo 256. */
struct death_progress {
    guint8 ranges[DEATH_THREADS][DEATH_RECORDS_MAX];
    guint8 marks[DEATH_THREADS][DEATH_RECORDS_MAX];
    guint8 range_window[DEATH_THREADS][DEATH_RECORDS_MAX];
    guint8 mark_window[DEATH_THREADS][DEATH_RECORDS_MAX];
    guint64 refused_least, refused_most; /* reservations that are too large for a block */
    gint n_done[DEATH_THREADS];
    gint is_over;
    gint is_closing; /* the window may be ending */
};

struct death_plan {
    const char *config;   /* additional configuration of the session */
    guint window_records; /* least number of records of each thread in a window */
    gboolean is_fast;     /* at full speed, with bulks that use up the pool */
    gboolean dumps;       /* dumps of the flight recorder, several times in a window */
};

/* Runs five windows, and exits with 0 if it is not killed before. */
void death_run(const char *folder, const struct death_plan *plan, struct death_progress *progress)
    __attribute__((noreturn));

#endif
