/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the findings for a run that has no problem, or one problem. */
#include "finding.h"

#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "test-finding-run.h"

static void test_clean(void)
{
    Run run = clean_run();
    const StrobeView *views;

    finish_run(&run);
    g_assert_cmpuint(count_findings(&run), ==, 0);
    g_assert_cmpuint(strobe_mock_emitted(run.mock, &views), ==, STEPS);
    const struct strobe_step_part *part = views[3].fields;
    g_assert_cmpint(part->number, ==, 3);
    g_assert_cmpint(part->duration, ==, STEP_NS);
    g_assert_cmpint(part->data, ==, 2 * MS);
    g_assert_cmpint(part->gc, ==, 1 * MS);
    g_assert_cmpint(part->operators, ==, 80 * MS);
    g_assert_cmpint(part->other, ==, 17 * MS);
    strobe_mock_free(run.mock);
}

static void test_data_loading(void)
{
    Run run = clean_run();

    for (int i = 0; i < STEPS; i++)
        add_operator(&run, "enumerate(DataLoader)#next", i * STEP_NS + 50 * MS,
                     i * STEP_NS + 88 * MS);
    /* 2 ms, and 38 ms that are partly in an operator */
    const struct strobe_finding *finding = expect_only(&run, "data_loading", "high");
    g_assert_cmpfloat_with_epsilon(finding->share, 40, 1e-9);
    g_assert_cmpfloat_with_epsilon(finding->confidence, 90, 1e-9);
    g_assert_nonnull(
        strstr(strobe_mock_text(run.mock, finding->evidence), "enumerate(DataLoader)#next, "));
    strobe_mock_free(run.mock);
}

/* Garbage collections of another thread also count. */
static void test_gc(void)
{
    Run run = clean_run();
    StrobeTrackId other = strobe_mock_track(run.mock, STROBE_TRACK_THREAD, 9, "other", "", -1);

    for (int i = 0; i < STEPS; i++)
        add_gc(&run, other, i * STEP_NS + 91 * MS, i * STEP_NS + 99 * MS);
    const struct strobe_finding *finding = expect_only(&run, "gc", "medium");
    g_assert_cmpfloat_with_epsilon(finding->share, 9, 1e-9);
    strobe_mock_free(run.mock);
}

static void add_waiting(Run *run, int64_t duration)
{
    const struct strobe_api_call call = {.connection = STROBE_ABSENT_U64};

    for (int i = 0; i < STEPS; i++)
        strobe_mock_add(run->mock, &strobe_kind_api_call, run->thread,
                        strobe_mock_string(run->mock, "aclrtSynchronizeStream"),
                        i * STEP_NS + 10 * MS, i * STEP_NS + 10 * MS + duration, &call);
}

static void test_synchronization(void)
{
    Run clean = clean_run(), run = clean_run();

    add_waiting(&clean, MS);
    finish_run(&clean);
    g_assert_cmpuint(count_findings(&clean), ==, 0);
    strobe_mock_free(clean.mock);
    add_waiting(&run, 4 * MS);
    const struct strobe_finding *finding = expect_only(&run, "synchronization", "low");
    g_assert_cmpstr(strobe_mock_text(run.mock, finding->table), ==, "api_call");
    g_assert_cmpfloat_with_epsilon(finding->share, 4, 1e-9);
    strobe_mock_free(run.mock);
}

static void test_recompilation(void)
{
    Run clean = clean_run(), run = clean_run();

    add_operator(&clean, "_compile.compile_inner (dynamo_timed)", 4 * STEP_NS + 5 * MS,
                 4 * STEP_NS + 15 * MS);
    finish_run(&clean);
    g_assert_cmpuint(count_findings(&clean), ==, 0);
    strobe_mock_free(clean.mock);
    add_operator(&run, "_compile.compile_inner (dynamo_timed)", 4 * STEP_NS + 5 * MS,
                 4 * STEP_NS + 85 * MS);
    g_assert_cmpfloat_with_epsilon(expect_only(&run, "recompilation", "medium")->share, 8, 1e-9);
    strobe_mock_free(run.mock);
}

