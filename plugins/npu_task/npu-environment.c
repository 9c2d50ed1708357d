/* SPDX-License-Identifier: Apache-2.0 */
#include "npu-environment.h"

#include <string.h>
#include <strobe/helpers/environment.h>

static NpuEnvironment environment;

static char *copy_of(const char *name)
{
    const char *value = strobe_environment_get(name);

    return value ? strdup(value) : NULL;
}

__attribute__((constructor)) static void take_environment(void)
{
    environment = (NpuEnvironment){
        .ascend_home = copy_of("ASCEND_HOME_PATH"),
        .sample_config = copy_of("PROFILER_SAMPLECONFIG"),
        .profiling_mode = copy_of("PROFILING_MODE"),
        .mstx_tool = copy_of("MSTX_INJECTION_PATH"),
        .preloaded = copy_of("LD_PRELOAD"),
    };
}

const NpuEnvironment *npu_environment(void)
{
    return &environment;
}
