/* SPDX-License-Identifier: Apache-2.0 */
/* The allocator of a simulated device. A separate thread allocates its first block, and the
 * constructor of the library waits for this thread, while the thread that loads the library holds
 * the loader's lock. */
#include <pthread.h>
#include <stdint.h>
#include <time.h>

#define API __attribute__((visibility("default")))

typedef struct Device {
    int8_t type, index;
} Device;

void report(void *address, int64_t size, int64_t allocated, int64_t reserved,
            Device device) __asm__("_ZN3c1027reportMemoryUsageToProfilerEPvlllNS_6DeviceE");

API int allocator_double_was_stuck = 1;

API void allocator_double_take(int64_t size);

void allocator_double_take(int64_t size)
{
    report(&allocator_double_was_stuck, size, size, size, (Device){1, 0});
}

static void *take_first(void *unused)
{
    allocator_double_take(4096);
    return unused;
}

static __attribute__((constructor)) void warm_up(void)
{
    struct timespec until;
    pthread_t thread;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 5;
    if (pthread_create(&thread, NULL, take_first, NULL) == 0)
        allocator_double_was_stuck = pthread_timedjoin_np(thread, NULL, &until) != 0;
}