static void test_outliers(void)
{
    Run clean = clean_run(), run = clean_run();

    add_step(&clean, STEPS, STEPS * STEP_NS, STEPS * STEP_NS + 14 * STEP_NS / 10);
    add_operator(&clean, "aten::linear", STEPS * STEP_NS, STEPS * STEP_NS + STEP_NS);
    finish_run(&clean);
    g_assert_cmpuint(count_findings(&clean), ==, 0);
    strobe_mock_free(clean.mock);
    add_step(&run, STEPS, STEPS * STEP_NS, STEPS * STEP_NS + 4 * STEP_NS);
    add_operator(&run, "aten::linear", STEPS * STEP_NS, STEPS * STEP_NS + 4 * STEP_NS);
    const struct strobe_finding *finding = expect_only(&run, "step_outliers", "high");
    g_assert_cmpfloat_with_epsilon(finding->share, 100.0 * 3 / 14, 1e-9);
    g_assert_cmpuint(finding->count, ==, 1);
    strobe_mock_free(run.mock);
}

/* Time that garbage collection explains does not count twice, and the finding on garbage collection
 * comes first. */
static void test_explained_outliers(void)
{
    Run run = clean_run();
    const StrobeView *views;

    add_step(&run, STEPS, STEPS * STEP_NS, STEPS * STEP_NS + 4 * STEP_NS);
    add_gc(&run, run.thread, STEPS * STEP_NS + 1, STEPS * STEP_NS + 3 * STEP_NS);
    finish_run(&run);
    const struct strobe_finding *outliers = find_finding(&run, "step_outliers");
    strobe_mock_emitted(run.mock, &views);
    g_assert_cmpstr(strobe_mock_text(run.mock, views[0].name), ==, "gc");
    g_assert_cmpfloat_with_epsilon(outliers->share, 100.0 * 3 / 14, 1e-9);
    g_assert_cmpstr(strobe_mock_text(run.mock, outliers->severity), ==, "low");
    g_assert_nonnull(strstr(strobe_mock_text(run.mock, outliers->evidence),
                            "; 100 % of the additional time is garbage collection"));
    strobe_mock_free(run.mock);
}

/* The start-up in the first step does not hide the problems of other steps. */
static void test_start(void)
{
    Run run = clean_run();

    add_step(&run, -5, -20 * STEP_NS, 0);
    for (int i = 0; i < STEPS; i++)
        add_gc(&run, run.thread, i * STEP_NS + 91 * MS, i * STEP_NS + 99 * MS);
    g_assert_cmpfloat_with_epsilon(expect_only(&run, "gc", "medium")->share, 9, 1e-9);
    strobe_mock_free(run.mock);
}

static void add_own_calls(Run *run, int64_t duration)
{
    const struct strobe_collector_call call = {.status = 0};

    for (int i = 0; i < STEPS; i++)
        strobe_mock_add(run->mock, &strobe_kind_collector_call, 0, 0, i * STEP_NS + 40 * MS,
                        i * STEP_NS + 40 * MS + duration, &call);
}

static void test_no_steps(void)
{
    Run run = {.mock = strobe_mock_new(strobe_plugin_1.components[0], -1)};

    run.thread = strobe_mock_track(run.mock, STROBE_TRACK_THREAD, THREAD, "main", "", -1);
    strobe_mock_metadata(run.mock)->window_begin_ns = 0;
    strobe_mock_metadata(run.mock)->window_end_ns = STEP_NS;
    add_operator(&run, "aten::linear", 0, 50 * MS);
    add_gc(&run, run.thread, 50 * MS, 60 * MS);
    /* at the begin and the end of the window, so the program's work is not slowed down */
    add_own_calls(&run, 6 * MS);
    finish_run(&run);
    g_assert_cmpuint(count_findings(&run), ==, 2);
    g_assert_cmpstr(strobe_mock_text(run.mock, find_finding(&run, "steps")->severity), ==,
                    "unknown");
    g_assert_cmpfloat_with_epsilon(find_finding(&run, "gc")->share, 10, 1e-9);
    g_assert_cmpfloat_with_epsilon(find_finding(&run, "gc")->confidence, 95 * 0.7, 1e-9);
    strobe_mock_free(run.mock);
}

