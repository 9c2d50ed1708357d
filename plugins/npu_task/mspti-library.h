/* SPDX-License-Identifier: Apache-2.0 */
/* The vendor's library, loaded so that it cannot take the program with it. */
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
    /* NULL where the library is older than these: */
    bool (*is_enabled)(int32_t kind);
    int32_t (*take_dropped)(void *context, uint32_t stream, size_t *n); /* counts anew */
    MsptiStructSize *struct_size;
    int is_preloaded; /* it was in the process before: then its interposers may be, too */
    char path[4096];  /* "" where it was in the process */
} MsptiLibrary;

/* Is CANN, or MSPTI, in this process? Loads nothing. */
int npu_mspti_is_wanted(void);

/* Finds the path that the library is loaded from: `given`, otherwise by ASCEND_HOME_PATH,
 * otherwise the bare name. */
void npu_mspti_path(const char *given, char *path, size_t size);

/*
 * Finds or loads it. NULL, or why it cannot be used: a text in `reason`. It stays in the process.
 *
 * A library that finds no CANN aborts the process while it is being loaded; so a forked child loads
 * it first, and before it what it needs.
 */
const char *npu_mspti_load(MsptiLibrary *library, const char *given, char *reason, size_t size);

/* Returns the meaning of a result code. */
const char *npu_mspti_error(int32_t code);

#endif
