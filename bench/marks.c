/* SPDX-License-Identifier: Apache-2.0 */
/* marks PLUGIN FOLDER [REPEATS]: measures the ns of an mstx range, an NVTX push and pop, and a
 * range of Strobe's own API, in turn, while a flight recorder records them. Also measures the ns of
 * an mstx mark, an NVTX mark and an empty loop while no session records. PLUGIN is marker.so; the
 * program gets its functions in the same way as the dispatchers that are compiled into programs. */
#include <dlfcn.h>
#include <stdio.h>
#include "measure.h"

#define CALLS 20000
#define IDLE_CALLS (100 * CALLS)

typedef void (*Function)(void);
typedef void (*Loop)(unsigned n);

static Function mstx[5], nvtx[16];
static Function *mstx_places[5], *nvtx_places[16];

static int get_mstx_table(int module, Function ***table, unsigned *size)
{
    *table = mstx_places;
    *size = 5;
    return module != 1;
}

static int get_nvtx_table(int module, Function ***table, unsigned *size)
{
    *table = nvtx_places;
    *size = 16;
    return module == 1;
}

static const void *get_nvtx_export(uint32_t id)
{
    static const struct {
        size_t size;
        int (*get)(int module, Function ***table, unsigned *size);
    } callbacks = {16, get_nvtx_table};

    return id == 1 ? &callbacks : NULL;
}

static void load_tool(const char *path)
{
    void *tool = dlopen(path, RTLD_NOW);

    for (int i = 1; i < 5; i++)
        mstx_places[i] = &mstx[i];
    for (int i = 1; i < 16; i++)
        nvtx_places[i] = &nvtx[i];
    if (!tool)
        fail("cannot load the plugin", dlerror());
    int (*init_mstx)(int (*)(int, Function ***, unsigned *)) =
        (int (*)(int (*)(int, Function ***, unsigned *)))dlsym(tool, "InitInjectionMstx");
    int (*init_nvtx)(const void *(*)(uint32_t)) =
        (int (*)(const void *(*)(uint32_t)))dlsym(tool, "InitializeInjectionNvtx2");
    if (!init_mstx || init_mstx(get_mstx_table) != 0 || !init_nvtx || !init_nvtx(get_nvtx_export))
        fail("the tool was not let in", path);
}

static void mstx_ranges(unsigned n)
{
    uint64_t (*start)(const char *, void *) = (uint64_t (*)(const char *, void *))mstx[2];
    void (*end)(uint64_t) = (void (*)(uint64_t))mstx[3];

    for (unsigned i = 0; i < n; i++)
        end(start("benchmark", NULL));
}

static void nvtx_ranges(unsigned n)
{
    int (*push)(const char *) = (int (*)(const char *))nvtx[9];
    int (*pop)(void) = (int (*)(void))nvtx[11];

    for (unsigned i = 0; i < n; i++) {
        push("benchmark");
        pop();
    }
}

static void strobe_ranges(unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        strobe_range_end(strobe_range_begin_argument("benchmark", i));
}

static void mstx_marks(unsigned n)
{
    void (*mark)(const char *, void *) = (void (*)(const char *, void *))mstx[1];

    for (unsigned i = 0; i < n; i++)
        mark("benchmark", NULL);
}

static void nvtx_marks(unsigned n)
{
    void (*mark)(const char *) = (void (*)(const char *))nvtx[2];

    for (unsigned i = 0; i < n; i++)
        mark("benchmark");
}

static void __attribute__((noinline)) empty(const char *message, void *stream)
{
    __asm__ volatile("" : : "r"(message), "r"(stream));
}

/* Runs an empty loop, which is the floor. */
static void empty_calls(unsigned n)
{
    void (*volatile place)(const char *, void *) = empty;
    void (*call)(const char *, void *) = place;

    for (unsigned i = 0; i < n; i++)
        call("benchmark", NULL);
}

static void run_nothing(unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        keep_value(i);
}

static double time_of(Loop loop, unsigned n)
{
    double begin = now_ns();

    loop(n);
    return (now_ns() - begin) / n;
}

struct measured {
    Loop loop;
    Samples samples;
};

static void measure_loops(struct measured *all, unsigned n, unsigned calls, long repeats)
{
    for (unsigned i = 0; i < n; i++)
        time_of(all[i].loop, calls);
    for (long r = 0; r < repeats; r++)
        for (unsigned i = 0; i < n; i++)
            samples_add(&all[i].samples, time_of(all[i].loop, calls));
    for (unsigned i = 0; i < n; i++)
        samples_print(&all[i].samples);
}

int main(int argc, char **argv)
{
    static struct measured idle[] = {{mstx_marks, {.name = "mstx_idle"}},
                                     {nvtx_marks, {.name = "nvtx_idle"}},
                                     {empty_calls, {.name = "empty_call"}},
                                     {run_nothing, {.name = "nothing"}}};
    static struct measured busy[] = {{mstx_ranges, {.name = "mstx"}},
                                     {nvtx_ranges, {.name = "nvtx"}},
                                     {strobe_ranges, {.name = "strobe"}}};

    if (argc < 3)
        fail("usage", "marks PLUGIN FOLDER [REPEATS]");
    long repeats = number_argument(argc, argv, 3, 50);
    load_tool(argv[1]);
    measure_loops(idle, 4, IDLE_CALLS, repeats / 5 + 1);
    StrobeSession *session =
        session_begin_with(argv[2], "\"collectors\": {\"marker\": {}}, "
                                    "\"buffer\": {\"size\": \"64MB\", \"policy\": \"ring\"}");
    measure_loops(busy, 3, CALLS, repeats);
    session_stop(session);
    if (*strobe_session_diagnostics(session))
        fail("the session is incomplete", strobe_session_diagnostics(session));
    strobe_session_free(session);
    return 0;
}
