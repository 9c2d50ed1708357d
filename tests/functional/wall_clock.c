/* SPDX-License-Identifier: Apache-2.0 */
/* wall_clock.so: preloaded, replaces the wall clock of this process by a simulated one, which a
 * test can set. */
#include <dlfcn.h>
#include <stdint.h>
#include <time.h>

#define SECOND_NS 1000000000

void wall_clock_move(int64_t ns);
uint64_t wall_clock_now(void);

static _Atomic int64_t moved_ns;

__attribute__((visibility("default"))) void wall_clock_move(int64_t ns)
{
    moved_ns += ns;
}

__attribute__((visibility("default"))) int clock_gettime(clockid_t id, struct timespec *out)
{
    static int (*_Atomic real)(clockid_t, struct timespec *);
    int64_t by = moved_ns;

    if (!real)
        real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(id, out);
    if (result == 0 && id == CLOCK_REALTIME && by) {
        int64_t ns = (int64_t)out->tv_sec * SECOND_NS + out->tv_nsec + by;
        out->tv_sec = ns / SECOND_NS;
        out->tv_nsec = ns % SECOND_NS;
    }
    return result;
}

__attribute__((visibility("default"))) uint64_t wall_clock_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}
