/* SPDX-License-Identifier: Apache-2.0 */
/* Sums by function, from stacks and from calls. Frames are compared by their text without file
 * and line, so that all places of a function count for it. */
#ifndef STROBE_PASSES_FUNCTION_SUMS_H
#define STROBE_PASSES_FUNCTION_SUMS_H

#include <glib.h>
#include <strobe/exporter.h>

/* Maximum number of different places; all further ones count as one function. */
#define FUNCTION_FRAMES_MAX 1048576u

typedef struct FunctionSums FunctionSums;

/* Time or memory of one function: its own, and including called functions. */
typedef struct FunctionSum {
    StrobeStringId name, location; /* valid from function_sums_sorted on; location 0: unknown */
    guint64 count;
    gint64 self, total;
    /* private */
    const char *text;
    guint64 last_stack; /* the last stack in which it was counted */
    struct FunctionPlace *largest;
} FunctionSum;

FunctionSums *function_sums_new(const StrobeConsumerHost *host, StrobeInstance *self);
void function_sums_free(FunctionSums *sums);

/* Adds a stack with `amount` in `count` samples; a stack without frames counts for an unknown
 * function. */
void function_sums_add_stack(FunctionSums *sums, StrobeStackId stack, gint64 amount, guint64 count);

/* Adds a call of a frame. */
void function_sums_add_call(FunctionSums *sums, StrobeStringId frame, gint64 self, gint64 total);

/* Total of everything added. */
gint64 function_sums_amount(const FunctionSums *sums);

/* The functions (FunctionSum), the largest own amount first; owned by the sums. (transfer full) */
GPtrArray *function_sums_sorted(FunctionSums *sums);

#endif
