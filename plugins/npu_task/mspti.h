/* SPDX-License-Identifier: Apache-2.0 */
/* The backend MSPTI. */
#ifndef STROBE_PLUGINS_NPU_TASK_MSPTI_H
#define STROBE_PLUGINS_NPU_TASK_MSPTI_H

#include <strobe/collector.h>

extern const StrobeCollectorOps npu_mspti_ops; /* the member `probe` is not set */

int npu_mspti_is_open(void);

#endif
