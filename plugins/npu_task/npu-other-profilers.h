/* SPDX-License-Identifier: Apache-2.0 */
/* Determines whether another profiler uses CANN in this process, because CANN reports to only
 * one. */
#ifndef STROBE_PLUGINS_NPU_TASK_OTHER_PROFILERS_H
#define STROBE_PLUGINS_NPU_TASK_OTHER_PROFILERS_H

#include <strobe/collector.h>

/* Returns a text that names the other profiler, because of which the plugin must not use CANN;
 * NULL: none is known. */
const char *npu_other_profiler(void);

/* Looks for torch_npu's profiler. Takes the loader's lock, so it may be called only where libraries
 * are opened anyway. */
void npu_torch_find(void);

/* Looks for torch_npu's profiler again at the begin of a window, if libraries have been loaded
 * since the last search. The search runs on another thread and the caller waits only briefly,
 * because a constructor that holds the loader's lock may wait for the session. */
void npu_torch_look(void);

/* Returns whether torch_npu's profiler records now; 0 if it was not found. */
int npu_torch_profiler_runs(void);

/* Returns whether torch_npu's profiler has been found. */
int npu_torch_is_there(void);

/* Logs which marks MSPTI will not get, and why. */
void npu_warn_of_lost_marks(const StrobeHost *host, StrobeInstance *self);

#endif
