/* SPDX-License-Identifier: Apache-2.0 */
/* plain-front.so: interposes the same functions as heap-preload.so and memory-preload.so, and only
 * calls the next definitions. Its cost is the floor for the cost of those libraries. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define API __attribute__((visibility("default")))

typedef struct Device {
    int8_t type, index;
} Device;

/* Set by the benchmark. */
API void (*plain_front_report)(void *, int64_t, int64_t, int64_t, Device);
extern __typeof__(plain_front_report) next_report
    __attribute__((alias("plain_front_report"), visibility("hidden")));

API void report(void *address, int64_t size, int64_t allocated, int64_t reserved,
                Device device) __asm__("_ZN3c1027reportMemoryUsageToProfilerEPvlllNS_6DeviceE");

void report(void *address, int64_t size, int64_t allocated, int64_t reserved, Device device)
{
    next_report(address, size, allocated, reserved, device);
}

static void *first_malloc(size_t size);
static void first_free(void *memory);
static void *(*next_malloc)(size_t) = first_malloc;
static void (*next_free)(void *) = first_free;

static void look_up(void)
{
    *(void **)&next_malloc = dlsym(RTLD_NEXT, "malloc");
    *(void **)&next_free = dlsym(RTLD_NEXT, "free");
}

static void *first_malloc(size_t size)
{
    look_up();
    return next_malloc(size);
}

static void first_free(void *memory)
{
    look_up();
    next_free(memory);
}

API void *malloc(size_t size)
{
    return next_malloc(size);
}

API void free(void *memory)
{
    next_free(memory);
}
