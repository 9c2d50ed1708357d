/* SPDX-License-Identifier: Apache-2.0 */
#include "npu-other-profilers.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bounded-call.h"
#include "npu-environment.h"

/* bool torch_npu::profiler::profDataReportEnable() */
#define TORCH_RUNS "_ZN9torch_npu8profiler20profDataReportEnableEv"
#define TORCH_LIBRARY "libtorch_npu.so"
#define PATIENCE_NS 5000000 /* with the loader, where a window begins */

typedef bool TorchRuns(void);

static TorchRuns *_Atomic torch_runs; /* NULL: torch_npu is not known to be there */
static unsigned long long n_looked;   /* libraries that had been loaded at the last look */
static NpuCall look;

/* Waits until no other thread loads a library. It stays loaded, because its function is called
 * from now on. */
static void find_torch(void *user)
{
    void *library = dlopen(TORCH_LIBRARY, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
    TorchRuns *runs = NULL;

    if (library)
        *(void **)&runs = dlsym(library, TORCH_RUNS);
    if (runs)
        atomic_store(&torch_runs, runs);
}

void npu_torch_find(void)
{
    find_torch(NULL);
}

static int count_libraries(struct dl_phdr_info *info, size_t size, void *user)
{
    *(unsigned long long *)user = info->dlpi_adds;
    return 1;
}

void npu_torch_look(void)
{
    unsigned long long n = 0;

    if (atomic_load(&torch_runs) || (look.run && !npu_call_is_over(&look)))
        return;
    dl_iterate_phdr(count_libraries, &n);
    if (n == n_looked)
        return;
    n_looked = n;
    if (npu_call_begin(&look, find_torch, NULL) == 0)
        npu_call_await(&look, PATIENCE_NS);
}

int npu_torch_is_there(void)
{
    return atomic_load(&torch_runs) != NULL;
}

int npu_torch_profiler_runs(void)
{
    TorchRuns *runs = atomic_load(&torch_runs);

    return runs && runs();
}

const char *npu_other_profiler(void)
{
    if (npu_environment()->sample_config)
        return "this program runs under msprof (PROFILER_SAMPLECONFIG is set), to which alone CANN "
               "reports";
    if (npu_environment()->profiling_mode)
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
    const char *tool = npu_environment()->mstx_tool, *preloaded = npu_environment()->preloaded;
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
