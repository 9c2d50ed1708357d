/* SPDX-License-Identifier: Apache-2.0 */
/* Tests strobe_report with a simulated libc10 and allocator (tests/c10-double). */
#include <dlfcn.h>
#include <glib.h>
#include <stdatomic.h>

#include "report-front.h"

__attribute__((visibility("default"))) Report front __asm__(REPORT_SIGNED_NAME);
REPORT_FRONT(front, REPORT_SIGNED)

typedef struct Doubles {
    void *c10, *allocator;
    atomic_long *n_reports, *bytes;
    void (*take)(int64_t size);
} Doubles;

static Doubles doubles;
static atomic_long n_reported, reported_bytes;

static void *load_library(const char *variable, int flags)
{
    g_assert_nonnull(g_getenv(variable));
    void *library = dlopen(g_getenv(variable), RTLD_NOW | flags);
    if (!library)
        g_error("%s", dlerror());
    return library;
}

static void count_report(const void *address, int64_t size, int64_t allocated, int64_t reserved,
                         int32_t index)
{
    n_reported++;
    reported_bytes += size;
    g_assert_nonnull(address);
    g_assert_cmpint(allocated, ==, reserved);
    g_assert_cmpint(index, ==, 0);
}

static const ReportHooks hooks = {count_report};

static Report *next_of(int which)
{
    return atomic_load(&strobe_report_next[which]);
}

static void load_doubles(void)
{
    if (doubles.c10)
        return;
    doubles.c10 = load_library("STROBE_TEST_C10", RTLD_LOCAL);
    doubles.n_reports = dlsym(doubles.c10, "c10_double_n_reports");
    doubles.bytes = dlsym(doubles.c10, "c10_double_bytes");
    doubles.allocator = load_library("STROBE_TEST_ALLOCATOR", RTLD_LOCAL);
    *(void **)&doubles.take = dlsym(doubles.allocator, "allocator_double_take");
}

/* Must be the first test, so that it makes the first look-up of libc10's function. */
static void test_first_report_below_a_constructor(void)
{
    load_doubles();
    g_assert_cmpint(*(int *)dlsym(doubles.allocator, "allocator_double_was_stuck"), ==, 0);
    g_assert_cmpint(*doubles.n_reports, ==, 1);
    g_assert_cmpint(*doubles.bytes, ==, 4096);
}

static void test_find(void)
{
    load_doubles();
    g_assert_true((void *)strobe_report_find(REPORT_SIGNED_NAME) ==
                  dlsym(doubles.c10, REPORT_SIGNED_NAME));
    g_assert_null((void *)strobe_report_find(REPORT_UNSIGNED_NAME));
    g_assert_null((void *)strobe_report_find(""));
    /* the function malloc belongs to another library */
    g_assert_null((void *)strobe_report_find("malloc"));
    g_assert_true((void *)strobe_report_find("c10_double_bytes") == (void *)doubles.bytes);
}

/* While no session records, a report is passed directly to libc10. */
static void test_steps_aside(void)
{
    load_doubles();
    Report *real = strobe_report_find(REPORT_SIGNED_NAME);
    doubles.take(1);
    g_assert_true(next_of(REPORT_SIGNED) == real);
    strobe_report_set_hooks(&hooks);
    g_assert_true(next_of(REPORT_SIGNED) != real);
    long before = *doubles.n_reports;
    for (int i = 0; i < 10; i++)
        doubles.take(100);
    g_assert_cmpint(*doubles.n_reports - before, ==, 10);
    g_assert_cmpint(n_reported, ==, 10);
    g_assert_cmpint(reported_bytes, ==, 1000);
    g_assert_true(next_of(REPORT_SIGNED) != real);
    strobe_report_set_hooks(NULL);
    doubles.take(1);
    g_assert_true(next_of(REPORT_SIGNED) == real);
    g_assert_cmpint(n_reported, ==, 10);
}

static atomic_int is_over;

static void *take_on(void *unused)
{
    while (!is_over)
        doubles.take(1);
    return unused;
}

/* The hooks get each report that begins after the hooks were set. */
static void test_set_while_reports_come(void)
{
    load_doubles();
    GThread *thread = g_thread_new("reports", take_on, NULL);
    for (int i = 0; i < 2000; i++) {
        strobe_report_set_hooks(&hooks);
        long before = n_reported;
        doubles.take(1);
        g_assert_cmpint(n_reported, >, before);
        doubles.take(1);
        g_assert_cmpint(n_reported, >, before + 1);
        strobe_report_set_hooks(NULL);
    }
    is_over = 1;
    g_thread_join(thread);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/report-front/first-report-below-a-constructor",
                    test_first_report_below_a_constructor);
    g_test_add_func("/report-front/find", test_find);
    g_test_add_func("/report-front/steps-aside", test_steps_aside);
    g_test_add_func("/report-front/set-while-reports-come", test_set_while_reports_come);
    return g_test_run();
}
