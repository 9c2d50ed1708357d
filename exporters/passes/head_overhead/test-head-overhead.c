/* SPDX-License-Identifier: Apache-2.0 */
/* Checks each rule on a thread that the test makes. Times are in us. */
#include <stdlib.h>
#include <string.h>

#include "test-device.h"

#include "head-overhead.h"

#define US 1000
#define ABSENT STROBE_ABSENT_I64

#define INFERENCE "npu_fx_compiler inference"
#define CACHE "cache_compiler inference"
#define RUN "TorchNpuGraphBase::Run"
#define LOOKUP "TorchDynamo Cache Lookup"

typedef struct Mark {
    const char *name;
    int64_t begin, end;
} Mark;

static gint by_end(gconstpointer a, gconstpointer b)
{
    const Mark *x = a, *y = b;

    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    return x->begin > y->begin ? -1 : 1;
}

/* Adds the marks in the order in which a thread records them: inner marks first. A name that begins
 * with "frame " is that of a Python call. */
static void add_marks(StrobeMockHost *mock, StrobeTrackId track, const Mark *marks, size_t n,
                      int64_t shift)
{
    g_autofree Mark *sorted = g_memdup2(marks, n * sizeof *marks);

    qsort(sorted, n, sizeof *sorted, by_end);
    for (size_t i = 0; i < n; i++) {
        int64_t begin = (sorted[i].begin + shift) * US, end = (sorted[i].end + shift) * US;
        if (g_str_has_prefix(sorted[i].name, "frame ")) {
            TEST_FIELDS(python_call, call);
            TEST_ADD(mock, python_call, track, sorted[i].name + strlen("frame "), begin, end,
                     &call);
        } else {
            TEST_FIELDS(cpu_op, op);
            TEST_ADD(mock, cpu_op, track, sorted[i].name, begin, end, &op);
        }
    }
}

static void add_step(StrobeMockHost *mock, int64_t number, int64_t begin, int64_t end)
{
    struct strobe_step fields = {.number = number};
    g_autofree char *name = g_strdup_printf("ProfilerStep#%d", (int)number);

    strobe_mock_add(mock, &strobe_kind_step,
                    strobe_mock_track(mock, STROBE_TRACK_STEPS, 0, "", "", -1),
                    strobe_mock_string(mock, name), begin * US, end * US, &fields);
}

static void add_kernel(StrobeMockHost *mock, int64_t begin)
{
    test_task(mock, test_stream(mock, 0, 2), "Add", "AI_CORE", begin * US, (begin + 5) * US, 1);
}

/* Returns the emitted records of one kind. The mock host still owns the views. */
static GPtrArray *of_kind(StrobeMockHost *mock, const char *kind)
{
    GPtrArray *found = g_ptr_array_new();
    const StrobeView *views;
    size_t n = strobe_mock_emitted(mock, &views);

    for (size_t i = 0; i < n; i++)
        if (strcmp(views[i].kind->name, kind) == 0)
            g_ptr_array_add(found, (gpointer)&views[i]);
    return found;
}

static const struct strobe_head_overhead *get_inference(StrobeMockHost *mock, guint index)
{
    g_autoptr(GPtrArray) found = of_kind(mock, "head_overhead");

    g_assert_cmpuint(found->len, >, index);
    return ((const StrobeView *)found->pdata[index])->fields;
}

static void check_text(StrobeMockHost *mock, StrobeStringId id, const char *wanted)
{
    g_assert_cmpstr(strobe_mock_text(mock, id), ==, wanted);
}

/* Runs the pass on one thread. The caller must free the mock host. */
static StrobeMockHost *run_marks(const Mark *marks, size_t n)
{
    StrobeMockHost *mock = test_device_host(3);

    add_marks(mock, test_thread(mock, 7), marks, n, 0);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    return mock;
}

#define RUN_MARKS(...)                                                                             \
    run_marks((const Mark[]){__VA_ARGS__}, sizeof((const Mark[]){__VA_ARGS__}) / sizeof(Mark))

static const Mark fix_1[] = {
    {LOOKUP, 1000, 1120},           {"Torch-Compiled Region: 0/0", 1125, 2500},
    {INFERENCE, 1200, 2400},        {RUN, 1500, 2300},
    {"AssembleInputs", 1510, 1600}, {"AssembleOutputs", 1610, 1650},
    {"ExecuteGraph", 1700, 2000},   {"RefreshAtTensorFromGeTensor", 2010, 2200},
};

