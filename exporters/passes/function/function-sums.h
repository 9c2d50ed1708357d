/* SPDX-License-Identifier: Apache-2.0 */
/* Sums by function, from stacks and from calls. Frames are told apart by their text up to file and
 * line, so that all places of a function count for it. */
#ifndef STROBE_PASSES_FUNCTION_SUMS_H
#define STROBE_PASSES_FUNCTION_SUMS_H

#include <glib.h>
#include <strobe/exporter.h>

#define FUNCTION_FRAMES_MAX 1048576u /* different places; what is beyond is one function */

typedef struct FunctionSums FunctionSums;

/* What one function took: of itself, and with what it called. */
typedef struct FunctionSum {
    StrobeStringId name, location; /* from function_sums_sorted on; location 0: not known */
    guint64 count;
    gint64 self, total;
    /* private */
    const char *text;
    guint64 last_stack; /* the stack in which it was counted last */
    struct FunctionPlace *largest;
} FunctionSum;

FunctionSums *function_sums_new(const StrobeConsumerHost *host, StrobeInstance *self);
void function_sums_free(FunctionSums *sums);

/* `amount` was found in the stack, `count` times; a stack without frames is of a function that is
 * not known. */
void function_sums_add_stack(FunctionSums *sums, StrobeStackId stack, gint64 amount, guint64 count);

/* A frame took so much in one call. */
void function_sums_add_call(FunctionSums *sums, StrobeStringId frame, gint64 self, gint64 total);

/* All that was added. */
gint64 function_sums_amount(const FunctionSums *sums);

/* The functions (FunctionSum), those that took most of themselves first; they are the sums'.
 * (transfer full) */
GPtrArray *function_sums_sorted(FunctionSums *sums);

#endif
