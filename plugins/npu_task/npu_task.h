/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of the collector. */
#ifndef STROBE_PLUGINS_NPU_TASK_NPU_TASK_H
#define STROBE_PLUGINS_NPU_TASK_NPU_TASK_H

#include <strobe/collector.h>

extern const StrobeCollectorOps strobe_npu_task_ops;

#endif