static void check_us(int64_t ns, int64_t us)
{
    g_assert_cmpint(ns, ==, us == ABSENT ? ABSENT : us * US);
}

static void check_fix_1(StrobeMockHost *mock, const struct strobe_head_overhead *f)
{
    check_us(f->framework, 200);
    check_us(f->python, 300);
    check_us(f->cpp, 200);
    check_us(f->torchair, 500);
    check_us(f->ge, 700);
    check_us(f->ge_to_first_kernel, 250);
    check_us(f->total, 1400);
    check_us(f->to_first_kernel, 950);
    check_us(f->ge_execute, 300);
    check_us(f->ge_refresh, 190);
    check_us(f->ge_rest, 210);
    check_us(f->cpp_inputs, 90);
    check_us(f->cpp_outputs, 40);
    check_us(f->cpp_load, 0);
    check_us(f->cpp_rest, 70);
    check_us(f->python_rest, 300);
    check_us(f->lookup, 120);
    g_assert_cmpfloat(f->ge_share, ==, 50);
    g_assert_cmpfloat_with_epsilon(f->framework_share, 100.0 / 7, 1e-9);
    check_text(mock, f->mode, "ge");
    check_text(mock, f->entry_source, "lookup");
    check_text(mock, f->marker, "inference");
    check_text(mock, f->error, "");
    g_assert_false(f->is_upper_bound || f->is_compile || f->is_nested);
}

static void test_fix_1(void)
{
    StrobeMockHost *mock = test_device_host(3);
    GPtrArray *found;

    add_marks(mock, test_thread(mock, 7), fix_1, G_N_ELEMENTS(fix_1), 0);
    add_kernel(mock, 1690); /* the kernel belongs to earlier work */
    add_kernel(mock, 1950);
    /* The same names on a row of a device are ignored. */
    add_marks(mock, test_stream(mock, 0, 9), fix_1, G_N_ELEMENTS(fix_1), 0);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    found = of_kind(mock, "head_overhead");
    g_assert_cmpuint(found->len, ==, 1);
    g_assert_cmpint(((StrobeView *)found->pdata[0])->begin_ns, ==, 1000 * US);
    g_assert_cmpint(((StrobeView *)found->pdata[0])->end_ns, ==, 2400 * US);
    check_fix_1(mock, get_inference(mock, 0));
    g_assert_cmpint(get_inference(mock, 0)->step, ==, ABSENT);
    g_assert_cmpint(get_inference(mock, 0)->platform, ==, ABSENT);
    g_assert_cmpuint(get_inference(mock, 0)->thread, ==, 7);
    g_ptr_array_unref(found);
    strobe_mock_free(mock);
}

/* A kernel that was launched by an operator in the call takes precedence over a kernel that only
 * follows the call. */
static void test_linked_kernel(void)
{
    StrobeMockHost *mock = test_device_host(3);
    StrobeTrackId thread = test_thread(mock, 7);
    TEST_FIELDS(kernel_link, link);

    add_marks(mock, thread, fix_1, G_N_ELEMENTS(fix_1), 0);
    add_kernel(mock, 1750);
    g_assert_cmpint(strobe_mock_open(mock), ==, STROBE_OK);
    g_assert_cmpint(strobe_mock_send(mock), ==, STROBE_OK);
    g_assert_cmpint(strobe_mock_raw_end(mock), ==, STROBE_OK);
    link.to_begin = 1950 * US;
    TEST_ADD(mock, kernel_link, thread, "x", 1800 * US, 1800 * US, &link);
    link.to_begin = 1720 * US; /* launched by an operator that comes after the call */
    TEST_ADD(mock, kernel_link, thread, "x", 2100 * US, 2100 * US, &link);
    TEST_ADD(mock, kernel_link, test_thread(mock, 8), "x", 1800 * US, 1800 * US, &link);
    g_assert_cmpint(strobe_mock_send(mock), ==, STROBE_OK);
    g_assert_cmpint(strobe_mock_end(mock), ==, STROBE_OK);
    check_fix_1(mock, get_inference(mock, 0));
    strobe_mock_close(mock);
    strobe_mock_free(mock);
}

