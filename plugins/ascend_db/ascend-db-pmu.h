/* SPDX-License-Identifier: Apache-2.0 */
/* Reads TASK_PMU_INFO, which has a row for each metric of a task, as one record for each task. */
#ifndef STROBE_ASCEND_DB_PMU_H
#define STROBE_ASCEND_DB_PMU_H

#include "ascend-db-emit.h"

void pmu_import(Import *import);

#endif