/* Imported results have the framework's marks of steps, but no records of steps. */
static void test_marked_steps(void)
{
    Run run = {.mock = strobe_mock_new(strobe_plugin_1.components[0], -1)};
    const StrobeView *views;

    run.thread = strobe_mock_track(run.mock, STROBE_TRACK_THREAD, THREAD, "main", "", -1);
    strobe_mock_metadata(run.mock)->window_begin_ns = 0;
    strobe_mock_metadata(run.mock)->window_end_ns = 5 * STEP_NS;
    for (int i = 0; i < 2; i++) {
        g_autofree char *name = g_strdup_printf("ProfilerStep#%d", 50 + i);
        add_gc(&run, run.thread, (1 + i) * STEP_NS, (1 + i) * STEP_NS + 10 * MS);
        add_operator(&run, name, (1 + i) * STEP_NS, (2 + i) * STEP_NS);
    }
    g_assert_cmpfloat_with_epsilon(expect_only(&run, "gc", "medium")->share, 10, 1e-9);
    g_assert_cmpuint(strobe_mock_emitted(run.mock, &views), ==, 3);
    const struct strobe_step_part *part = views[2].fields;
    g_assert_cmpint(part->number, ==, 51);
    g_assert_cmpint(part->duration, ==, STEP_NS);
    strobe_mock_free(run.mock);
}

static void add_device_steps(Run *run, double free_us, double communication_us)
{
    const struct strobe_step_trace fields = {
        .stage = 1000,
        .free = free_us,
        .communication_not_overlapped = communication_us,
        .computing = 1000 - free_us - communication_us,
    };

    strobe_mock_derived_kind(run->mock, &strobe_kind_step_trace);
    for (int i = 0; i < STEPS; i++)
        strobe_mock_add(run->mock, &strobe_kind_step_trace, 0, 0, i * STEP_NS,
                        i * STEP_NS + STEP_NS, &fields);
}

static void test_host_bound(void)
{
    Run clean = clean_run(), run = clean_run();

    add_device_steps(&clean, 100, 20);
    finish_run(&clean);
    g_assert_cmpuint(count_findings(&clean), ==, 0);
    add_device_steps(&run, 450, 20);
    g_assert_cmpfloat_with_epsilon(expect_only(&run, "host_bound", "high")->share, 45, 1e-9);
    strobe_mock_free(clean.mock);
    strobe_mock_free(run.mock);
}

/* The device is idle because it waits for data: the finding on data comes first. */
static void test_explained_idleness(void)
{
    Run run = clean_run();
    const StrobeView *views;

    for (int i = 0; i < STEPS; i++)
        add_operator(&run, "enumerate(DataLoader)#next", i * STEP_NS + 50 * MS,
                     i * STEP_NS + 86 * MS);
    add_device_steps(&run, 600, 0);
    finish_run(&run);
    strobe_mock_emitted(run.mock, &views);
    g_assert_cmpstr(strobe_mock_text(run.mock, views[0].name), ==, "data_loading");
    g_assert_cmpstr(strobe_mock_text(run.mock, views[1].name), ==, "host_bound");
    g_assert_cmpstr(strobe_mock_text(run.mock, find_finding(&run, "host_bound")->severity), ==,
                    "high");
    strobe_mock_free(run.mock);
}

