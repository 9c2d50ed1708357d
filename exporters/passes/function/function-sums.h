/* SPDX-License-Identifier: Apache-2.0 */
/* Sums up time or memory by function, from stacks and from calls. A function is the text of a frame
 * without file and line, so that all places in it count together. */
#ifndef STROBE_PASSES_FUNCTION_SUMS_H
#define STROBE_PASSES_FUNCTION_SUMS_H

#include <glib.h>
#include <strobe/exporter.h>

/* Maximum number of different frames. After that, every frame that is added counts for an unknown
 * function. */
#define FUNCTION_FRAMES_MAX 1048576u

typedef struct FunctionSums FunctionSums;

/* Time or memory of a function: `self` without the functions that it calls, `total` with them. */
typedef struct FunctionSum {
    StrobeStringId name, location; /* valid only after function_sums_sorted; location 0: unknown */
    guint64 count;
    gint64 self, total;
    /* The members below are private to function-sums.c. */
    const char *text;
    guint64 last_stack; /* the last stack in which the function was counted */
    struct FunctionPlace *largest;
} FunctionSum;

FunctionSums *function_sums_new(const StrobeConsumerHost *host, StrobeInstance *self);
void function_sums_free(FunctionSums *sums);

/* Adds `amount` of time or memory, in `count` samples, to the functions of a stack. A stack without
 * frames counts for an unknown function. */
void function_sums_add_stack(FunctionSums *sums, StrobeStackId stack, gint64 amount, guint64 count);

/* Adds a call of the function of `frame`. */
void function_sums_add_call(FunctionSums *sums, StrobeStringId frame, gint64 self, gint64 total);

/* Returns the sum of all amounts and self times that were added. */
gint64 function_sums_amount(const FunctionSums *sums);

/* Returns the functions (FunctionSum), those with the largest `self` first. `sums` owns the
 * functions. (transfer full) */
GPtrArray *function_sums_sorted(FunctionSums *sums);

#endif
