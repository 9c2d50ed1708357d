/* SPDX-License-Identifier: Apache-2.0 */
/* Finds libraries of CANN and loads them without risk to the process. */
#ifndef STROBE_PLUGINS_NPU_TASK_CANN_LOADER_H
#define STROBE_PLUGINS_NPU_TASK_CANN_LOADER_H

#include <stddef.h>

/* A library to be loaded on trial, and the libraries and functions that it needs while it is
 * loaded. */
typedef struct NpuTrial {
    const char *path;
    int flags;       /* flags of dlopen */
    const char *who; /* name of the library in messages */
    /* names of the libraries of CANN that it needs, with NULL at the end; NULL: it needs none */
    const char *const *libraries;
    const char *const *functions; /* functions that these libraries must have */
    int limit_ms;                 /* maximum time of the whole trial; 0: 10 s */
} NpuTrial;

/* Returns whether a library of this name is in the process. Loads nothing. */
int npu_cann_is_loaded(const char *name);

/* Finds the path of a library of CANN: in ASCEND_HOME_PATH, otherwise in the folder of the
 * program's libascendcl.so. If neither is known, the path is `name` itself. */
void npu_cann_path(const char *name, char *path, size_t size);

/* Finds the path as MSPTI does: the path of npu_cann_path if there is such a file, otherwise
 * `name`, for which the loader searches. The driver's libraries are not part of CANN and are on
 * LD_LIBRARY_PATH. */
void npu_cann_found_path(const char *name, char *path, size_t size);

/*
 * Loads the library and the libraries that it needs in a forked child: a library that ends the
 * process in which it is loaded then ends only the child. A child that does not finish in time is
 * abandoned. Returns NULL; if the library cannot be loaded, returns `reason` with the reason.
 */
const char *npu_cann_try(const NpuTrial *trial, char *reason, size_t size);

/* Returns the library, which stays in the process. If the process has not loaded the library yet,
 * npu_cann_try tries it first. Returns NULL if this fails; `reason` then has the reason. */
void *npu_cann_load(const NpuTrial *trial, char *reason, size_t size);

/* A function to be found, and the place where its address is stored. */
typedef struct NpuFunction {
    const char *name;
    void **place;
} NpuFunction;

/* Finds all functions, up to the entry without a name, in the library `handle`. Returns 1; 0:
 * `reason` says that `who` lacks the first function that is missing. */
int npu_cann_find(void *handle, const NpuFunction *functions, const char *who, char *reason,
                  size_t size);

#endif
