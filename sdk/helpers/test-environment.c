/* SPDX-License-Identifier: Apache-2.0 */
#include <glib.h>
#include <strobe/helpers/environment.h>
#include <strobe/plugin.h>

/* The variable of the preloaded library, named by STROBE_ENVIRONMENT_SYMBOL. */
extern char **strobe_run_environment;
__attribute__((visibility("default"))) char **strobe_run_environment;

static void test_as_it_is(void)
{
    g_setenv("STROBE_TEST_A", "now", TRUE);
    g_assert_cmpstr(strobe_environment_get("STROBE_TEST_A"), ==, "now");
    g_unsetenv("STROBE_TEST_A");
    g_assert_null(strobe_environment_get("STROBE_TEST_A"));
}

/* Checks that later changes of the program's environment have no effect. */
static void test_as_it_was(void)
{
    g_auto(GStrv) before =
        g_strsplit("STROBE_TEST_AB=b STROBE_TEST_A=before STROBE_TEST_EMPTY=", " ", -1);

    g_assert_cmpstr(STROBE_ENVIRONMENT_SYMBOL, ==, "strobe_run_environment");
    strobe_run_environment = before;
    g_setenv("STROBE_TEST_A", "now", TRUE);
    g_setenv("STROBE_TEST_C", "now", TRUE);
    g_assert_cmpstr(strobe_environment_get("STROBE_TEST_A"), ==, "before");
    g_assert_cmpstr(strobe_environment_get("STROBE_TEST_EMPTY"), ==, "");
    g_assert_null(strobe_environment_get("STROBE_TEST_C"));
    g_assert_null(strobe_environment_get("STROBE_TEST_"));
    strobe_run_environment = NULL;
    g_assert_cmpstr(strobe_environment_get("STROBE_TEST_A"), ==, "now");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/environment/as-it-is", test_as_it_is);
    g_test_add_func("/environment/as-it-was", test_as_it_was);
    return g_test_run();
}
