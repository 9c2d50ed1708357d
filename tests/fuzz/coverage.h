/* SPDX-License-Identifier: Apache-2.0 */
/* Which ways through the code an input takes: the core is built with -fsanitize-coverage=trace-pc
 * for fuzz tests. Where the compiler cannot do that, nothing is ever new. */
#ifndef STROBE_TESTS_COVERAGE_H
#define STROBE_TESTS_COVERAGE_H

#include <glib.h>

/* Forgets the last run's way. */
void coverage_begin(void);
/* Did this run take a step, or a number of times, that no run before it did? */
gboolean coverage_is_new(void);
/* Number of steps that have been seen. */
guint coverage_total(void);

#endif