static void test_without_kernels(void)
{
    StrobeMockHost *mock = run_marks(fix_1, G_N_ELEMENTS(fix_1));

    check_us(get_inference(mock, 0)->ge_to_first_kernel, ABSENT);
    check_us(get_inference(mock, 0)->to_first_kernel, ABSENT);
    check_us(get_inference(mock, 0)->ge, 700);
    strobe_mock_free(mock);
}

/* A kernel after the next inference of the thread belongs to that inference. */
static void test_kernel_of_the_next(void)
{
    StrobeMockHost *mock = test_device_host(3);
    StrobeTrackId thread = test_thread(mock, 7);

    add_marks(mock, thread, fix_1, G_N_ELEMENTS(fix_1), 0);
    add_marks(mock, thread, fix_1, G_N_ELEMENTS(fix_1), 2000);
    add_kernel(mock, 3950);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    check_us(get_inference(mock, 0)->ge_to_first_kernel, ABSENT);
    check_us(get_inference(mock, 1)->ge_to_first_kernel, 250);
    strobe_mock_free(mock);
}

/* The names are spelled as in the vendor's case study. */
static void test_spelling(void)
{
    StrobeMockHost *mock =
        RUN_MARKS({" npu_fx  compiler_inference_", 100, 200}, {"ExecuteGraph", 150, 160});

    check_us(get_inference(mock, 0)->torchair, 50);
    strobe_mock_free(mock);
    mock = RUN_MARKS({"NPU_fx_compiler inference", 100, 200});
    g_autoptr(GPtrArray) none = of_kind(mock, "head_overhead");
    g_assert_cmpuint(none->len, ==, 0);
    strobe_mock_free(mock);
}

/* ---- finding the entry ---- */

static void check_entry(StrobeMockHost *mock, guint index, const char *source, int64_t framework,
                        gboolean is_upper_bound)
{
    const struct strobe_head_overhead *f = get_inference(mock, index);

    check_text(mock, f->entry_source, source);
    check_us(f->framework, framework);
    g_assert_cmpint(f->is_upper_bound, ==, is_upper_bound);
}

static void test_entry_sources(void)
{
    StrobeMockHost *mock = test_device_host(3);
    static const Mark marks[] = {{"serve 1", 50, 300}, {LOOKUP, 60, 70}, {INFERENCE, 100, 200}};

    strobe_mock_option(mock, "entry", "^serve [0-9]$");
    add_marks(mock, test_thread(mock, 7), marks, G_N_ELEMENTS(marks), 0);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    check_entry(mock, 0, "pattern", 50, FALSE);
    strobe_mock_free(mock);

    mock = RUN_MARKS({LOOKUP, 60, 70}, {CACHE, 80, 250}, {INFERENCE, 100, 200});
    check_entry(mock, 0, "cache", 20, FALSE);
    strobe_mock_free(mock);
    mock =
        RUN_MARKS({"Torch-Compiled Region: 1/2", 70, 250}, {LOOKUP, 80, 85}, {INFERENCE, 100, 200});
    check_entry(mock, 0, "region", 30, FALSE);
    strobe_mock_free(mock);
    mock = RUN_MARKS({"frame torch/_dynamo/eval_frame.py(328): _fn", 40, 300},
                     {"frame nn.Module: OptimizedModule_0", 45, 290},
                     {"frame model.py(1): forward", 10, 400}, {INFERENCE, 100, 200});
    check_entry(mock, 0, "frame", 60, FALSE);
    strobe_mock_free(mock);
    /* The entry of the second inference is the end of the first one, whose entry is the first event
     * of the thread. */
    mock = RUN_MARKS({"aten::add", 20, 30}, {INFERENCE, 100, 200}, {INFERENCE, 260, 300});
    check_entry(mock, 0, "thread", 80, TRUE);
    check_entry(mock, 1, "previous", 60, TRUE);
    strobe_mock_free(mock);
}

static void test_entry_by_step(void)
{
    StrobeMockHost *mock = test_device_host(3);
    static const Mark marks[] = {{LOOKUP, 10, 20}, /* in the step before */
                                 {INFERENCE, 100, 200},
                                 {INFERENCE, 260, 300}};

    add_marks(mock, test_thread(mock, 7), marks, G_N_ELEMENTS(marks), 0);
    add_step(mock, 4, 50, 400);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    check_entry(mock, 0, "step", 50, TRUE);
    check_us(get_inference(mock, 0)->platform, 0);
    check_entry(mock, 1, "previous", 60, TRUE);
    g_assert_cmpint(get_inference(mock, 1)->step, ==, 4);
    g_assert_cmpuint(get_inference(mock, 1)->graph, ==, 2);
    strobe_mock_free(mock);
}

