/* SPDX-License-Identifier: Apache-2.0 */
#include "mspti-library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "cann-loader.h"

static const char *const cann_libraries[] = {"libprofapi.so", "libascendalog.so",
                                             "libascend_hal.so", NULL};
/* Functions that CANN must have; otherwise loading MSPTI fails. */
static const char *const cann_functions[] = {"MsprofRegisterProfileCallback",
                                             "ProfRegisterMstxFunc", "ProfEnableMstxFunc",
                                             "CheckLogLevelForC", NULL};

int npu_mspti_is_wanted(void)
{
    return dlsym(RTLD_DEFAULT, "msptiSubscribe") || npu_cann_is_loaded("libmspti.so") ||
           npu_cann_is_loaded("libascendcl.so") || npu_cann_is_loaded("libprofapi.so");
}

void npu_mspti_path(const char *given, char *path, size_t size)
{
    if (given && *given)
        snprintf(path, size, "%s", given);
    else
        npu_cann_path("libmspti.so", path, size);
}

static void *load_library(const char *path, char *reason, size_t size)
{
    const NpuTrial trial = {
        .path = path,
        .flags = RTLD_NOW | RTLD_LOCAL,
        .who = "MSPTI",
        .libraries = cann_libraries,
        .functions = cann_functions,
    };

    return npu_cann_load(&trial, reason, size);
}

static int find_functions(MsptiLibrary *library, void *handle, char *reason, size_t size)
{
    const NpuFunction functions[] = {
        {"msptiSubscribe", (void **)&library->subscribe},
        {"msptiUnsubscribe", (void **)&library->unsubscribe},
        {"msptiActivityRegisterCallbacks", (void **)&library->register_callbacks},
        {"msptiActivityEnable", (void **)&library->enable},
        {"msptiActivityDisable", (void **)&library->disable},
        {"msptiActivityFlushAll", (void **)&library->flush_all},
        {NULL, NULL},
    };

    *(void **)&library->is_enabled = dlsym(handle, "msptiActivityIsEnabled");
    *(void **)&library->struct_size = dlsym(handle, "msptiActivityGetStructSize");
    *(void **)&library->take_dropped = dlsym(handle, "msptiActivityGetNumDroppedRecords");
    return npu_cann_find(handle, functions,
                         *library->path ? library->path : "the MSPTI in this process", reason,
                         size);
}

const char *npu_mspti_load(MsptiLibrary *library, const char *given, char *reason, size_t size)
{
    void *handle = RTLD_DEFAULT;

    memset(library, 0, sizeof *library);
    library->is_preloaded = !(given && *given) && dlsym(RTLD_DEFAULT, "msptiSubscribe") != NULL;
    if (!library->is_preloaded) {
        npu_mspti_path(given, library->path, sizeof library->path);
        handle = load_library(library->path, reason, size);
        if (!handle)
            return reason;
    }
    return find_functions(library, handle, reason, size) ? NULL : reason;
}

const char *npu_mspti_error(int32_t code)
{
    switch (code) {
    case MSPTI_INVALID_PARAMETER:
        return "invalid parameter";
    case MSPTI_MULTIPLE_SUBSCRIBERS:
        return "another profiler is attached to this process";
    case MSPTI_MAX_LIMIT_REACHED:
        return "a limit is reached";
    case MSPTI_DEVICE_OFFLINE:
        return "the device is offline";
    case MSPTI_QUEUE_EMPTY:
        return "the queue is empty";
    case MSPTI_WITHOUT_PRELOAD:
        return "libmspti.so is not preloaded";
    case MSPTI_INNER:
        return "an error inside MSPTI";
    default:
        return "an unknown error";
    }
}
