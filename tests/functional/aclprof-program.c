/* SPDX-License-Identifier: Apache-2.0 */
/* A program that "uses" an NPU. It is linked with the test double of AscendCL, as programs are
 * linked with CANN. It waits for the ms of argument 1, initialises AscendCL, waits until a profiler
 * was started or refused (at most the ms of argument 2), launches the number of simulated kernels
 * of argument 3, which the double of aclprof logs if it is loaded, and exits with 0. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "../aclprof-double/aclprof-double.h"

int aclInit(const char *config);

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void await_profiler(int ms)
{
    AclprofDoubleAttempts *attempts =
        (AclprofDoubleAttempts *)dlsym(RTLD_DEFAULT, "aclprof_double_attempts");

    for (int i = 0; attempts && i < ms && !attempts(); i++)
        usleep(1000);
    usleep(5000);
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    usleep((useconds_t)atoi(argv[1]) * 1000);
    aclInit(NULL);
    await_profiler(atoi(argv[2]));
    AclprofDoubleLaunch *launch =
        (AclprofDoubleLaunch *)dlsym(RTLD_DEFAULT, "aclprof_double_launch");
    for (int i = 0; launch && i < atoi(argv[3]); i++) {
        uint64_t begin = now_ns();
        usleep(100);
        launch(begin, now_ns(), 1000u * (uint64_t)(i + 1));
    }
    printf("%s\ndone\n", launch ? "attached" : "alone");
    return 0;
}