static void test_wrong_pattern(void)
{
    StrobeMockHost *mock = test_device_host(3);

    strobe_mock_option(mock, "entry", "(");
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_ERROR_ARGUMENT);
    strobe_mock_free(mock);
}

/* ---- modes ---- */

/* Only the cached entry has a mark, and most of the time is in the C++ side. Times are in units of
 * 10 us. */
static void test_cached(void)
{
    StrobeMockHost *mock = RUN_MARKS({LOOKUP, 10, 20}, {CACHE, 100, 6590}, {RUN, 180, 6590},
                                     {"AssembleInputs", 190, 6480}, {"ExecuteGraph", 6481, 6538},
                                     {"RefreshAtTensorFromGearsGeTensor", 6540, 6580});
    const struct strobe_head_overhead *f = get_inference(mock, 0);

    check_text(mock, f->marker, "cache");
    check_entry(mock, 0, "lookup", 90, FALSE);
    check_us(f->torchair, 6381);
    check_us(f->python, 80);
    check_us(f->cpp, 6301);
    check_us(f->cpp_inputs, 6290);
    check_us(f->ge, 109);
    strobe_mock_free(mock);
    /* The lookup is inside the cached entry, so the cached entry is the entry of the inference. */
    mock = RUN_MARKS({CACHE, 100, 300}, {LOOKUP, 110, 120}, {"ExecuteGraph", 200, 250});
    check_entry(mock, 0, "cache", 0, FALSE);
    strobe_mock_free(mock);
}

static void check_mode(StrobeMockHost *mock, const char *mode, int64_t torchair, int64_t python,
                       int64_t ge, int64_t total)
{
    const struct strobe_head_overhead *f = get_inference(mock, 0);

    check_text(mock, f->mode, mode);
    check_us(f->torchair, torchair);
    check_us(f->python, python);
    check_us(f->ge, ge);
    check_us(f->total, total);
    strobe_mock_free(mock);
}

static void test_modes(void)
{
    check_mode(RUN_MARKS({INFERENCE, 100, 200}, {RUN, 110, 190}, {"RunGraph", 140, 180}), "ge", 40,
               10, 60, 100);
    check_mode(RUN_MARKS({INFERENCE, 100, 200}, {"acl_graph_replay", 130, 190}), "aclgraph", 30,
               ABSENT, ABSENT, 100);
    check_mode(RUN_MARKS({INFERENCE, 100, 200}, {"fx_run_eagerly", 130, 190}), "eager", ABSENT,
               ABSENT, ABSENT, 100);
    check_mode(RUN_MARKS({INFERENCE, 100, 200}), "unknown", ABSENT, ABSENT, ABSENT, 100);
    /* Without the entry into C++ the times of the two sides are unknown. */
    check_mode(RUN_MARKS({INFERENCE, 100, 200}, {"ExecuteGraph", 150, 190}), "ge", 50, ABSENT, 50,
               100);
    /* The call inside the C++ side counts, and ExecuteGraph takes precedence over RunGraph. */
    check_mode(RUN_MARKS({INFERENCE, 100, 200}, {"ExecuteGraph", 105, 106}, {RUN, 110, 190},
                         {"RunGraph", 120, 125}, {"ExecuteGraph", 150, 180}),
               "ge", 50, 10, 50, 100);
}

static void test_compile(void)
{
    static const char *const names[] = {"TorchNpuGraphBase::Load", "TorchNpuGraphBase::Compile",
                                        "TorchNpuGraphBase::AutoTune", "LoadGraph",
                                        "acl_graph_capture"};

    for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
        StrobeMockHost *mock =
            RUN_MARKS({LOOKUP, 50, 60}, {names[i], 70, 80}, {INFERENCE, 100, 200},
                      {INFERENCE, 300, 400}, {names[i], 310, 320}, {INFERENCE, 500, 600});
        GPtrArray *summary = of_kind(mock, "head_overhead_summary");
        g_assert_true(get_inference(mock, 0)->is_compile);
        g_assert_true(get_inference(mock, 1)->is_compile);
        g_assert_false(get_inference(mock, 2)->is_compile);
        /* The inference has a record, but is not part of the statistics. */
        const struct strobe_head_overhead_summary *f = ((StrobeView *)summary->pdata[0])->fields;
        g_assert_cmpuint(f->count, ==, 1);
        g_assert_cmpfloat(f->mean, ==, 100 * US);
        g_ptr_array_unref(summary);
        strobe_mock_free(mock);
    }
}

