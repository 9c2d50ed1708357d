/* SPDX-License-Identifier: Apache-2.0 */
/* report LIBC10 MEMORY_PRELOAD PLAIN_FRONT: measures the ns of the call by which a device's
 * allocator reports a block to PyTorch's profiler while no profiler runs. The call is made in turn
 * directly, through memory-preload.so, and through plain-front.so, which only calls the next
 * function. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include "measure.h"

#define REPEATS 100
#define CALLS 200000

typedef struct Device {
    int8_t type, index;
} Device;

typedef void Report(void *address, int64_t size, int64_t allocated, int64_t reserved,
                    Device device);

/* SIGNED_NAME is the name of the function up to PyTorch 2.0 and of the function in plain-front.so,
 * UNSIGNED_NAME its name in later versions. */
#define SIGNED_NAME "_ZN3c1027reportMemoryUsageToProfilerEPvlllNS_6DeviceE"
#define UNSIGNED_NAME "_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE"

static double time_calls(Report *volatile *report)
{
    const Device device = {1, 0}; /* CUDA */
    double begin = now_ns();

    for (int64_t i = 0; i < CALLS; i++)
        (*report)(&begin, i, i, i, device);
    return (now_ns() - begin) / CALLS;
}

static void *load_library(const char *library)
{
    void *loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);

    if (!loaded)
        fail(library, dlerror());
    return loaded;
}

static void *find_symbol(const char *library, const char *name)
{
    void *found = dlsym(load_library(library), name);

    if (!found)
        fail(library, dlerror());
    return found;
}

int main(int argc, char **argv)
{
    static Samples samples[3] = {{.name = "direct"}, {.name = "front"}, {.name = "plain"}};
    Report *volatile ways[3];

    if (argc < 4)
        fail("usage", "report LIBC10 MEMORY_PRELOAD PLAIN_FRONT");
    const char *name = dlsym(load_library(argv[1]), SIGNED_NAME) ? SIGNED_NAME : UNSIGNED_NAME;
    *(void **)&ways[0] = find_symbol(argv[1], name);
    *(void **)&ways[1] = find_symbol(argv[2], name);
    *(void **)&ways[2] = find_symbol(argv[3], SIGNED_NAME);
    *(Report **)find_symbol(argv[3], "plain_front_report") = ways[0];
    for (int i = 0; i < 3 * REPEATS; i++)
        samples_add(&samples[i % 3], time_calls(&ways[i % 3]));
    for (int i = 0; i < 3; i++)
        samples_print(&samples[i]);
    return 0;
}
