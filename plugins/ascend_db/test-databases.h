/* SPDX-License-Identifier: Apache-2.0 */
/* SQL statements that make small databases like those of Ascend's profiler. */
#ifndef STROBE_ASCEND_DB_TEST_DATABASES_H
#define STROBE_ASCEND_DB_TEST_DATABASES_H

/* Global ids of threads 8 and 9 of process 7. */
#define TID8 "30064771080"
#define TID9 "30064771081"

extern const char test_strings[];  /* the table of texts for the next two */
extern const char test_tasks_g1[]; /* tasks in the first generation's form */
/* to be executed after the two above: the tables that only the newest generation has */
extern const char test_tables_g3[];
/* a run without a device, with its own table of texts */
extern const char test_framework_tables[];

#endif