static void test_nested(void)
{
    StrobeMockHost *mock = RUN_MARKS({INFERENCE, 100, 500}, {INFERENCE, 150, 300}, {RUN, 160, 290},
                                     {"ExecuteGraph", 200, 250});

    g_assert_false(get_inference(mock, 0)->is_nested);
    g_assert_true(get_inference(mock, 1)->is_nested);
    check_us(get_inference(mock, 1)->total, 150);
    check_us(get_inference(mock, 1)->torchair, ABSENT);
    g_assert_cmpuint(get_inference(mock, 1)->graph, ==, 0);
    check_us(get_inference(mock, 0)->torchair, 100);
    strobe_mock_free(mock);
}

/* ---- causes ---- */

/* Only outermost operators before the C++ side count; their times include the operators that they
 * call. */
static void test_python_causes(void)
{
    StrobeMockHost *mock = RUN_MARKS(
        {"aten::add", 90, 99}, {INFERENCE, 100, 1000}, {"aten::tensor", 110, 150},
        {"aten::empty", 120, 140}, {"aten::full_like", 160, 170}, {"aten::contiguous", 200, 260},
        {"aten::clone", 210, 250}, {"aten::copy_", 220, 240}, {"aten::_to_copy", 270, 275},
        {"aten::to", 300, 330}, {"aten::_to_copy", 305, 325}, {RUN, 500, 900},
        {"aten::copy_", 510, 520}, {"ExecuteGraph", 600, 800});
    const struct strobe_head_overhead *f = get_inference(mock, 0);

    check_us(f->python, 400);
    check_us(f->python_build, 50);
    check_us(f->python_contiguous, 65);
    check_us(f->python_aten, 30);
    check_us(f->python_rest, 255);
    strobe_mock_free(mock);
}

/* A negative part is emitted unchanged, and is not part of the statistics. */
static void test_contradictions(void)
{
    StrobeMockHost *mock =
        RUN_MARKS({INFERENCE, 100, 500}, {"ExecuteGraph", 150, 160}, {RUN, 200, 400});
    GPtrArray *summary = of_kind(mock, "head_overhead_summary");

    check_text(mock, get_inference(mock, 0)->error, "GE is called before the C++ side begins");
    check_us(get_inference(mock, 0)->cpp, -50);
    g_assert_cmpuint(summary->len, ==, 0);
    g_ptr_array_unref(summary);
    strobe_mock_free(mock);
    mock = RUN_MARKS({INFERENCE, 100, 500}, {INFERENCE, 450, 600});
    check_text(mock, get_inference(mock, 1)->error,
               "begins inside another inference and ends after it");
    g_assert_true(get_inference(mock, 1)->is_nested);
    strobe_mock_free(mock);
}

/* ---- several inferences ---- */

/* There are three steps. The first one compiles. The second one has two graphs, and 100 us of the
 * platform before the first entry. The third one has one graph. */
static StrobeMockHost *fix_2(void)
{
    static const Mark compiling[] = {{"TorchNpuGraphBase::Compile", 1300, 1400}};
    static const struct {
        int64_t begin, end;
    } steps[] = {{0, 10000}, {10000, 20000}, {20000, 30000}};
    StrobeMockHost *mock = test_device_host(3);
    StrobeTrackId thread = test_thread(mock, 7);

    add_marks(mock, thread, compiling, 1, 0);
    add_marks(mock, thread, fix_1, G_N_ELEMENTS(fix_1), 0);
    add_marks(mock, thread, fix_1, G_N_ELEMENTS(fix_1), 9100); /* the lookup is at 10100 */
    add_marks(mock, thread, fix_1, G_N_ELEMENTS(fix_1), 12000);
    add_marks(mock, thread, fix_1, G_N_ELEMENTS(fix_1), 20000);
    for (gsize i = 0; i < G_N_ELEMENTS(steps); i++)
        add_step(mock, (int64_t)i + 1, steps[i].begin, steps[i].end);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    return mock;
}

