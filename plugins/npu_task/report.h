/* SPDX-License-Identifier: Apache-2.0 */
/* What went wrong in a window, in words and as counted losses. */
#ifndef STROBE_PLUGINS_NPU_TASK_REPORT_H
#define STROBE_PLUGINS_NPU_TASK_REPORT_H

#include "records.h"

/* Tells what has been counted, and counts anew. While records are accepted. */
void npu_report(NpuRecords *records);

#endif
