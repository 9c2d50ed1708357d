/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of `strobe diff`: a row is one call path with its time in the steps of each run. */
#ifndef STROBE_TOOLS_DIFF_ROWS_H
#define STROBE_TOOLS_DIFF_ROWS_H

#include <glib.h>

#include "diff-statistics.h"

#define STROBE_DIFF_ROWS_MAX 65536u
/* Maximum number of steps, or groups of steps, with separate times. */
#define STROBE_DIFF_BLOCKS_MAX 1024u
#define STROBE_DIFF_STRETCHES_MAX 8u /* for a single run */
/* %: confidence of the interval whose half width is the noise. */
#define STROBE_DIFF_CONFIDENCE 99
/* Expected share of false alarms among the listed differences. */
#define STROBE_DIFF_Q 0.01
#define STROBE_DIFF_LEAST_EFFECT 0.1 /* % of a step: smaller differences are ignored */
/* With one run on each side, a regression must be this many times the noise. */
#define STROBE_DIFF_ONE_RUN_FACTOR 2

enum { STROBE_DIFF_A, STROBE_DIFF_B, STROBE_DIFF_SIDES };

/* Times are ns per step. A unit is a run, or a stretch of steps if each side has one run. */
typedef struct StrobeDiffSample {
    guint64 calls;  /* total in all steps of all runs */
    guint n;        /* units */
    double value;   /* mean of the units; 0 if the side lacks the row */
    double squares; /* sum of squared deviations of the units from the mean */
    gboolean is_present;
} StrobeDiffSample;

/* One unit more. */
void strobe_diff_sample_add(StrobeDiffSample *sample, double value);
StrobeSpread strobe_diff_spread(const StrobeDiffSample *sample);

typedef struct StrobeDiffRow {
    const char *const *path; /* innermost first, NULL-terminated */
    StrobeDiffSample sides[STROBE_DIFF_SIDES];
    GArray *cells;     /* of the current run; private */
    double difference; /* ns, B less A */
    double relative;   /* % of A; NAN: A lacks the row, or it is 0 there */
    StrobeTest test;
    gboolean is_single; /* one step of each run: with one run on each side the caller sets `test` */
    double noise;       /* ns: half the width of the interval; NAN: unknown */
    double p;           /* probability of such a difference without a change; NAN: unknown */
    double q;           /* p corrected for the number of rows; NAN: unknown, or the row is too
                         * small */
    gboolean is_changed; /* q is small enough or unknown, and the difference is large enough */
    gboolean is_regression;
} StrobeDiffRow;

/* Rules for values and for changes. */
typedef struct StrobeDiffRule {
    double threshold;     /* % slower for a regression; NAN: no regressions */
    gint64 least_ns;      /* smaller differences never count */
    gboolean is_of_parts; /* rows overlap: their sum has no meaning, and a missing row is not 0 */
    gboolean is_mean;     /* use the mean of the steps instead of their median */
    gboolean by_runs;     /* a side has several runs, which are the units */
    gboolean by_steps;    /* one side has only one step: steps are the units, not stretches */
} StrobeDiffRule;

typedef struct StrobeDiffRows {
    StrobeDiffRule rule;
    GPtrArray *rows; /* of StrobeDiffRow */
    StrobeDiffRow *total;
    StrobeDiffRow *before; /* launched before the recording: in no step and not in the total; its
                              value is for a whole result */
    guint64 n_dropped[STROBE_DIFF_SIDES]; /* values of rows above STROBE_DIFF_ROWS_MAX; they are
                                             only in the total */
    guint n_units[STROBE_DIFF_SIDES], n_runs[STROBE_DIFF_SIDES]; /* read so far */
    guint n_tested;                              /* number of rows, and the sum, with a q */
    double least;                                /* ns: smaller differences never count */
    guint n_different, n_changed, n_regressions; /* numbers of rows; the last includes the total */
    GHashTable *index;                           /* private */
    GHashTable *texts;                           /* private */
} StrobeDiffRows;

StrobeDiffRows *strobe_diff_rows_new(const StrobeDiffRule *rule);
void strobe_diff_rows_free(StrobeDiffRows *rows); /* NULL is fine */

/* The row of a path, created if necessary; NULL above STROBE_DIFF_ROWS_MAX. Names are copied. */
StrobeDiffRow *strobe_diff_rows_get(StrobeDiffRows *rows, const char *const *names, gsize n);

/* Removes a row; its contribution stays in the total. */
void strobe_diff_rows_remove(StrobeDiffRows *rows, StrobeDiffRow *row);

/* Adds time to a block and to the total. `row` NULL: counted as dropped. */
void strobe_diff_rows_add(StrobeDiffRows *rows, StrobeDiffRow *row, guint side, guint32 block,
                          double ns, guint64 calls);
/* Adds a time that was launched before the recording and is in no step. */
void strobe_diff_rows_add_before(StrobeDiffRows *rows, guint side, double ns);

/* One run is complete: `steps[i]` is the number of steps in block i. */
void strobe_diff_rows_end_run(StrobeDiffRows *rows, guint side, const guint *steps, guint n_blocks);
/* All runs of a side are complete. */
void strobe_diff_rows_end_side(StrobeDiffRows *rows, guint side);

/* Both sides are complete: computes the differences and sorts, largest first. `step_ns`: the
 * time of a step of A, the base of the smallest effect; 0: there is none. */
void strobe_diff_rows_compare(StrobeDiffRows *rows, double step_ns);

#endif
