/* SPDX-License-Identifier: Apache-2.0 */
/* A process that records in every way until it is killed, and tells in shared memory what it has
 * committed for certain. */
#ifndef STROBE_TESTS_DEATH_LOAD_H
#define STROBE_TESTS_DEATH_LOAD_H

#include <glib.h>

#define DEATH_THREADS 2
#define DEATH_RECORDS_MAX 400000 /* of each thread */
#define DEATH_WINDOWS 5

enum { DEATH_NONE, DEATH_BEGUN, DEATH_COMMITTED, DEATH_FOUND };

/* States of the records of each thread, by number; `..._window`: the number of theirs, modulo 256.
 */
struct death_progress {
    guint8 ranges[DEATH_THREADS][DEATH_RECORDS_MAX];
    guint8 marks[DEATH_THREADS][DEATH_RECORDS_MAX];
    guint8 range_window[DEATH_THREADS][DEATH_RECORDS_MAX];
    guint8 mark_window[DEATH_THREADS][DEATH_RECORDS_MAX];
    guint64 refused_least, refused_most; /* reservations that no block can take */
    gint n_done[DEATH_THREADS];
    gint is_over;
    gint is_closing; /* the window's end may be marked already */
};

struct death_plan {
    const char *config;   /* more of the session's configuration */
    guint window_records; /* that each thread makes in a window at least */
    gboolean is_fast;     /* as fast as it goes, and with bulks that use up the pool */
    gboolean dumps;       /* the flight recorder, several times a window */
};

/* Runs five windows and ends with 0, if it is not killed before. */
void death_run(const char *folder, const struct death_plan *plan, struct death_progress *progress)
    __attribute__((noreturn));

#endif
