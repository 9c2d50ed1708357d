/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries of CANN: where they are, and loading one without risk to the process. */
#ifndef STROBE_PLUGINS_NPU_TASK_CANN_LOADER_H
#define STROBE_PLUGINS_NPU_TASK_CANN_LOADER_H

#include <stddef.h>

/* A library to be tried, and what it looks for while it is being loaded. */
typedef struct NpuTrial {
    const char *path;
    int flags;                    /* for dlopen */
    const char *who;              /* needs the others: for messages */
    const char *const *libraries; /* of CANN that it needs, by name; NULL ends them, NULL: none */
    const char *const *functions; /* that these must have */
    int limit_ms;                 /* for all of it; 0: 10 s */
} NpuTrial;

/* Is a library of this name in the process? Loads nothing. */
int npu_cann_is_loaded(const char *name);

/* Finds the path of a library of CANN: by ASCEND_HOME_PATH, otherwise beside the program's
 * libascendcl.so, otherwise the bare name. */
void npu_cann_path(const char *name, char *path, size_t size);

/* Finds the path as MSPTI does: the path above if there is such a file, otherwise the loader's
 * search. The driver's libraries are not part of CANN and are on LD_LIBRARY_PATH. */
void npu_cann_found_path(const char *name, char *path, size_t size);

/*
 * A forked child loads all of it first: a library that ends the process which loads it ends that
 * one, and one that does not come back is given up when the time is over. NULL, or why it cannot be
 * loaded: a text in `reason`.
 */
const char *npu_cann_try(const NpuTrial *trial, char *reason, size_t size);

/* The library, which is in the process from then on: as it is there, or after such a trial. NULL:
 * why not is in `reason`. */
void *npu_cann_load(const NpuTrial *trial, char *reason, size_t size);

/* A function to be found, and the place of its address. */
typedef struct NpuFunction {
    const char *name;
    void **place;
} NpuFunction;

/* All of them, up to the one without a name, in the library `handle`. 1; 0: the first that is
 * missing is in `reason`, `who` lacks it. */
int npu_cann_find(void *handle, const NpuFunction *functions, const char *who, char *reason,
                  size_t size);

#endif
