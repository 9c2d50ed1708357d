/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of an input at random, from a number that repeats them. */
#ifndef STROBE_TESTS_MUTATION_H
#define STROBE_TESTS_MUTATION_H

#include <glib.h>

#define MUTATION_LONGEST (256u << 10)

void mutation_seed(guint64 seed);
/* Below n; 0 for 0. */
gsize mutation_below(gsize n);
/* Changes `bytes`; segments come from `others` (of GBytes, not empty). */
void mutation_apply(GByteArray *bytes, const GPtrArray *others);

#endif
