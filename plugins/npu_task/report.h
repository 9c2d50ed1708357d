/* SPDX-License-Identifier: Apache-2.0 */
/* Reports the failures of a window as messages and as counted losses. */
#ifndef STROBE_PLUGINS_NPU_TASK_REPORT_H
#define STROBE_PLUGINS_NPU_TASK_REPORT_H

#include "records.h"

/* Reports the counts and resets them. Call it while records are accepted. */
void npu_report(NpuRecords *records);

/* Reports the end of a window: MSPTI has been in the call that delivers its buffers for
 * `hangs_ns`, or (0) returned from the last one with this code. The number of lost records is
 * unknown: it counts as one. */
void npu_report_flush(NpuRecords *records, int32_t code, int64_t hangs_ns);

#endif
