/* SPDX-License-Identifier: Apache-2.0 */
/* What `strobe diff` compares: a row is one call path with its time in each step of both results.
 */
#ifndef STROBE_TOOLS_DIFF_ROWS_H
#define STROBE_TOOLS_DIFF_ROWS_H

#include <glib.h>

#define STROBE_DIFF_ROWS_MAX 65536u
#define STROBE_DIFF_BLOCKS_MAX 128u /* steps, or runs of steps, that a mean is made of */
#define STROBE_DIFF_CONFIDENCE 99   /* % */

enum { STROBE_DIFF_A, STROBE_DIFF_B, STROBE_DIFF_SIDES };

/* Times are ns in one step. */
typedef struct StrobeDiffSample {
    guint64 calls;    /* in all steps */
    guint n;          /* blocks that mean and deviation are of */
    double mean;      /* 0 where the row is not in this result */
    double deviation; /* standard deviation from block to block; 0 for a single one */
    gboolean is_present;
} StrobeDiffSample;

typedef struct StrobeDiffRow {
    const char *const *path; /* innermost first, NULL-terminated */
    StrobeDiffSample sides[STROBE_DIFF_SIDES];
    GArray *cells;       /* of the side that is being read; private */
    double difference;   /* ns, B less A */
    double relative;     /* % of A; NAN: not in A, or 0 there */
    double noise;        /* ns; NAN: not known, neither result has two steps */
    gboolean is_of_step; /* the times of one step on each side, no means */
    gboolean is_beyond;  /* the difference is larger than the noise, or that is not known */
    gboolean is_listed;  /* beyond the noise, or in one result only and no less than the least */
    gboolean is_regression;
} StrobeDiffRow;

typedef struct StrobeDiffRows {
    GPtrArray *rows; /* of StrobeDiffRow */
    StrobeDiffRow *total;
    StrobeDiffRow *before; /* launched before the recording: in no step, and not in the total; its
                              mean is of the whole result */
    guint64 n_dropped[STROBE_DIFF_SIDES]; /* values of rows beyond STROBE_DIFF_ROWS_MAX: they are in
                                             the total only */
    guint n_different, n_listed, n_regressions; /* rows; the last counts the total too */
    GHashTable *index;                          /* private */
    GHashTable *texts;                          /* private */
} StrobeDiffRows;

StrobeDiffRows *strobe_diff_rows_new(void);
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

/* All of one side has been added: `steps[i]` are the steps of block i. */
void strobe_diff_rows_finish(StrobeDiffRows *rows, guint side, const guint *steps, guint n_blocks);

/* What counts as a regression. */
typedef struct StrobeDiffRule {
    double threshold;     /* %; NAN: nothing is one */
    gint64 least_ns;      /* differences below are within the noise */
    gboolean is_of_parts; /* rows overlap: their sum says nothing */
} StrobeDiffRule;

/* Both sides are finished: fills in the differences and sorts, largest first. */
void strobe_diff_rows_compare(StrobeDiffRows *rows, const StrobeDiffRule *rule);

/* Half the width of the interval that holds the difference of two means with
 * STROBE_DIFF_CONFIDENCE % (Welch); of two single steps for `is_of_step`. NAN: neither side has
 * two samples; where one has, its deviation stands for both. */
double strobe_diff_noise(const StrobeDiffSample *a, const StrobeDiffSample *b, gboolean is_of_step);

#endif
