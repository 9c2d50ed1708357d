/* SPDX-License-Identifier: Apache-2.0 */
/* Random changes of an input, from a number that repeats them. */
#ifndef STROBE_TESTS_MUTATION_H
#define STROBE_TESTS_MUTATION_H

#include <glib.h>

#define MUTATION_LONGEST (256u << 10)

void mutation_seed(guint64 seed);
/* A random number below n; 0 if n is 0. */
gsize mutation_below(gsize n);
/* Changes `bytes`. Pieces come from `others` (an array of GBytes, not empty). */
void mutation_apply(GByteArray *bytes, const GPtrArray *others);

#endif