static void test_fix_2(void)
{
    static const struct {
        int64_t step, platform;
        guint graph;
        gboolean is_compile;
    } wanted[] = {{1, 1000, 1, TRUE}, {2, 100, 1, FALSE}, {2, 1500, 2, FALSE}, {3, 1000, 1, FALSE}};
    StrobeMockHost *mock = fix_2();
    GPtrArray *steps = of_kind(mock, "head_overhead_step");
    const struct strobe_head_overhead_step *second;

    for (guint i = 0; i < G_N_ELEMENTS(wanted); i++) {
        const struct strobe_head_overhead *f = get_inference(mock, i);
        g_assert_cmpint(f->step, ==, wanted[i].step);
        check_us(f->platform, wanted[i].platform);
        g_assert_cmpuint(f->graph, ==, wanted[i].graph);
        g_assert_cmpint(f->is_compile, ==, wanted[i].is_compile);
        check_us(f->total, 1400);
    }
    g_assert_cmpuint(steps->len, ==, 3);
    second = ((StrobeView *)steps->pdata[1])->fields;
    check_text(mock, ((StrobeView *)steps->pdata[1])->name, "ProfilerStep#2");
    g_assert_cmpint(second->step, ==, 2);
    g_assert_cmpuint(second->graphs, ==, 2);
    g_assert_cmpuint(second->compiled, ==, 0);
    check_us(second->platform, 1600);
    check_us(second->framework, 400);
    check_us(second->torchair, 1000);
    check_us(second->ge, 1400);
    check_us(second->total, 2800);
    g_ptr_array_unref(steps);
    strobe_mock_free(mock);
}

/* Two threads announce overlapping steps: each inference belongs to a step of its own thread. */
static void test_steps_of_threads(void)
{
    StrobeMockHost *mock = test_device_host(3);
    static const Mark one[] = {{"ProfilerStep#1", 0, 1000},
                               {LOOKUP, 100, 110},
                               {INFERENCE, 200, 300},
                               {LOOKUP, 500, 510},
                               {INFERENCE, 600, 700}};
    static const Mark two[] = {
        {"ProfilerStep#9", 150, 2000}, {LOOKUP, 300, 310}, {INFERENCE, 400, 500}};
    GPtrArray *steps;

    add_marks(mock, test_thread(mock, 7), one, G_N_ELEMENTS(one), 0);
    add_marks(mock, test_thread(mock, 8), two, G_N_ELEMENTS(two), 0);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    check_entry(mock, 0, "lookup", 100, FALSE);
    g_assert_cmpint(get_inference(mock, 0)->step, ==, 1);
    check_us(get_inference(mock, 0)->platform, 100);
    g_assert_cmpint(get_inference(mock, 1)->step, ==, 9);
    g_assert_cmpint(get_inference(mock, 2)->step, ==, 1);
    g_assert_cmpuint(get_inference(mock, 2)->graph, ==, 2);
    steps = of_kind(mock, "head_overhead_step");
    g_assert_cmpuint(steps->len, ==, 2);
    const struct strobe_head_overhead_step *sums = ((StrobeView *)steps->pdata[0])->fields;
    g_assert_cmpuint(sums->graphs, ==, 2);
    check_us(sums->framework, 200);
    g_ptr_array_unref(steps);
    strobe_mock_free(mock);
}

/* Checks the statistics of the three inferences that do not compile. Their platform parts are 100,
 * 1500 and 1000. */
static void test_summary(void)
{
    StrobeMockHost *mock = fix_2();
    GPtrArray *summary = of_kind(mock, "head_overhead_summary");
    const StrobeView *platform = summary->pdata[1];
    const struct strobe_head_overhead_summary *f = platform->fields;

    check_text(mock, platform->name, "platform");
    g_assert_cmpuint(f->count, ==, 3);
    g_assert_cmpfloat_with_epsilon(f->mean, 2600.0 / 3 * US, 1e-6);
    g_assert_cmpfloat(f->median, ==, 1000 * US);
    g_assert_cmpfloat(f->p95, ==, 1500 * US);
    g_assert_cmpfloat(f->min, ==, 100 * US);
    g_assert_cmpfloat(f->max, ==, 1500 * US);
    /* (766.7^2 + 633.3^2 + 133.3^2) / 2 */
    g_assert_cmpfloat_with_epsilon(f->deviation, 709459.9, 1);
    /* No kernel is known, so there are no records for two of the parts. */
    g_assert_cmpuint(summary->len, ==, 7);
    g_ptr_array_unref(summary);
    strobe_mock_free(mock);
}

