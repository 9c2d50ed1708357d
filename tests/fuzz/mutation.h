/* SPDX-License-Identifier: Apache-2.0 */
/* Makes random changes of an input. The same seed makes the same changes. */
#ifndef STROBE_TESTS_MUTATION_H
#define STROBE_TESTS_MUTATION_H

#include <glib.h>

#define MUTATION_LONGEST (256u << 10)

void mutation_seed(guint64 seed);
/* Returns a random number below n; 0 if n is 0. */
gsize mutation_below(gsize n);
/* Changes `bytes`, and inserts parts of `others` (of GBytes, not empty). */
void mutation_apply(GByteArray *bytes, const GPtrArray *others);

#endif
