/* SPDX-License-Identifier: Apache-2.0 */
#include "other-profilers.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* bool torch_npu::profiler::profDataReportEnable() */
#define TORCH_RUNS "_ZN9torch_npu8profiler20profDataReportEnableEv"
#define TORCH_LIBRARY "libtorch_npu.so"

int npu_torch_profiler_runs(void)
{
    void *library = dlopen(TORCH_LIBRARY, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
    bool (*runs)(void) = NULL;

    if (!library)
        return 0;
    *(void **)&runs = dlsym(library, TORCH_RUNS);
    int answer = runs && runs();
    dlclose(library);
    return answer;
}

const char *npu_other_profiler(void)
{
    if (getenv("PROFILER_SAMPLECONFIG"))
        return "this program runs under msprof (PROFILER_SAMPLECONFIG is set), to which alone CANN "
               "reports";
    if (getenv("PROFILING_MODE"))
        return "CANN's own profiling is on (PROFILING_MODE is set), to which alone CANN reports";
    if (npu_torch_profiler_runs())
        return "the profiler of torch_npu runs in this process, to which alone CANN reports";
    return NULL;
}

/* The collector marker hands marks on, and CANN's own tool is the one that MSPTI is behind. */
static int hands_on(const char *tool)
{
    const char *name = strrchr(tool, '/');

    name = name ? name + 1 : tool;
    return strcmp(name, "marker.so") == 0 || strcmp(name, "libprofapi.so") == 0;
}

void npu_warn_of_lost_marks(const StrobeHost *host, StrobeInstance *self)
{
    const char *tool = getenv("MSTX_INJECTION_PATH"), *preloaded = getenv("LD_PRELOAD");
    int is_there = tool && *tool && (!strchr(tool, '/') || access(tool, R_OK) == 0);

    if (is_there && !hands_on(tool))
        host->log(self, STROBE_LOG_WARNING,
                  "MSPTI is told of no marks: another tool of mstx has them: "
                  "MSTX_INJECTION_PATH=\"%.4096s\"",
                  tool);
    if (preloaded && strstr(preloaded, "libascend_kernel_hook.so"))
        host->log(self, STROBE_LOG_WARNING,
                  "torch_npu makes no marks: it does not where libascend_kernel_hook.so is "
                  "preloaded");
}
