/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries of CANN: where they are, and loading one without risk to the process. */
#ifndef STROBE_PLUGINS_NPU_TASK_CANN_LOADER_H
#define STROBE_PLUGINS_NPU_TASK_CANN_LOADER_H

#include <stddef.h>

/* Is a library of this name in the process? Loads nothing. */
int npu_cann_is_loaded(const char *name);

/* Where a library of CANN is: by ASCEND_HOME_PATH, or by its bare name. */
void npu_cann_path(const char *name, char *path, size_t size);

/*
 * A forked child loads it first: a library that ends the process which loads it ends that one.
 * NULL, or why it cannot be loaded. `flags` as for dlopen.
 */
const char *npu_cann_try(const char *path, int flags);

#endif
