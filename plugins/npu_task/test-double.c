/* SPDX-License-Identifier: Apache-2.0 */
#include "test-double.h"

#include <dlfcn.h>

char *double_plugin, *double_library;

/* Opens the file that the collector has loaded. */
void *double_symbol(const char *name)
{
    void *library = dlopen(double_library, RTLD_NOW | RTLD_NOLOAD);
    g_assert_nonnull(library);
    void *found = dlsym(library, name);
    g_assert_nonnull(found);
    return found;
}

MsptiDoubleState *double_state(void)
{
    return ((MsptiDoubleGet *)double_symbol("mspti_double"))();
}

guint64 double_now_ns(void)
{
    return (guint64)g_get_real_time() * 1000;
}

void double_play(guint64 base, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_autofree char *line = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_assert_cmpint(((MsptiDoublePlay *)double_symbol("mspti_double_play"))(line, base), ==, 0);
}

StrobeMockHost *double_load(const char *activities)
{
    StrobeMockHost *mock = strobe_mock_host_load(double_plugin, NULL);

    g_assert_nonnull(mock);
    g_assert_cmpint(strobe_mock_host_option(mock, "library", double_library), ==, 0);
    g_assert_cmpint(strobe_mock_host_option(mock, "activities", activities), ==, 0);
    g_assert_cmpint(strobe_mock_host_open(mock), ==, STROBE_OK);
    return mock;
}

guint64 double_begin_window(StrobeMockHost *mock)
{
    g_assert_cmpint(strobe_mock_host_warm(mock), ==, STROBE_OK);
    g_assert_cmpint(strobe_mock_host_start(mock), ==, STROBE_OK);
    g_usleep(20);
    return double_now_ns();
}

void double_end_window(StrobeMockHost *mock)
{
    g_usleep(20);
    g_assert_cmpint(strobe_mock_host_stop(mock), ==, STROBE_OK);
    g_assert_cmpint(strobe_mock_host_flush(mock, 2000000000), ==, STROBE_OK);
}

void double_end(StrobeMockHost *mock)
{
    g_assert_cmpstr(strobe_mock_host_complaints(mock), ==, "");
    strobe_mock_host_free(mock);
}

void double_play_task(guint64 base, guint id)
{
    double_play(base, "api 11 70001 %u launch 0 5", id);
    double_play(base, "kernel 0 3 %u KERNEL_AICORE mm 1 5", id);
}

void double_find(void)
{
    double_plugin = g_build_filename(g_getenv("STROBE_TEST_PLUGINS"), "npu_task.so", NULL);
    double_library = g_build_filename(g_getenv("ASCEND_HOME_PATH"), "lib64", "libmspti.so", NULL);
}
