/* SPDX-License-Identifier: Apache-2.0 */
#include "opencl.h"

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <strobe/helpers/environment.h>

#include "commands.h"
#include "opencl-device-clock.h"
#include "opencl-kernels.h"
#include "layer.h"
#include "state.h"

#define MEASURE_LIMIT_NS 20000000u /* limit for one device, at the begin or the end of a window */

/* ---- clocks ---- */

static void measure_clocks(void)
{
    OpenclDevice *device;

    for (uint32_t i = 0; (device = opencl_device_at(i)); i++)
        opencl_clock_measure(device, MEASURE_LIMIT_NS);
}

static void release_clocks(void)
{
    OpenclDevice *device;

    for (uint32_t i = 0; (device = opencl_device_at(i)); i++)
        opencl_clock_release(&device->clock);
}

/* ---- exit and fork ---- */

/* Records the finished commands at the program's exit. Exit handlers run in the reverse order of
 * their registration, and the driver has registered its handlers earlier, so the driver still works
 * here. */
static void at_exit(void)
{
    if (atomic_load(&opencl.is_gone))
        return;
    opencl_commands_reap_all();
    measure_clocks();
    release_clocks();
    atomic_store(&opencl.is_gone, 1);
}

/* Stops the layer in a forked child. Makes no call of the driver, because the commands that the
 * parent has started belong to the parent. */
static void stop_in_child(void)
{
    atomic_store(&opencl_is_on, 0);
    atomic_store(&opencl.is_forcing, 0);
    atomic_store(&opencl.is_open, 0);
    atomic_store(&opencl.is_gone, 1);
    opencl_texts_after_fork();
    opencl_queues_after_fork();
    opencl_kernels_after_fork();
    opencl_devices_after_fork();
}

static void prepare_process(void)
{
    opencl_queue_retire = opencl_commands_reap;
    pthread_atfork(NULL, NULL, stop_in_child);
}

/* ---- operations ---- */

/* Returns whether a driver is registered. OCL_ICD_VENDORS may name another folder, or the driver
 * itself: a path that is not a folder counts as a driver. */
static int has_driver(void)
{
    const char *vendors = strobe_environment_get("OCL_ICD_VENDORS");
    int is_named = vendors && *vendors, found = 0;
    DIR *folder = opendir(is_named ? vendors : "/etc/OpenCL/vendors");

    if (!folder)
        return is_named;
    for (struct dirent *entry; !found && (entry = readdir(folder));)
        found = entry->d_name[0] != '.';
    closedir(folder);
    return found;
}

/* For dl_iterate_phdr: stores the path of the OpenCL library in `path`. */
static int find_loader(struct dl_phdr_info *info, size_t size, void *path)
{
    static const char name[] = "libOpenCL.so";
    const char *slash = strrchr(info->dlpi_name, '/');

    (void)size;
    if (strncmp(slash ? slash + 1 : info->dlpi_name, name, sizeof name - 1) != 0)
        return 0;
    *(const char **)path = info->dlpi_name;
    return 1;
}

/* Returns why the layer is not loaded: the process has no OpenCL library, has not called it, or has
 * one that loads no layers. Makes no system call, because it is called at the program's exit, where
 * a filter may forbid them. */
static const char *explain_missing_layer(void)
{
    static char text[PATH_MAX + 160];
    const char *loader = NULL;

    if (!dl_iterate_phdr(find_loader, &loader))
        return "This process has not called OpenCL yet";
    snprintf(text, sizeof text,
             "%s has loaded no layer: either the program has not called OpenCL, or this loader "
             "cannot load layers (ocl-icd 2.3 and Khronos' loader of 2021 can; see "
             "docs/opencl.md)",
             loader);
    return text;
}

static void opencl_probe(uint32_t question, StrobeProbe *answer)
{
    void *loader;

    answer->available = opencl_layer_is_awake();
    if (answer->available)
        return;
    if (question == STROBE_PROBE_PROCESS) {
        answer->available = 2;
        answer->reason = explain_missing_layer();
        answer->hint = "The OpenCL loader looks for layers at the first call: start the program by "
                       "strobe run";
        return;
    }
    loader = dlopen("libOpenCL.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (!loader) {
        answer->reason = "There is no OpenCL loader (libOpenCL.so.1)";
        answer->hint = "Install ocl-icd-libopencl1 and a driver, such as pocl-opencl-icd";
        return;
    }
    dlclose(loader);
    answer->available = has_driver();
    if (!answer->available) {
        answer->reason = "No OpenCL driver is registered (/etc/OpenCL/vendors)";
        answer->hint = "Install a driver, such as pocl-opencl-icd";
    }
}