static void test_communication(void)
{
    Run run = clean_run();

    add_device_steps(&run, 100, 150);
    g_assert_cmpfloat_with_epsilon(expect_only(&run, "communication", "medium")->share, 15, 1e-9);
    strobe_mock_free(run.mock);
}

static void add_kernels(Run *run, int64_t duration)
{
    const struct strobe_device_task fields = {.is_kernel = 1};

    for (int i = 0; i < 50 * STEPS; i++)
        strobe_mock_add(run->mock, &strobe_kind_device_task, 0, 0, i * 2 * MS,
                        i * 2 * MS + duration, &fields);
}

static void test_small_kernels(void)
{
    Run clean = clean_run(), run = clean_run();

    add_device_steps(&clean, 250, 0);
    add_kernels(&clean, MS);
    finish_run(&clean);
    g_assert_cmpuint(count_findings(&clean), ==, 0);
    add_device_steps(&run, 250, 0);
    add_kernels(&run, 4000);
    expect_only(&run, "small_kernels", "high");
    strobe_mock_free(clean.mock);
    strobe_mock_free(run.mock);
}

static void add_memory(Run *run, int64_t allocated_mib, int64_t reserved_mib)
{
    const struct strobe_memory_event fields = {.total_allocated = allocated_mib << 20,
                                               .total_reserved = reserved_mib << 20};

    strobe_mock_add(run->mock, &strobe_kind_memory_event, run->thread, 0, 10, 10, &fields);
}

static void test_fragmentation(void)
{
    Run clean = clean_run(), run = clean_run();

    add_memory(&clean, 900, 1000);
    finish_run(&clean);
    g_assert_cmpuint(count_findings(&clean), ==, 0);
    add_memory(&run, 200, 400);
    add_memory(&run, 400, 1000);
    add_memory(&run, 990, 999);
    expect_only(&run, "fragmentation", "high");
    strobe_mock_free(clean.mock);
    strobe_mock_free(run.mock);
}

static void test_memory_peak(void)
{
    Run clean = clean_run(), run = clean_run();
    const struct strobe_host_mem usual = {.cgroup_usage = 80, .cgroup_limit = 100};
    const struct strobe_host_mem fields = {.cgroup_usage = 95, .cgroup_limit = 100};

    strobe_mock_add(clean.mock, &strobe_kind_host_mem, 0, 0, 10, 10, &usual);
    finish_run(&clean);
    g_assert_cmpuint(count_findings(&clean), ==, 0);
    strobe_mock_free(clean.mock);
    strobe_mock_add(run.mock, &strobe_kind_host_mem, 0, 0, 10, 10, &fields);
    expect_only(&run, "memory_peak", "medium");
    strobe_mock_free(run.mock);
}

static void add_pressure(Run *run, const char *name, double some)
{
    const struct strobe_host_pressure fields = {.some = some, .interval = 1000};

    strobe_mock_add(run->mock, &strobe_kind_host_pressure, 0, strobe_mock_string(run->mock, name),
                    10, 10, &fields);
}

static void test_machine(void)
{
    Run clean = clean_run(), busy = clean_run(), disk = clean_run();

    add_pressure(&clean, "cpu", 5);
    add_pressure(&clean, "io", 5);
    finish_run(&clean);
    g_assert_cmpuint(count_findings(&clean), ==, 0);
    add_pressure(&busy, "cpu", 60);
    expect_only(&busy, "contention", "medium");
    add_pressure(&disk, "io", 60);
    expect_only(&disk, "disk", "high");
    strobe_mock_free(clean.mock);
    strobe_mock_free(busy.mock);
    strobe_mock_free(disk.mock);
}

static void add_processor(Run *run, double wait)
{
    const struct strobe_host_cpu fields = {.usage = 100, .wait = wait};

    strobe_mock_add(run->mock, &strobe_kind_host_cpu, 0, 0, 10, 10, &fields);
}

