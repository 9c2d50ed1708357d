/* SPDX-License-Identifier: Apache-2.0 */
/* The backend aclprof: CANN's own profiling writes a folder PROF_* in the result directory. */
#ifndef STROBE_PLUGINS_NPU_TASK_ACLPROF_H
#define STROBE_PLUGINS_NPU_TASK_ACLPROF_H

#include <strobe/collector.h>

extern const StrobeCollectorOps npu_aclprof_ops; /* the member `probe` is not set */

#endif
