/* SPDX-License-Identifier: Apache-2.0 */
/* Reports the failures of a window as messages and as counted losses. */
#ifndef STROBE_PLUGINS_NPU_TASK_REPORT_H
#define STROBE_PLUGINS_NPU_TASK_REPORT_H

#include "records.h"

/* Reports the counts and resets them. Must be called while records are accepted. */
void npu_report(NpuRecords *records);

/* Reports at the end of a window that the call which delivers MSPTI's buffers has hung for
 * `hangs_ns`, or, if that is 0, that its last call returned the error `code`. The number of records
 * that are lost by this is unknown, so counts one. */
void npu_report_flush(NpuRecords *records, int32_t code, int64_t hangs_ns);

#endif