/* A busy machine is not a problem for a program that has a processor. */
static void test_busy_machine(void)
{
    Run clean = clean_run(), slowed = clean_run();

    add_pressure(&clean, "cpu", 90);
    add_processor(&clean, 4);
    finish_run(&clean);
    g_assert_cmpuint(count_findings(&clean), ==, 0);
    add_pressure(&slowed, "cpu", 90);
    add_processor(&slowed, 60);
    const struct strobe_finding *finding = expect_only(&slowed, "contention", "high");
    g_assert_cmpstr(strobe_mock_text(slowed.mock, finding->table), ==, "host_cpu");
    strobe_mock_free(clean.mock);
    strobe_mock_free(slowed.mock);
}

/* Adds four threads, one of which has the lock. The other three wait for it, `wait` ns in each ms.
 * `name` is the name of the call. */
static void add_convoy(Run *run, const char *name, int64_t wait)
{
    const struct strobe_os_call fields = {.status = 0};

    for (unsigned thread = 0; thread < 4; thread++) {
        char text[16];
        snprintf(text, sizeof text, "worker-%u", thread);
        StrobeTrackId track =
            strobe_mock_track(run->mock, STROBE_TRACK_THREAD, 100 + thread, text, "", -1);

        for (int64_t i = 0; i < STEPS * STEP_NS / MS; i++)
            if (i % 4 != thread)
                strobe_mock_add(run->mock, &strobe_kind_os_call, track,
                                strobe_mock_string(run->mock, name), i * MS, i * MS + wait,
                                &fields);
    }
}

static void test_locks(void)
{
    Run clean = clean_run(), idle = clean_run(), run = clean_run();

    add_convoy(&clean, "pthread_mutex_lock", MS / 50);
    finish_run(&clean);
    g_assert_cmpuint(count_findings(&clean), ==, 0);
    add_convoy(&idle, "pthread_cond_wait", MS); /* the threads wait for work */
    finish_run(&idle);
    g_assert_cmpuint(count_findings(&idle), ==, 0);
    add_convoy(&run, "pthread_mutex_lock", MS);
    const struct strobe_finding *finding = expect_only(&run, "lock_contention", "high");
    const char *evidence = strobe_mock_text(run.mock, finding->evidence);
    g_assert_nonnull(strstr(evidence, "thread worker-2 (102) 75.0 % in pthread_mutex_lock, 750 x"));
    g_assert_nonnull(
        strstr(strobe_mock_text(run.mock, finding->summary), "4 threads wait for a lock: on "));
    g_assert_cmpuint(finding->count, ==, 3000);
    strobe_mock_free(clean.mock);
    strobe_mock_free(idle.mock);
    strobe_mock_free(run.mock);
}

/* The kind, as the collector `cpu_sample` declares it. */
struct wait {
    StrobeStackId stack;
    uint32_t process;
    uint8_t is_preempted;
};
static const StrobeField wait_fields[] = {
    {.name = "stack", .type = STROBE_FIELD_STACK, .unit = "", .summary = ""},
    {.name = "process", .type = STROBE_FIELD_U32, .unit = "", .summary = ""},
    {.name = "is_preempted", .type = STROBE_FIELD_BOOL, .unit = "", .summary = ""}};
static const StrobeKind wait_kind = {
    sizeof(StrobeKind), STROBE_SHAPE_SPAN, "cpu_sample.wait", "", wait_fields, 3, 0};

static void add_waits(Run *run, const char *function, uint8_t is_preempted)
{
    const char *const frames[] = {"futex_wait (libc.so.6) ../sysdeps/nptl/futex-internal.h:146",
                                  function, "work (program) program.c:19", NULL};
    const struct wait fields = {.stack = strobe_mock_stack(run->mock, frames),
                                .is_preempted = is_preempted};

    for (int i = 0; i < STEPS; i++)
        strobe_mock_add(run->mock, &wait_kind, run->thread, 0, i * STEP_NS, i * STEP_NS + 30 * MS,
                        &fields);
}