static StrobeStatus declare_kinds(const StrobeHost *host, StrobeInstance *self)
{
    StrobeStatus status = host->kind(self, &opencl_task_kind, &opencl.task);

    if (status == STROBE_OK)
        status = host->kind(self, &strobe_kind_api_call, &opencl.call);
    if (status == STROBE_OK)
        status = host->kind(self, &strobe_kind_clock_sync, &opencl.pair);
    return status;
}

static StrobeStatus opencl_open(const StrobeHost *host, StrobeInstance *self, void **state)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    StrobeStatus status = declare_kinds(host, self);

    if (status != STROBE_OK)
        return status;
    pthread_once(&once, prepare_process);
    opencl.host = host;
    opencl.self = self;
    opencl.session++;
    opencl.records_calls = host->option_bool(self, "calls");
    opencl.clock_interval_ns = host->option_int(self, "clock_interval");
    opencl.at_exit = at_exit;
    atomic_store(&opencl.is_gone, 0);
    atomic_store(&opencl.is_open, 1);
    atomic_store(&opencl.is_forcing, host->option_bool(self, "profiling"));
    *state = &opencl;
    return STROBE_OK;
}

static StrobeStatus opencl_warm(void *state)
{
    opencl_mind_exit();
    measure_clocks();
    return STROBE_OK;
}

static void report_count(_Atomic uint64_t *counter, const char *what)
{
    uint64_t n = atomic_exchange(counter, 0);

    if (n)
        opencl.host->log(opencl.self, STROBE_LOG_WARNING, "%llu commands %s", (unsigned long long)n,
                         what);
}

static void tell_all(void)
{
    _Atomic uint64_t n_open = opencl_commands_count();

    if (atomic_load(&opencl.n_mistimed))
        opencl.host->lost(opencl.self, STROBE_LOSS_COLLECTOR_DROPPED,
                          atomic_load(&opencl.n_mistimed));
    if (atomic_load(&opencl.n_unmade))
        opencl.host->lost(opencl.self, STROBE_LOSS_COLLECTOR_DROPPED,
                          atomic_load(&opencl.n_unmade));
    report_count(&opencl.n_untimed,
                 "of queues without profiling have no times: they were made before the "
                 "session, or profiling=off");
    report_count(&opencl.n_mistimed,
                 "have no times, or an end before their start: they are not recorded");
    report_count(&opencl.n_failed, "ended with an error: they are not recorded");
    report_count(&opencl.n_unmade, "are not recorded: there was no memory to follow them");
    report_count(&n_open, "had not finished when the window ended");
}

/* Ends the window, if it has not ended yet. Is called by flush, or later if the host does not call
 * flush any more. */
static void end_window(void)
{
    if (!atomic_exchange(&opencl.is_ending, 0))
        return;
    if (!atomic_load(&opencl.is_gone))
        measure_clocks();
    tell_all();
}

static StrobeStatus opencl_start(void *state)
{
    OpenclDevice *device;

    end_window();
    opencl.window++;
    atomic_store(&opencl.n_untimed, 0);
    atomic_store(&opencl.n_mistimed, 0);
    atomic_store(&opencl.n_failed, 0);
    atomic_store(&opencl.n_unmade, 0);
    for (uint32_t i = 0; (device = opencl_device_at(i)); i++)
        opencl_clock_repeat(device);
    atomic_store_explicit(&opencl_is_on, 1, memory_order_release);
    return STROBE_OK;
}

static StrobeStatus opencl_stop(void *state)
{
    atomic_store_explicit(&opencl_is_on, 0, memory_order_release);
    atomic_store(&opencl.is_ending, 1);
    return STROBE_OK;
}

/* Waits for commands that the device executes. Does not wait for commands that themselves wait for
 * other events. */
static StrobeStatus opencl_flush(void *state, StrobeTicks deadline)
{
    if (!atomic_load(&opencl.is_gone) && opencl_commands_are_running() &&
        opencl.host->now() < deadline)
        return STROBE_AGAIN;
    end_window();
    return STROBE_OK;
}

static void opencl_close(void *state)
{
    atomic_store(&opencl.is_forcing, 0);
    end_window();
    atomic_store(&opencl.is_open, 0);
    if (!atomic_load(&opencl.is_gone))
        release_clocks();
}

const StrobeCollectorOps strobe_opencl_ops = {
    .struct_size = sizeof(StrobeCollectorOps),
    .probe = opencl_probe,
    .open = opencl_open,
    .warm = opencl_warm,
    .start = opencl_start,
    .stop = opencl_stop,
    .flush = opencl_flush,
    .close = opencl_close,
};
