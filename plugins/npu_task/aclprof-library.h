/* SPDX-License-Identifier: Apache-2.0 */
/* Loads CANN's profiling library into this process. */
#ifndef STROBE_PLUGINS_NPU_TASK_ACLPROF_LIBRARY_H
#define STROBE_PLUGINS_NPU_TASK_ACLPROF_LIBRARY_H

#include <stddef.h>

#include "aclprof-abi.h"

typedef struct AclprofLibrary {
    int32_t (*init)(const char *folder, size_t length);
    int32_t (*finalize)(void);
    int32_t (*set_config)(int32_t type, const char *text, size_t length);
    AclprofConfig *(*create_config)(uint32_t *devices, uint32_t n, int32_t metrics,
                                    const void *events, uint64_t mask);
    int32_t (*destroy_config)(const AclprofConfig *config);
    int32_t (*start)(const AclprofConfig *config);
    int32_t (*stop)(const AclprofConfig *config);
    /* a function of AscendCL; NULL: not found */
    int32_t (*device)(int32_t *device);
    int32_t (*device_count)(uint32_t *count);
    int32_t (*synchronize)(void);
    char path[4096];
} AclprofLibrary;

/* Returns whether the program has loaded CANN. Loads nothing. */
int npu_aclprof_is_wanted(void);

/* Sets `path` to the path from which the library is loaded: `given` if it is not empty, else the
 * path that npu_cann_path finds. */
void npu_aclprof_path(const char *given, char *path, size_t size);

/* Finds the library in the process or loads it, as npu_mspti_load does. Returns NULL, or the reason
 * why it cannot be used. */
const char *npu_aclprof_load(AclprofLibrary *library, const char *given, char *reason, size_t size);

/* Returns the meaning of a result code. */
const char *npu_aclprof_error(int32_t code);

#endif
