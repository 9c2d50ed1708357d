/* SPDX-License-Identifier: Apache-2.0 */
/* Statements that make small databases of the profiler. */
#ifndef STROBE_ASCEND_DB_TEST_DATABASES_H
#define STROBE_ASCEND_DB_TEST_DATABASES_H

/* pid 7, threads 8 and 9 */
#define TID8 "30064771080"
#define TID9 "30064771081"

extern const char test_strings[];          /* texts of the tables that follow */
extern const char test_tasks_g1[];         /* tasks as the first generation has them */
extern const char test_tables_g3[];        /* behind both: what the newest one has besides */
extern const char test_framework_tables[]; /* with texts of its own: a run without a device */

#endif
