/* SPDX-License-Identifier: Apache-2.0 */
/* Failures in a window, as texts and as counted losses. */
#ifndef STROBE_PLUGINS_NPU_TASK_REPORT_H
#define STROBE_PLUGINS_NPU_TASK_REPORT_H

#include "records.h"

/* Tells what has been counted, and counts anew. While records are accepted. */
void npu_report(NpuRecords *records);

/* A window ends, and MSPTI is in the call that hands over what it holds, for so long, or (0) came
 * back from the last one with this code. What is lost by it nobody can tell: it counts as one. */
void npu_report_flush(NpuRecords *records, int32_t code, int64_t hangs_ns);

#endif
