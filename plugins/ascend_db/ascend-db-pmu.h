/* SPDX-License-Identifier: Apache-2.0 */
/* TASK_PMU_INFO: a row for each metric of a task into one record a task. */
#ifndef STROBE_ASCEND_DB_PMU_H
#define STROBE_ASCEND_DB_PMU_H

#include "ascend-db-emit.h"

void pmu_import(Import *import);

#endif
