/* SPDX-License-Identifier: Apache-2.0 */
/* One of the results that `strobe diff` compares: finds it, and reads it into rows. */
#ifndef STROBE_TOOLS_DIFF_RUN_H
#define STROBE_TOOLS_DIFF_RUN_H

#include "diff-kernels.h"
#include "diff-rows.h"
#include "diff-steps.h"
#include "diff-tree.h"
#include "pipeline.h"
#include "result.h"

#define STROBE_DIFF_DURATION "duration" /* name of the row with the durations of the steps */

/* The items that `strobe diff` compares. */
typedef enum StrobeDiffBy {
    STROBE_DIFF_BY_OPERATOR,
    STROBE_DIFF_BY_KERNEL,
    STROBE_DIFF_BY_STEP,
    STROBE_DIFF_BY_COMMUNICATION,
    STROBE_DIFF_BY_STACK,
    STROBE_DIFF_BY_HEAD,
    STROBE_DIFF_BY_MARK,
} StrobeDiffBy;

/* Whether `by` compares work of devices: kernels or communication operations. */
gboolean strobe_diff_is_of_device(StrobeDiffBy by);

typedef struct StrobeDiffRun {
    guint side;       /* STROBE_DIFF_A or _B */
    const char *path; /* the path that the user gave; owned by the caller */
    char *format;     /* format of another profiler's result; NULL: recorded by Strobe */
    StrobeResult result;
    StrobeDiffSteps steps;
    StrobeDiffRest rest;
    guint64 n_values; /* number of records that are compared */
    guint64 n_linked; /* number of compared records of devices whose operator is known */
    /* kernels are compared by name only, without the operators that launched them */
    gboolean by_name;
    guint64 n_lost, n_damaged;
    gboolean is_sealed;
} StrobeDiffRun;

void strobe_diff_run_init(StrobeDiffRun *run, guint number, const char *path);
void strobe_diff_run_clear(StrobeDiffRun *run);

/* Returns the folder for imports, which it makes at the first call. NULL with an error. */
typedef const char *(*StrobeDiffScratch)(gpointer user, GError **error);
/* Opens the only result at the run's path. Imports a result of another profiler into the folder
 * that `scratch` returns; if this is NULL, the error is that of `scratch`. FALSE with an error. */
gboolean strobe_diff_run_find(StrobeDiffRun *run, StrobeRegistry *registry,
                              StrobeDiffScratch scratch, gpointer user, GError **error);

/* Reads the steps of the run. The caller must then call strobe_diff_steps_finish(). */
gboolean strobe_diff_run_read_steps(StrobeDiffRun *run, StrobeRegistry *registry, GError **error);
/* Reads the records that are compared into `rows`, and calls strobe_diff_rows_end_run. */
gboolean strobe_diff_run_read(StrobeDiffRun *run, StrobeRegistry *registry, StrobeDiffBy by,
                              StrobeDiffRows *rows, GError **error);

#endif
