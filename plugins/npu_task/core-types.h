/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of kernels as the runtime names them, and the cores that run them as results name these. */
#ifndef STROBE_PLUGINS_NPU_TASK_CORE_TYPES_H
#define STROBE_PLUGINS_NPU_TASK_CORE_TYPES_H

/* "AI_CORE" for "KERNEL_AICORE"; NULL where the type does not say it. */
const char *npu_core_type(const char *kernel_type);

#endif