/* ---- advice ---- */

static void check_advice(StrobeMockHost *mock, guint index, const char *name, const char *part,
                         double share, const char *word)
{
    g_autoptr(GPtrArray) advice = of_kind(mock, "head_overhead_advice");
    const struct strobe_head_overhead_advice *f;

    g_assert_cmpuint(advice->len, >, index);
    f = ((StrobeView *)advice->pdata[index])->fields;
    check_text(mock, ((StrobeView *)advice->pdata[index])->name, name);
    check_text(mock, f->part, part);
    g_assert_cmpfloat_with_epsilon(f->share, share, 1e-6);
    g_assert_nonnull(strstr(strobe_mock_text(mock, f->text), word));
}

static void test_ranking(void)
{
    StrobeMockHost *mock = run_marks(fix_1, G_N_ELEMENTS(fix_1));

    check_advice(mock, 0, "ranking", "ge", 50, "GE");
    check_advice(mock, 1, "ranking", "torchair", 500.0 / 14, "TorchAir");
    check_advice(mock, 2, "ranking", "framework", 200.0 / 14, "community");
    check_advice(mock, 3, "hint", "python", 60, "inputs and outputs");
    /* The cause takes 120 of 200 us. */
    check_advice(mock, 4, "hint", "framework", 60, "guards");
    strobe_mock_free(mock);
}

static void test_hints(void)
{
    StrobeMockHost *mock =
        RUN_MARKS({LOOKUP, 0, 10}, {INFERENCE, 100, 400}, {"aten::tensor", 110, 190},
                  {RUN, 200, 390}, {"ExecuteGraph", 380, 390});

    check_advice(mock, 3, "hint", "python", 80, "beforehand");
    strobe_mock_free(mock);
    mock = RUN_MARKS({LOOKUP, 0, 10}, {INFERENCE, 100, 400}, {"aten::clone", 110, 190},
                     {RUN, 200, 390}, {"ExecuteGraph", 380, 390});
    check_advice(mock, 3, "hint", "python", 80, "contiguous");
    g_autoptr(GPtrArray) advice = of_kind(mock, "head_overhead_advice");
    g_assert_cmpuint(advice->len, ==, 4);
    strobe_mock_free(mock);
}

/* Shares are relative to all inferences, although some parts are known for only some of them; no
 * share is above 100 %. One inference of 1000 us calls GE, and nine of 10 us run eagerly. */
static void test_shares(void)
{
    StrobeMockHost *mock = test_device_host(3);
    StrobeTrackId thread = test_thread(mock, 7);
    static const Mark graph[] = {
        {LOOKUP, 0, 5}, {INFERENCE, 10, 1010}, {RUN, 20, 1000}, {"ExecuteGraph", 30, 900}};
    static const Mark eager[] = {{LOOKUP, 0, 1}, {INFERENCE, 2, 12}, {"fx_run_eagerly", 3, 11}};

    add_marks(mock, thread, graph, G_N_ELEMENTS(graph), 0);
    for (int i = 0; i < 9; i++)
        add_marks(mock, thread, eager, G_N_ELEMENTS(eager), 2000 + i * 20);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    /* The sum of the totals is 1010 + 9 * 12. */
    check_advice(mock, 0, "ranking", "ge", 980.0 / 1118 * 100, "GE");
    check_advice(mock, 1, "ranking", "framework", 28.0 / 1118 * 100, "community");
    check_advice(mock, 2, "ranking", "torchair", 20.0 / 1118 * 100, "TorchAir");
    check_advice(mock, 3, "hint", "python", 50, "inputs and outputs");
    /* The cause takes 5 + 9 of 10 + 18 us. */
    check_advice(mock, 4, "hint", "framework", 50, "guards");
    strobe_mock_free(mock);
    /* The Python side is known for only one inference, so only this inference is compared. */
    mock = RUN_MARKS({INFERENCE, 0, 200}, {RUN, 100, 190}, {"ExecuteGraph", 100, 180},
                     {INFERENCE, 300, 400}, {"ExecuteGraph", 302, 390});
    check_advice(mock, 3, "hint", "python", 100, "inputs and outputs");
    strobe_mock_free(mock);
}

