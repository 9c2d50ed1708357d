/* SPDX-License-Identifier: Apache-2.0 */
/* Records the steps through the code that an input takes. For fuzz tests the core is built with
 * -fsanitize-coverage=trace-pc. If the compiler does not support this, no input is ever new. */
#ifndef STROBE_TESTS_COVERAGE_H
#define STROBE_TESTS_COVERAGE_H

#include <glib.h>

/* Forgets the steps of the last run. Call this before each run. */
void coverage_begin(void);
/* Whether this run took a step that no earlier run took, or took a step a number of times of a new
 * class. */
gboolean coverage_is_new(void);
/* Returns the number of different steps in all runs. */
guint coverage_total(void);

#endif
