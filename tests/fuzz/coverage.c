/* SPDX-License-Identifier: Apache-2.0 */
#include "coverage.h"

#include <string.h>

#define STEPS (1u << 16)

void __sanitizer_cov_trace_pc(void);

/* number of times that each step was taken in this run, by a hash of its origin and target */
static guint8 counts[STEPS];
static guint8 seen[STEPS]; /* for each step, the classes of its counts in all runs, as bits */
static guint8 class_of[256];
static guint total;
static guintptr before;

/* The instrumented code calls this function at every branch. */
void __sanitizer_cov_trace_pc(void)
{
    guintptr here = (guintptr)__builtin_return_address(0);
    guint8 *count = &counts[(here ^ before >> 1) % STEPS];

    if (*count < G_MAXUINT8)
        ++*count;
    before = here;
}

void coverage_begin(void)
{
    memset(counts, 0, sizeof counts);
    before = 0;
}

/* Returns the class of a count. For example, once, twice and a few times are different classes, but
 * 57 and 58 times are in the same one. */
static guint8 class_of_count(guint count)
{
    guint8 class = 1;

    for (guint limit = 1; count > limit && class != 0x80; limit *= limit < 4 ? 2 : 4)
        class = (guint8)(class << 1);
    return class;
}

gboolean coverage_is_new(void)
{
    gboolean is_new = FALSE;

    if (!class_of[1])
        for (guint i = 1; i < 256; i++)
            class_of[i] = class_of_count(i);
    for (guint i = 0; i < STEPS; i++) {
        guint8 class = class_of[counts[i]];
        if (!(class & ~seen[i]))
            continue;
        total += seen[i] == 0;
        seen[i] |= class;
        is_new = TRUE;
    }
    return is_new;
}

guint coverage_total(void)
{
    return total;
}