/* The stacks of waiting threads also show waits for locks. */
static void test_lock_stacks(void)
{
    Run clean = clean_run(), run = clean_run();

    add_waits(&clean, "___pthread_mutex_lock", 1);
    add_waits(&clean, "__futex_abstimed_wait_common (libc.so.6) ./nptl/futex-internal.c:87", 0);
    finish_run(&clean);
    g_assert_cmpuint(count_findings(&clean), ==, 0);
    add_waits(&run, "__GI___lll_lock_wait (libc.so.6) ./nptl/lowlevellock.c:49", 0);
    const struct strobe_finding *finding = expect_only(&run, "lock_contention", "medium");
    g_assert_nonnull(
        strstr(strobe_mock_text(run.mock, finding->evidence),
               "thread main (4711) 30.0 % in __GI___lll_lock_wait, 10 x, from work (program) "
               "program.c:19"));
    strobe_mock_free(clean.mock);
    strobe_mock_free(run.mock);
}

/* If records were lost, all other findings have a lower confidence. */
static void test_losses(void)
{
    Run run = clean_run();
    const struct strobe_loss loss = {.count = 100, .cause = 1};

    for (int i = 0; i < STEPS; i++)
        add_gc(&run, run.thread, i * STEP_NS + 91 * MS, i * STEP_NS + 99 * MS);
    strobe_mock_add(run.mock, &strobe_kind_loss, 0, 0, 10, 20, &loss);
    finish_run(&run);
    const StrobeView *views;
    strobe_mock_emitted(run.mock, &views);
    g_assert_cmpstr(strobe_mock_text(run.mock, views[0].name), ==, "losses");
    g_assert_cmpuint(find_finding(&run, "losses")->count, ==, 100);
    g_assert_cmpstr(strobe_mock_text(run.mock, find_finding(&run, "losses")->severity), ==, "high");
    g_assert_cmpfloat_with_epsilon(find_finding(&run, "gc")->confidence, 95 * 0.6, 1e-9);
    strobe_mock_free(run.mock);
}

static void test_own_cost(void)
{
    Run clean = clean_run(), run = clean_run();

    add_own_calls(&clean, MS);
    finish_run(&clean);
    g_assert_cmpuint(count_findings(&clean), ==, 0);
    strobe_mock_free(clean.mock);
    add_own_calls(&run, 6 * MS);
    g_assert_cmpfloat_with_epsilon(expect_only(&run, "own_cost", "medium")->share, 6, 1e-9);
    strobe_mock_free(run.mock);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/finding/clean", test_clean);
    g_test_add_func("/finding/data-loading", test_data_loading);
    g_test_add_func("/finding/gc", test_gc);
    g_test_add_func("/finding/synchronization", test_synchronization);
    g_test_add_func("/finding/recompilation", test_recompilation);
    g_test_add_func("/finding/outliers", test_outliers);
    g_test_add_func("/finding/explained-outliers", test_explained_outliers);
    g_test_add_func("/finding/start", test_start);
    g_test_add_func("/finding/no-steps", test_no_steps);
    g_test_add_func("/finding/marked-steps", test_marked_steps);
    g_test_add_func("/finding/host-bound", test_host_bound);
    g_test_add_func("/finding/explained-idleness", test_explained_idleness);
    g_test_add_func("/finding/communication", test_communication);
    g_test_add_func("/finding/small-kernels", test_small_kernels);
    g_test_add_func("/finding/fragmentation", test_fragmentation);
    g_test_add_func("/finding/memory-peak", test_memory_peak);
    g_test_add_func("/finding/machine", test_machine);
    g_test_add_func("/finding/busy-machine", test_busy_machine);
    g_test_add_func("/finding/locks", test_locks);
    g_test_add_func("/finding/lock-stacks", test_lock_stacks);
    g_test_add_func("/finding/losses", test_losses);
    g_test_add_func("/finding/own-cost", test_own_cost);
    return g_test_run();
}
