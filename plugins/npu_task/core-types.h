/* SPDX-License-Identifier: Apache-2.0 */
/* Maps a kernel type of the runtime to the name that results use for the cores that run it. */
#ifndef STROBE_PLUGINS_NPU_TASK_CORE_TYPES_H
#define STROBE_PLUGINS_NPU_TASK_CORE_TYPES_H

/* Returns for example "AI_CORE" for "KERNEL_AICORE"; NULL: the type does not determine the
 * cores. */
const char *npu_core_type(const char *kernel_type);

#endif
