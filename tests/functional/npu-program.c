/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that "uses" an NPU: it is linked with CANN's double, as programs are with CANN, and
 * plays a script into MSPTI's, if anybody has loaded that. Lines of the script are those of
 * mspti-double.h, and:
 *
 *   sleep MS         lets time go by
 *   kernels N STEP   so many kernels
 *   print NAME       a number of the double's, by its name
 *
 * It prints the moment from which the script's times count, and always ends well.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../mspti-double/mspti-double.h"

static struct {
    MsptiDoublePlay *play;
    MsptiDoubleKernels *kernels;
    MsptiDoubleGet *get;
} mspti;

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void load(void)
{
    const char *home = getenv("ASCEND_HOME_PATH");
    char path[4096];

    if (!home)
        return;
    snprintf(path, sizeof path, "%s/lib64/libmspti.so", home);
    void *library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    if (!library)
        return;
    mspti.play = (MsptiDoublePlay *)dlsym(library, "mspti_double_play");
    mspti.kernels = (MsptiDoubleKernels *)dlsym(library, "mspti_double_kernels");
    mspti.get = (MsptiDoubleGet *)dlsym(library, "mspti_double");
}

static int play(const char *line, uint64_t base)
{
    unsigned long long n, step;
    int ms;

    if (sscanf(line, "sleep %d", &ms) == 1)
        return usleep((useconds_t)ms * 1000);
    if (!mspti.play)
        return 0;
    if (sscanf(line, "kernels %llu %llu", &n, &step) == 2) {
        mspti.kernels(n, 1, base, step);
        return 0;
    }
    if (!strncmp(line, "print dropped", 13))
        return printf("dropped %llu\n", (unsigned long long)mspti.get()->n_dropped) < 0;
    return mspti.play(line, base);
}

int aclInit(void);

int main(int argc, char **argv)
{
    char line[1024];
    FILE *script = argc > 1 ? fopen(argv[1], "re") : NULL;

    aclInit();
    load();
    uint64_t base = now_ns();
    printf("base %llu %s\n", (unsigned long long)base, mspti.play ? "attached" : "alone");
    while (script && fgets(line, sizeof line, script))
        if (line[0] != '\n' && line[0] != '#' && play(line, base) != 0)
            fprintf(stderr, "cannot play: %s", line);
    if (script)
        fclose(script);
    puts("done");
    return 0;
}
