/* SPDX-License-Identifier: Apache-2.0 */
#include "call-path.h"

#include <glib.h>

#include "mock-consumer-host.h"
#include "path-nodes.h"

extern const StrobePlugin strobe_plugin_1;

static void add_sample(StrobeMockHost *mock, const char *thread, int64_t time,
                       const char *const *frames)
{
    const struct strobe_cpu_sample sample = {.time = time,
                                             .stack = frames ? strobe_mock_stack(mock, frames) : 0};

    strobe_mock_add(mock, &strobe_kind_cpu_sample, 0, strobe_mock_string(mock, thread), 10, 10,
                    &sample);
}

/* Returns "outermost;...;innermost". */
static char *path_text(StrobeMockHost *mock, StrobeStackId path)
{
    const StrobeStringId *frames = NULL;
    size_t n = strobe_mock_table(mock)->stack_frames(mock, path, &frames);
    GString *text = g_string_new(NULL);

    while (n-- > 0)
        g_string_append_printf(text, "%s%s", text->len ? ";" : "",
                               strobe_mock_text(mock, frames[n]));
    return g_string_free(text, FALSE);
}

static void expect_path(StrobeMockHost *mock, size_t i, const char *path, int64_t time,
                        uint64_t count, const char *source)
{
    const StrobeView *views;

    g_assert_cmpuint(strobe_mock_emitted(mock, &views), >, i);
    const struct strobe_call_path *fields = views[i].fields;
    g_autofree char *text = path_text(mock, fields->path);
    g_assert_cmpstr(text, ==, path);
    g_assert_cmpint(fields->time, ==, time);
    g_assert_cmpuint(fields->count, ==, count);
    g_assert_cmpstr(strobe_mock_text(mock, fields->source), ==, source);
}

static void test_paths(void)
{
    static const char *const a[] = {"work (h) h.c:12", "main (h) h.c:30", NULL};
    static const char *const b[] = {"work (h) h.c:14", "main (h) h.c:30", NULL};
    static const char *const c[] = {"main (h) h.c:31", NULL};
    StrobeMockHost *mock = strobe_mock_new(strobe_plugin_1.components[0], -1);

    add_sample(mock, "h", 100, a);
    add_sample(mock, "h", 50, b);
    add_sample(mock, "worker", 120, a);
    add_sample(mock, "h", 10, c);
    add_sample(mock, "h", 5, NULL);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    g_assert_cmpuint(strobe_mock_emitted(mock, NULL), ==, 4);
    expect_path(mock, 0, "h;main (h);work (h)", 150, 2, "cpu_sample");
    expect_path(mock, 1, "worker;main (h);work (h)", 120, 1, "cpu_sample");
    expect_path(mock, 2, "h;main (h)", 10, 1, "cpu_sample");
    expect_path(mock, 3, "h", 5, 1, "cpu_sample");
    strobe_mock_free(mock);
}

/* Uses the kind of the collector `cpu_sample`, as in a capture. The time of a wait is in its
 * field. */
static void test_waits(void)
{
    struct wait {
        StrobeStackId stack;
    };
    static const StrobeField fields[] = {{"stack", STROBE_FIELD_STACK, 0, "", ""}};
    static const StrobeKind kind = {
        sizeof(StrobeKind), STROBE_SHAPE_SPAN, "cpu_sample.wait", "", fields, 1, 0};
    static const char *const frames[] = {"sleep (libc.so.6)", "main (h) h.c:30", NULL};
    static const char *const work[] = {"main (h) h.c:31", NULL};
    StrobeMockHost *mock = strobe_mock_new(strobe_plugin_1.components[0], -1);
    const struct wait wait = {strobe_mock_stack(mock, frames)};
    const StrobeStringId thread = strobe_mock_string(mock, "h");

    strobe_mock_add(mock, &kind, 0, thread, 100, 400, &wait);
    strobe_mock_add(mock, &kind, 0, thread, 500, 600, &wait);
    add_sample(mock, "h", 10, work);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    g_assert_cmpuint(strobe_mock_emitted(mock, NULL), ==, 2);
    expect_path(mock, 0, "h;main (h)", 10, 1, "cpu_sample");
    expect_path(mock, 1, "h;main (h);sleep (libc.so.6)", 400, 2, "cpu_sample.wait");
    strobe_mock_free(mock);
}

static void add_call(StrobeMockHost *mock, StrobeTrackId track, const char *name, int64_t begin,
                     int64_t end)
{
    const struct strobe_python_call call = {.module = STROBE_ABSENT_I64};

    strobe_mock_add(mock, &strobe_kind_python_call, track, strobe_mock_string(mock, name), begin,
                    end, &call);
}

/* The self time of a call is added to the path of the calls that enclose it on its thread; calls
 * with the same path are summed up. */
static void test_calls(void)
{
    StrobeMockHost *mock = strobe_mock_new(strobe_plugin_1.components[0], -1);

    add_call(mock, 1, "a.py(9): leaf", 110, 130);
    add_call(mock, 1, "a.py(9): leaf", 140, 150);
    add_call(mock, 1, "a.py(5): inner", 105, 160);
    add_call(mock, 1, "a.py(9): leaf", 160, 161);
    add_call(mock, 1, "a.py(1): main", 100, 300);
    add_call(mock, 2, "a.py(9): leaf", 120, 420);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    g_assert_cmpuint(strobe_mock_emitted(mock, NULL), ==, 5);
    expect_path(mock, 0, "a.py(9): leaf", 300, 1, "python_call");
    expect_path(mock, 1, "a.py(1): main", 144, 1, "python_call");
    expect_path(mock, 2, "a.py(1): main;a.py(5): inner;a.py(9): leaf", 30, 2, "python_call");
    expect_path(mock, 3, "a.py(1): main;a.py(5): inner", 25, 1, "python_call");
    expect_path(mock, 4, "a.py(1): main;a.py(9): leaf", 1, 1, "python_call");
    strobe_mock_free(mock);
}

/* Calls that are nested too deeply for a path are counted and not lost. */
static void test_deep_calls(void)
{
    const guint n = HEIGHT_MAX + 10;
    StrobeMockHost *mock = strobe_mock_new(strobe_plugin_1.components[0], -1);
    const StrobeView *views;
    int64_t time = 0;
    uint64_t count = 0;

    for (guint i = n; i-- > 0;)
        add_call(mock, 1, "a.py(2): deeper", i, 2 * n - i);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    const size_t n_paths = strobe_mock_emitted(mock, &views);
    g_assert_cmpuint(n_paths, <=, HEIGHT_MAX + 1);
    for (size_t i = 0; i < n_paths; i++) {
        const struct strobe_call_path *path = views[i].fields;
        time += path->time;
        count += path->count;
    }
    g_assert_cmpint(time, ==, 2 * n);
    g_assert_cmpuint(count, ==, n);
    strobe_mock_free(mock);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/call-path/paths", test_paths);
    g_test_add_func("/call-path/waits", test_waits);
    g_test_add_func("/call-path/calls", test_calls);
    g_test_add_func("/call-path/deep-calls", test_deep_calls);
    return g_test_run();
}
