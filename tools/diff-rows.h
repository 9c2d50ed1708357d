/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of `strobe diff`. A row is a call path with its time in the steps of each run. */
#ifndef STROBE_TOOLS_DIFF_ROWS_H
#define STROBE_TOOLS_DIFF_ROWS_H

#include <glib.h>

#include "diff-statistics.h"

#define STROBE_DIFF_ROWS_MAX 65536u
/* Maximum number of steps, or groups of steps, with separate times. */
#define STROBE_DIFF_BLOCKS_MAX 1024u
#define STROBE_DIFF_STRETCHES_MAX 8u /* number of units into which a single run is divided */
/* Confidence in %: the noise is half the width of the interval with this confidence. */
#define STROBE_DIFF_CONFIDENCE 99
/* Expected share of false alarms among the listed differences. */
#define STROBE_DIFF_Q 0.01
/* a smaller difference, in % of a step, does not count as a change */
#define STROBE_DIFF_LEAST_EFFECT 0.1
/* With one run on each side, a regression must be this many times the noise. */
#define STROBE_DIFF_ONE_RUN_FACTOR 2

enum { STROBE_DIFF_A, STROBE_DIFF_B, STROBE_DIFF_SIDES };

/* The times of a row on one side, in ns per step. A unit is a run or, if each side has one run, a
 * range of successive steps. */
typedef struct StrobeDiffSample {
    guint64 calls;  /* total in all steps of all runs */
    guint n;        /* number of units */
    double value;   /* mean of the units; 0 if the side lacks the row */
    double squares; /* sum of the squared deviations of the units from the mean */
    gboolean is_present;
} StrobeDiffSample;

/* Adds the value of one more unit, in ns per step. */
void strobe_diff_sample_add(StrobeDiffSample *sample, double value);
StrobeSpread strobe_diff_spread(const StrobeDiffSample *sample);

typedef struct StrobeDiffRow {
    const char *const *path; /* names, the innermost first, NULL-terminated */
    StrobeDiffSample sides[STROBE_DIFF_SIDES];
    GArray *cells;     /* times of the current run; private */
    double difference; /* ns; B minus A */
    double relative;   /* % of A; NAN: A lacks the row, or its time there is 0 */
    StrobeTest test;
    /* the row compares a single step of each run; if each side has one run, the caller must set
     * `test` */
    gboolean is_single;
    double noise; /* half the width of the confidence interval in ns; NAN: unknown */
    double p; /* probability of a difference at least this large without a change; NAN: unknown */
    /* p, corrected for the number of rows; NAN: unknown, or the row was not tested */
    double q;
    gboolean is_changed; /* q is small enough or unknown, and the difference is large enough */
    gboolean is_regression;
} StrobeDiffRow;

/* Rules for computing values and for finding changes. */
typedef struct StrobeDiffRule {
    /* a row is a regression only if it is slower by more than this, in %; NAN: no row is a
     * regression */
    double threshold;
    gint64 least_ns; /* a smaller difference never counts as a change */
    /* the rows are parts that may overlap, so their sum has no meaning; the time of a row that a
     * side lacks is not 0 but unknown */
    gboolean is_of_parts;
    gboolean is_mean; /* use the mean of the steps instead of their median */
    gboolean by_runs; /* some side has several runs, and the units are runs */
    /* a side has only one step, so the units are steps and not ranges of steps */
    gboolean by_steps;
} StrobeDiffRule;

typedef struct StrobeDiffRows {
    StrobeDiffRule rule;
    GPtrArray *rows; /* of StrobeDiffRow */
    StrobeDiffRow *total;
    /* the work that was launched before the recording; it is in no step and not in the total, and
     * its value is for a whole result */
    StrobeDiffRow *before;
    /* number of values that are only in the total, because there was no room for their rows */
    guint64 n_dropped[STROBE_DIFF_SIDES];
    /* numbers of units and runs that each side has so far */
    guint n_units[STROBE_DIFF_SIDES], n_runs[STROBE_DIFF_SIDES];
    guint n_tested; /* number of rows (and the total) that have a q */
    double least;   /* a difference of fewer ns never counts as a change */
    /* numbers of rows; n_regressions includes the total */
    guint n_different, n_changed, n_regressions;
    GHashTable *index; /* private */
    GHashTable *texts; /* private */
} StrobeDiffRows;

StrobeDiffRows *strobe_diff_rows_new(const StrobeDiffRule *rule);
void strobe_diff_rows_free(StrobeDiffRows *rows); /* NULL is fine */

/* Finds or adds the row of the path with `n` names, which are copied. NULL: the path is new, and
 * there are already STROBE_DIFF_ROWS_MAX rows. */
StrobeDiffRow *strobe_diff_rows_get(StrobeDiffRows *rows, const char *const *names, gsize n);

/* Removes a row; its contribution stays in the total. */
void strobe_diff_rows_remove(StrobeDiffRows *rows, StrobeDiffRow *row);

/* Adds a time of `calls` calls to the row in a block, and to the total. If `row` is NULL, adds it
 * only to the total, and counts it in n_dropped. */
void strobe_diff_rows_add(StrobeDiffRows *rows, StrobeDiffRow *row, guint side, guint32 block,
                          double ns, guint64 calls);
/* Adds the time of work that was launched before the recording to the row `before`. */
void strobe_diff_rows_add_before(StrobeDiffRows *rows, guint side, double ns);

/* Ends a run: adds the times of each row, as times per step, to the row's sample of the side.
 * `steps[i]` is the number of steps in block i. */
void strobe_diff_rows_end_run(StrobeDiffRows *rows, guint side, const guint *steps, guint n_blocks);
/* Ends a side: adds a 0 to the sample of each row for every unit that lacks the row, unless the
 * rows are parts. Divides the time of `before` by the number of runs. */
void strobe_diff_rows_end_side(StrobeDiffRows *rows, guint side);

/* Computes the differences, and sorts the rows by difference, the largest first. Call this after
 * both sides have ended. `step_ns` is the duration of a step of A, of which a difference must be at
 * least STROBE_DIFF_LEAST_EFFECT; 0: there is no such limit. */
void strobe_diff_rows_compare(StrobeDiffRows *rows, double step_ns);

#endif
