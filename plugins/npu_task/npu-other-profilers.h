/* SPDX-License-Identifier: Apache-2.0 */
/* CANN reports to one profiler of a process only: is there another one, as far as can be told? */
#ifndef STROBE_PLUGINS_NPU_TASK_OTHER_PROFILERS_H
#define STROBE_PLUGINS_NPU_TASK_OTHER_PROFILERS_H

#include <strobe/collector.h>

/* Which one is in charge of this process, as a reason to leave CANN alone; NULL: none is known. */
const char *npu_other_profiler(void);

/* Looks for torch_npu's profiler. The loader's lock is taken: where libraries are opened anyway. */
void npu_torch_find(void);

/* The same where a window begins: what has been loaded since is looked at on a thread of its own,
 * for a constructor that holds the loader's lock may wait for the session. */
void npu_torch_look(void);

/* Does torch_npu's profiler record now, as far as it has been found? */
int npu_torch_profiler_runs(void);

/* Was torch_npu there when it was looked for? */
int npu_torch_is_there(void);

/* Says in the log which marks MSPTI will not be told of, and who has them. */
void npu_warn_of_lost_marks(const StrobeHost *host, StrobeInstance *self);

#endif
