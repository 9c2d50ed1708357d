/* SPDX-License-Identifier: Apache-2.0 */
/* Records the ways through the code that an input takes: for fuzz tests the core is built with
 * -fsanitize-coverage=trace-pc. If the compiler does not support this, no way is ever new. */
#ifndef STROBE_TESTS_COVERAGE_H
#define STROBE_TESTS_COVERAGE_H

#include <glib.h>

/* Forgets the way of the last run. */
void coverage_begin(void);
/* Did this run take a step, or repeat a step a number of times, that no earlier run did? */
gboolean coverage_is_new(void);
/* Number of different steps so far. */
guint coverage_total(void);

#endif
