/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report LIBC10: ns of a call with which an allocator of a device tells PyTorch's profiler of a
 * block, as nobody profiles; with memory-preload.so in LD_PRELOAD by way of that.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include "measure.h"

#define REPEATS 15
#define CALLS 1000000

typedef struct Device {
    int8_t type, index;
} Device;

typedef void Report(void *address, int64_t size, int64_t allocated, int64_t reserved,
                    Device device);

#define NAME "_ZN3c1027reportMemoryUsageToProfilerEPvlllNS_6DeviceE"

static double time_calls(Report *volatile *report)
{
    const Device device = {1, 0}; /* CUDA */
    double begin = now_ns();

    for (int64_t i = 0; i < CALLS; i++)
        (*report)(&begin, i, i, i, device);
    return (now_ns() - begin) / CALLS;
}

int main(int argc, char **argv)
{
    static Samples calls = {.name = "report"};
    void *library = argc < 2 ? NULL : dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);

    if (!library)
        fail("report LIBC10", argc < 2 ? "no library" : dlerror());
    void *front = dlsym(RTLD_DEFAULT, NAME), *found = front ? front : dlsym(library, NAME);
    Report *volatile report;
    *(void **)&report = found;
    if (!found || !front != !getenv("LD_PRELOAD"))
        fail("reportMemoryUsageToProfiler", "it is not where it is looked for");
    time_calls(&report);
    for (int i = 0; i < REPEATS; i++)
        samples_add(&calls, time_calls(&report));
    samples_print(&calls);
    return 0;
}
