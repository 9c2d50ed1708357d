/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that "uses" an NPU. It is linked with the test double of CANN, as programs are linked
 * with CANN, and plays a script into the double of MSPTI if that is loaded. A script has the lines
 * of mspti-double.h, and:
 *
 *   sleep MS         waits
 *   kernels N STEP   this number of kernels
 *   print NAME       prints a number of the double, by its name
 *   mark NAME STREAM, range NAME STREAM, end    marks of mstx, STREAM 0: none; `end` ends the last
 *                    range
 *   bridge start, bridge stop    another client of MSPTI, like torch_npu's bridge to Kineto
 *
 * It prints the moment from which the script's times count, and always exits with 0.
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
    /* plays lines into operators_double.c, if OPERATORS_DOUBLE has the path of its library */
    MsptiDoublePlay *operators;
} mspti;

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void load_double(void)
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

static void find_operators(void)
{
    const char *path = getenv("OPERATORS_DOUBLE");
    void *library = path ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : NULL;

    if (library)
        mspti.operators = (MsptiDoublePlay *)dlsym(library, "operators_double_play");
}

/* ---- another client ---- */

/* Kinds that torch_npu's bridge enables at its start and disables at its stop. */
static const int bridge_kinds[] = {2, 8, 9, 10};
static unsigned n_bridged;

static void bridge_request(uint8_t **buffer, size_t *size, size_t *max_records)
{
    *size = 1 << 20;
    *buffer = malloc(*size);
    *max_records = 0;
}

/* Frees the buffer, as the bridge does with every buffer that it gets. */
static void bridge_complete(uint8_t *buffer, size_t size, size_t valid)
{
    n_bridged += valid > 0;
    free(buffer);
}

static void *function_of(const char *name)
{
    const char *home = getenv("ASCEND_HOME_PATH");
    char path[4096];

    snprintf(path, sizeof path, "%s/lib64/libmspti.so", home ? home : "");
    void *library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    return library ? dlsym(library, name) : NULL;
}

/* Plays a line of the bridge, which ignores that there already is a subscriber. Returns 1 if the
 * line is not for the bridge. */
static int play_bridge(const char *line)
{
    int starts = !strncmp(line, "bridge start", 12);
    int (*subscribe)(void **, void *, void *) = function_of("msptiSubscribe");
    int (*register_callbacks)(void *, void *) = function_of("msptiActivityRegisterCallbacks");
    int (*flush)(uint32_t) = function_of("msptiActivityFlushAll");
    int (*set)(int) = function_of(starts ? "msptiActivityEnable" : "msptiActivityDisable");
    void *handle;

    if (strncmp(line, "bridge ", 7) != 0)
        return 1;
    if (starts) {
        subscribe(&handle, NULL, NULL);
        register_callbacks(bridge_request, bridge_complete);
    } else {
        flush(1);
    }
    for (size_t i = 0; i < sizeof bridge_kinds / sizeof *bridge_kinds; i++)
        set(bridge_kinds[i]);
    if (!starts)
        printf("bridged %u\n", n_bridged);
    return 0;
}

static int play_line(const char *line, uint64_t base)
{
    unsigned long long n, step;
    int ms;

    if (sscanf(line, "sleep %d", &ms) == 1)
        return usleep((useconds_t)ms * 1000);
    int result = mspti.operators ? mspti.operators(line, base) : 1;
    if (result != 1 || !mspti.play)
        return result == -1 ? -1 : 0;
    if (play_bridge(line) == 0)
        return 0;
    if (sscanf(line, "kernels %llu %llu", &n, &step) == 2) {
        mspti.kernels(n, 1, base, step);
        return 0;
    }
    if (!strncmp(line, "print dropped", 13))
        return printf("dropped %llu\n", (unsigned long long)mspti.get()->n_dropped) < 0;
    return mspti.play(line, base);
}

/* ---- marks, as the header-only form of mstx has them ---- */

typedef void (*Function)(void);

static void (*mstx_mark)(const char *, void *);
static uint64_t (*mstx_start)(const char *, void *);
static void (*mstx_end)(uint64_t);

static int get_table(int module, Function ***table, unsigned *size)
{
    static Function *places[] = {NULL, (Function *)&mstx_mark, (Function *)&mstx_start,
                                 (Function *)&mstx_end};

    if (module != 1 || !table || !size)
        return 1;
    *table = places;
    *size = 4;
    return 0;
}

static void find_tool(void)
{
    const char *path = getenv("MSTX_INJECTION_PATH");
    void *tool = path ? dlopen(path, RTLD_LAZY | RTLD_LOCAL) : NULL;
    int (*init)(int (*)(int, Function ***, unsigned *)) = (int (*)(
        int (*)(int, Function ***, unsigned *)))(tool ? dlsym(tool, "InitInjectionMstx") : NULL);

    if (init)
        init(get_table);
}

/* Plays a line of a mark. Returns 1 if the line is no mark. */
static int play_mark(const char *line)
{
    static uint64_t id;
    char name[128];
    unsigned long stream;

    if (sscanf(line, "mark %127s %lu", name, &stream) == 2 && mstx_mark)
        mstx_mark(name, (void *)(uintptr_t)stream);
    else if (sscanf(line, "range %127s %lu", name, &stream) == 2 && mstx_start)
        id = mstx_start(name, (void *)(uintptr_t)stream);
    else if (!strncmp(line, "end", 3) && mstx_end)
        mstx_end(id);
    else
        return 1;
    return 0;
}

int aclInit(void);

int main(int argc, char **argv)
{
    char line[1024];
    FILE *script = argc > 1 ? fopen(argv[1], "re") : NULL;

    aclInit();
    load_double();
    find_operators();
    find_tool();
    uint64_t base = now_ns();
    printf("base %llu %s\n", (unsigned long long)base, mspti.play ? "attached" : "alone");
    while (script && fgets(line, sizeof line, script))
        if (line[0] != '\n' && line[0] != '#' && play_mark(line) != 0 && play_line(line, base) != 0)
            fprintf(stderr, "cannot play: %s", line);
    if (script)
        fclose(script);
    puts("done");
    return 0;
}
