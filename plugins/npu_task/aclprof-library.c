/* SPDX-License-Identifier: Apache-2.0 */
#include "aclprof-library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "cann-loader.h"

/* RTLD_GLOBAL: other libraries of CANN look for this library's symbols in the global scope */
#define FLAGS (RTLD_LAZY | RTLD_GLOBAL)

int npu_aclprof_is_wanted(void)
{
    return npu_cann_is_loaded("libascendcl.so") || npu_cann_is_loaded("libmsprofiler.so");
}

void npu_aclprof_path(const char *given, char *path, size_t size)
{
    if (given && *given)
        snprintf(path, size, "%s", given);
    else
        npu_cann_path("libmsprofiler.so", path, size);
}

static int find_functions(AclprofLibrary *library, void *handle, char *reason, size_t size)
{
    const NpuFunction functions[] = {
        {"aclprofInit", (void **)&library->init},
        {"aclprofFinalize", (void **)&library->finalize},
        {"aclprofSetConfig", (void **)&library->set_config},
        {"aclprofCreateConfig", (void **)&library->create_config},
        {"aclprofDestroyConfig", (void **)&library->destroy_config},
        {"aclprofStart", (void **)&library->start},
        {"aclprofStop", (void **)&library->stop},
        {NULL, NULL},
    };

    return npu_cann_find(handle, functions, library->path, reason, size);
}

/* Finds functions of AscendCL in the library that the program itself loaded, whatever its path
 * is. */
static void find_devices(AclprofLibrary *library)
{
    void *acl = dlopen("libascendcl.so", RTLD_LAZY | RTLD_NOLOAD);
    void *where = acl ? acl : RTLD_DEFAULT;

    *(void **)&library->device = dlsym(where, "aclrtGetDevice");
    *(void **)&library->device_count = dlsym(where, "aclrtGetDeviceCount");
    *(void **)&library->synchronize = dlsym(where, "aclrtSynchronizeDevice");
}

const char *npu_aclprof_load(AclprofLibrary *library, const char *given, char *reason, size_t size)
{
    const NpuTrial trial = {.path = library->path, .flags = FLAGS, .who = "aclprof"};

    memset(library, 0, sizeof *library);
    npu_aclprof_path(given, library->path, sizeof library->path);
    void *handle = npu_cann_load(&trial, reason, size);
    if (!handle || !find_functions(library, handle, reason, size))
        return reason;
    find_devices(library);
    return NULL;
}

const char *npu_aclprof_error(int32_t code)
{
    switch (code) {
    case ACLPROF_NOT_INITIALISED:
        return "the program has not initialised AscendCL";
    case ACLPROF_INVALID_CONFIG:
        return "aclprof does not accept this configuration";
    case ACLPROF_ALREADY_RUN:
        return "a profiler is already running";
    case ACLPROF_NOT_RUN:
        return "no profiler runs";
    case ACLPROF_REPEAT_SUBSCRIBE:
        return "a model is already subscribed";
    case ACLPROF_API_CONFLICT:
        return "another profiler is attached to this process: msprof, acl.json, a subscription or "
               "the profiler of torch_npu";
    case ACLPROF_MODULES_UNSUPPORTED:
        return "this device does not support the requested data";
    case ACLPROF_FAILURE:
        return "the profiling itself failed";
    default:
        return "an error of CANN";
    }
}
