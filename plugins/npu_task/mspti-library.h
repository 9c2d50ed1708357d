/* SPDX-License-Identifier: Apache-2.0 */
/* Loads MSPTI in a way that cannot end the program. */
#ifndef STROBE_PLUGINS_NPU_TASK_MSPTI_LIBRARY_H
#define STROBE_PLUGINS_NPU_TASK_MSPTI_LIBRARY_H

#include <stdbool.h>

#include "mspti-abi.h"
#include "walk.h"

typedef struct MsptiLibrary {
    int32_t (*subscribe)(void **handle, MsptiCallback *callback, void *user);
    int32_t (*unsubscribe)(void *handle);
    int32_t (*register_callbacks)(MsptiRequest *request, MsptiComplete *complete);
    int32_t (*enable)(int32_t kind);
    int32_t (*disable)(int32_t kind);
    int32_t (*flush_all)(uint32_t flag);
    /* NULL: the library is too old to have the function */
    bool (*is_enabled)(int32_t kind);
    /* returns the number of dropped records; MSPTI then counts from 0 again */
    int32_t (*take_dropped)(void *context, uint32_t stream, size_t *n);
    MsptiStructSize *struct_size;
    /* the library was already in the process, so its interposers may be active */
    int is_preloaded;
    char path[4096]; /* "": the library was already in the process */
} MsptiLibrary;

/* Returns whether CANN or MSPTI is in this process. Loads nothing. */
int npu_mspti_is_wanted(void);

/* Sets `path` to the path from which the library is loaded: `given` if it is not empty, otherwise a
 * path in ASCEND_HOME_PATH, otherwise the library's name. */
void npu_mspti_path(const char *given, char *path, size_t size);

/*
 * Finds the library in the process or loads it. Returns NULL; if the library cannot be used,
 * returns `reason` with the reason. The library is never unloaded.
 *
 * MSPTI aborts the process that loads it if it finds no CANN. So a forked child first loads the
 * libraries that MSPTI needs, and then MSPTI.
 */
const char *npu_mspti_load(MsptiLibrary *library, const char *given, char *reason, size_t size);

/* Returns the meaning of a result code. */
const char *npu_mspti_error(int32_t code);

#endif