/* Nested lookups are counted once, and lookups before the entry are not counted. */
static void test_lookups(void)
{
    StrobeMockHost *mock = test_device_host(3);
    static const Mark marks[] = {{LOOKUP, 0, 40},
                                 {"serve", 50, 300},
                                 {LOOKUP, 60, 90},
                                 {LOOKUP, 70, 80},
                                 {INFERENCE, 100, 200}};

    strobe_mock_option(mock, "entry", "^serve$");
    add_marks(mock, test_thread(mock, 7), marks, G_N_ELEMENTS(marks), 0);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    check_us(get_inference(mock, 0)->framework, 50);
    check_us(get_inference(mock, 0)->lookup, 30);
    strobe_mock_free(mock);
}

/* ---- bounds ---- */

/* There are more operators than can wait. Some operators of the inference were dropped, so its
 * causes are absent. */
static void test_forgotten_operators(void)
{
    StrobeMockHost *mock = test_device_host(3);
    StrobeTrackId thread = test_thread(mock, 7);
    static const Mark marks[] = {
        {INFERENCE, 0, 100000}, {RUN, 99000, 99900}, {"ExecuteGraph", 99500, 99600}};

    for (int i = 0; i < 70000; i++) {
        TEST_FIELDS(cpu_op, op);
        TEST_ADD(mock, cpu_op, thread, "aten::add", (1 + i) * US, (1 + i) * US + 500, &op);
    }
    add_marks(mock, thread, marks, G_N_ELEMENTS(marks), 0);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    check_us(get_inference(mock, 0)->python, 99000);
    check_us(get_inference(mock, 0)->python_aten, ABSENT);
    check_us(get_inference(mock, 0)->python_rest, ABSENT);
    strobe_mock_free(mock);
}

/* A hundred thousand nested inferences enclose as many operators: the pass must take a second, not
 * an hour. */
static void test_hostile(void)
{
    StrobeMockHost *mock = test_device_host(3);
    StrobeTrackId thread = test_thread(mock, 7);
    const int n = 100000;
    g_autoptr(GPtrArray) found = NULL;

    for (int i = 0; i < 2 * n; i++) {
        TEST_FIELDS(cpu_op, op);
        int64_t begin = i < n ? n + i : 2 * n - i, end = i < n ? begin : n + i;
        TEST_ADD(mock, cpu_op, thread, i < n ? "aten::add" : INFERENCE, begin, end, &op);
    }
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    found = of_kind(mock, "head_overhead");
    g_assert_cmpuint(found->len, ==, n);
    g_assert_true(get_inference(mock, 1)->is_nested);
    strobe_mock_free(mock);
}

static void test_nothing(void)
{
    const StrobeView *views;
    StrobeMockHost *mock = RUN_MARKS({"aten::add", 10, 20}, {LOOKUP, 30, 40}, {RUN, 50, 60});

    g_assert_cmpuint(strobe_mock_emitted(mock, &views), ==, 0);
    strobe_mock_free(mock);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(path_, function_) g_test_add_func("/head-overhead/" path_, function_)
    ADD("fix-1", test_fix_1);
    ADD("linked-kernel", test_linked_kernel);
    ADD("without-kernels", test_without_kernels);
    ADD("kernel-of-the-next", test_kernel_of_the_next);
    ADD("spelling", test_spelling);
    ADD("entry-sources", test_entry_sources);
    ADD("entry-by-step", test_entry_by_step);
    ADD("wrong-pattern", test_wrong_pattern);
    ADD("cached", test_cached);
    ADD("modes", test_modes);
    ADD("compile", test_compile);
    ADD("nested", test_nested);
    ADD("python-causes", test_python_causes);
    ADD("contradictions", test_contradictions);
    ADD("fix-2", test_fix_2);
    ADD("steps-of-threads", test_steps_of_threads);
    ADD("summary", test_summary);
    ADD("ranking", test_ranking);
    ADD("hints", test_hints);
    ADD("shares", test_shares);
    ADD("lookups", test_lookups);
    ADD("forgotten-operators", test_forgotten_operators);
    ADD("hostile", test_hostile);
    ADD("nothing", test_nothing);
    return g_test_run();
}
