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
#define PATIENCE_NS 5000000 /* maximum wait for the loader at the begin of a window */

typedef bool TorchRuns(void);

static TorchRuns *_Atomic torch_runs; /* NULL: torch_npu was not found */
static unsigned long long n_looked;   /* number of loaded libraries at the last search */
static NpuCall look;

/* Finds torch_npu's function. dlopen waits while another thread loads a library. The handle is not
 * closed, because the function is called later. */
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
        return "this program runs under msprof, and CANN reports to it alone "
               "(PROFILER_SAMPLECONFIG is set)";
    if (npu_environment()->profiling_mode)
        return "CANN's own profiling is on (PROFILING_MODE is set), and CANN reports to it alone";
    if (npu_torch_profiler_runs())
        return "the profiler of torch_npu runs in this process, and CANN reports to it alone";
    return NULL;
}

/* Returns whether this tool of mstx passes marks on to MSPTI. The collector `marker` and
 * libprofapi.so, CANN's own tool, which MSPTI uses, pass them on. */
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
                  "MSPTI gets no marks: they go to another tool of mstx: "
                  "MSTX_INJECTION_PATH=\"%.4096s\"",
                  tool);
    if (preloaded && strstr(preloaded, "libascend_kernel_hook.so"))
        host->log(self, STROBE_LOG_WARNING,
                  "torch_npu makes no marks, because libascend_kernel_hook.so is "
                  "preloaded");
}
