/* SPDX-License-Identifier: Apache-2.0 */
/* The device's clock, the calls that fail, and the report for the test. */
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "opencl-double.h"

/* The values of the variables, which the first caller reads. */
static struct {
    int64_t begin_ns, jump_at_ns, jump_ns;
    double ppm;
    const char *fails;
    unsigned long from_call, n_calls;
} settings;

static void read_settings(void)
{
    const char *clock = getenv("OPENCL_DOUBLE_CLOCK"), *fails = getenv("OPENCL_DOUBLE_FAIL");
    double ppm = 0, at_ms = 0, jump = 0;

    if (clock)
        sscanf(clock, "%lf,%lf,%lf", &ppm, &at_ms, &jump);
    settings.begin_ns = double_host_ns();
    settings.ppm = ppm;
    settings.jump_at_ns = (int64_t)(at_ms * 1e6);
    settings.jump_ns = (int64_t)jump;
    settings.fails = fails;
    settings.from_call =
        fails && strchr(fails, ':') ? strtoul(strchr(fails, ':') + 1, NULL, 10) : 1;
}

static void set_up(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, read_settings);
}

int double_fails(const char *name)
{
    size_t length = strlen(name);

    set_up();
    if (!settings.fails || strncmp(settings.fails, name, length) != 0 ||
        (settings.fails[length] && settings.fails[length] != ':'))
        return 0;
    return __atomic_add_fetch(&settings.n_calls, 1, __ATOMIC_RELAXED) >= settings.from_call;
}

int64_t double_host_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int64_t without_jump(int64_t since_ns)
{
    return 7777000000000 + since_ns + (int64_t)((double)since_ns * settings.ppm / 1e6);
}

static int64_t compute_jump(int64_t since_ns)
{
    return settings.jump_at_ns && since_ns >= settings.jump_at_ns ? settings.jump_ns : 0;
}

uint64_t double_device_ns(int64_t host_ns)
{
    set_up();
    int64_t since = host_ns - settings.begin_ns;

    return (uint64_t)(without_jump(since) + compute_jump(since));
}

void double_times(int64_t begin_ns, int64_t end_ns, uint64_t *begin, uint64_t *end)
{
    *begin = double_device_ns(begin_ns);
    *end = *begin + (uint64_t)(without_jump(end_ns) - without_jump(begin_ns));
}

int32_t double_timer(Object *device, uint64_t *device_time, uint64_t *host_time)
{
    const char *works = getenv("OPENCL_DOUBLE_TIMER");
    int64_t now = double_host_ns();

    if (!works || *works != '1' || double_fails("clGetDeviceAndHostTimer"))
        return INVALID_OPERATION;
    *device_time = double_device_ns(now);
    *host_time = 12345; /* a time of an unknown clock */
    return SUCCESS;
}

void double_report(const char *format, ...)
{
    const char *path = getenv("OPENCL_DOUBLE_REPORT");
    int file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    va_list args;

    if (file < 0)
        return;
    va_start(args, format);
    vdprintf(file, format, args);
    va_end(args);
    close(file);
}
