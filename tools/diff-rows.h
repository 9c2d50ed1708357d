/* SPDX-License-Identifier: Apache-2.0 */
/* What `strobe diff` compares: a row is one call path with its time in the steps of each run. */
#ifndef STROBE_TOOLS_DIFF_ROWS_H
#define STROBE_TOOLS_DIFF_ROWS_H

#include <glib.h>

#include "diff-statistics.h"

#define STROBE_DIFF_ROWS_MAX 65536u
#define STROBE_DIFF_BLOCKS_MAX 1024u /* steps of a run, or groups of steps, that have own times */
#define STROBE_DIFF_STRETCHES_MAX 8u /* of an only run */
#define STROBE_DIFF_CONFIDENCE 99    /* %: of the interval that is the noise */
#define STROBE_DIFF_Q 0.01           /* of listed differences, the share expected to be chance */
#define STROBE_DIFF_LEAST_EFFECT 0.1 /* % of a step: smaller differences never count */
#define STROBE_DIFF_ONE_RUN_FACTOR 2 /* noises that a regression needs with one run a side */

enum { STROBE_DIFF_A, STROBE_DIFF_B, STROBE_DIFF_SIDES };

/* Times are ns in one step. A unit is a run, or a stretch of steps where each side has one run. */
typedef struct StrobeDiffSample {
    guint64 calls;  /* in all steps of all runs */
    guint n;        /* units */
    double value;   /* mean of the units; 0 where the row is not in this side */
    double squares; /* sum of the squares of what each unit is off the mean */
    gboolean is_present;
} StrobeDiffSample;

/* One unit more. */
void strobe_diff_sample_add(StrobeDiffSample *sample, double value);
StrobeSpread strobe_diff_spread(const StrobeDiffSample *sample);

typedef struct StrobeDiffRow {
    const char *const *path; /* innermost first, NULL-terminated */
    StrobeDiffSample sides[STROBE_DIFF_SIDES];
    GArray *cells;     /* of the run that is being read; private */
    double difference; /* ns, B less A */
    double relative;   /* % of A; NAN: not in A, or 0 there */
    StrobeTest test;
    gboolean is_single; /* one step of each run: with one run a side `test` is the caller's */
    double noise;       /* ns: half the width of the interval; NAN: not known */
    double p;           /* the chance of such a difference without a change; NAN: not known */
    double q;           /* p corrected for the number of rows; NAN: not known, or too small a row */
    gboolean is_changed; /* q is small enough or not known, and the difference not too small */
    gboolean is_regression;
} StrobeDiffRow;

/* How values are made, and what counts. */
typedef struct StrobeDiffRule {
    double threshold; /* % slower that make a regression; NAN: nothing is one */
    gint64 least_ns;  /* smaller differences never count */
    gboolean
        is_of_parts;  /* rows overlap: their sum says nothing, and a row that is missing is not 0 */
    gboolean is_mean; /* the mean of the steps instead of their median */
    gboolean by_runs; /* a side has several runs: they are the units */
    gboolean by_steps; /* one side has only one step: steps are the units, not stretches */
} StrobeDiffRule;

typedef struct StrobeDiffRows {
    StrobeDiffRule rule;
    GPtrArray *rows; /* of StrobeDiffRow */
    StrobeDiffRow *total;
    StrobeDiffRow *before; /* launched before the recording: in no step, and not in the total; its
                              value is of a whole result */
    guint64 n_dropped[STROBE_DIFF_SIDES]; /* values of rows beyond STROBE_DIFF_ROWS_MAX: they are in
                                             the total only */
    guint n_units[STROBE_DIFF_SIDES], n_runs[STROBE_DIFF_SIDES]; /* read so far */
    guint n_tested;                              /* rows, and the sum, that have a q */
    double least;                                /* ns: smaller differences never count */
    guint n_different, n_changed, n_regressions; /* rows; the last counts the total too */
    GHashTable *index;                           /* private */
    GHashTable *texts;                           /* private */
} StrobeDiffRows;

StrobeDiffRows *strobe_diff_rows_new(const StrobeDiffRule *rule);
void strobe_diff_rows_free(StrobeDiffRows *rows); /* NULL is fine */

/* The row of a path, made if need be; NULL beyond STROBE_DIFF_ROWS_MAX. Names are copied. */
StrobeDiffRow *strobe_diff_rows_get(StrobeDiffRows *rows, const char *const *names, gsize n);

/* Takes a row out; what it added stays in the total. */
void strobe_diff_rows_remove(StrobeDiffRows *rows, StrobeDiffRow *row);

/* More time in a block; to the total too. `row` NULL: counted as dropped. */
void strobe_diff_rows_add(StrobeDiffRows *rows, StrobeDiffRow *row, guint side, guint32 block,
                          double ns, guint64 calls);
/* A time that is in no step, since it was launched before the recording. */
void strobe_diff_rows_add_before(StrobeDiffRows *rows, guint side, double ns);

/* One run has been added: `steps[i]` are the steps of block i. */
void strobe_diff_rows_end_run(StrobeDiffRows *rows, guint side, const guint *steps, guint n_blocks);
/* All runs of a side have been added. */
void strobe_diff_rows_end_side(StrobeDiffRows *rows, guint side);

/* Both sides are complete: fills in the differences and sorts, largest first. `step_ns`: the time
 * of a step of A, which the least effect is a share of; 0: there is none. */
void strobe_diff_rows_compare(StrobeDiffRows *rows, double step_ns);

#endif
