/* SPDX-License-Identifier: Apache-2.0 */
#include "call-path.h"

#include <glib.h>

#include "mock-consumer-host.h"

extern const StrobePlugin strobe_plugin_1;

static void add_sample(StrobeMockHost *mock, const char *thread, int64_t time,
                       const char *const *frames)
{
    const struct strobe_cpu_sample sample = {.time = time,
                                             .stack = frames ? strobe_mock_stack(mock, frames) : 0};

    strobe_mock_add(mock, &strobe_kind_cpu_sample, 0, strobe_mock_string(mock, thread), 10, 10,
                    &sample);
}

/* "outermost;...;innermost" */
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
                        uint64_t count)
{
    const StrobeView *views;

    g_assert_cmpuint(strobe_mock_emitted(mock, &views), >, i);
    const struct strobe_call_path *fields = views[i].fields;
    g_autofree char *text = path_text(mock, fields->path);
    g_assert_cmpstr(text, ==, path);
    g_assert_cmpint(fields->time, ==, time);
    g_assert_cmpuint(fields->count, ==, count);
    g_assert_cmpstr(strobe_mock_text(mock, fields->source), ==, "cpu_sample");
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
    expect_path(mock, 0, "h;main (h);work (h)", 150, 2);
    expect_path(mock, 1, "worker;main (h);work (h)", 120, 1);
    expect_path(mock, 2, "h;main (h)", 10, 1);
    expect_path(mock, 3, "h", 5, 1);
    strobe_mock_free(mock);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/call-path/paths", test_paths);
    return g_test_run();
}
