/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the text with which a session configures its writer process. */
#include "writer-setup.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include "error.h"
#include "pool.h"
#include "config-file.h"
#include "support.h"

static const char config_text[] = "{\"collectors\":{\"gc\":{\"threshold\":\"1ms\"},\"fake\":{}},"
                                  "\"buffer\":{\"policy\":\"ring\"}}";

static char *make_text(void)
{
    static const char *const folders[] = {"/p", "/q", NULL};
    g_autoptr(GError) error = NULL;
    StrobeRegistry *registry = strobe_registry_new(folders);
    StrobeConfig *config = strobe_config_parse(config_text, "c", &error);

    g_assert_no_error(error);
    g_autoptr(GArray) outside = g_array_new(FALSE, FALSE, sizeof(guint));
    const guint number = 2;

    g_array_append_val(outside, number);
    char *text = strobe_writer_setup_text(config, registry, outside, getpid());
    strobe_config_free(config);
    strobe_registry_free(registry);
    return text;
}

static void check_setup(const StrobeWriterSetup *setup)
{
    g_autofree char *here = g_get_current_dir();
    StrobeConfigComponent *gc = g_ptr_array_index(setup->config->collectors, 0);

    g_assert_cmpstr(setup->config->directory, ==, here);
    g_assert_cmpstr(setup->config->worker, ==, g_get_host_name());
    g_assert_cmpint(setup->config->buffer.policy, ==, STROBE_POLICY_RING);
    g_assert_cmpstr(gc->name, ==, "gc");
    g_assert_cmpstr(json_object_get_string_member(gc->json, "threshold"), ==, "1ms");
    g_assert_cmpint(setup->rank, ==, 7);
    g_assert_cmpint(setup->target, ==, getpid());
    g_assert_cmpuint(setup->outside->len, ==, 1);
    g_assert_cmpuint(g_array_index(setup->outside, guint, 0), ==, 2);
    g_assert_cmpstr(setup->plugin_path[0], ==, "/p");
    g_assert_cmpstr(setup->plugin_path[1], ==, "/q");
    g_assert_cmpstr(setup->command, !=, "");
}

static void test_through_the_pool(void)
{
    g_autofree char *folder = g_dir_make_tmp("strobe-setup-XXXXXX", NULL);
    g_autoptr(GError) error = NULL;
    g_autofree char *text = make_text();
    StrobePool pool, mapped;

    g_assert_cmpint(strobe_pool_create(&pool, STROBE_POOL_MIN_BYTES, folder, text), ==, 0);
    g_assert_cmpint(strobe_pool_open(&mapped, pool.path, 1), ==, 0);
    g_autoptr(StrobeWriterSetup) setup = strobe_writer_setup_read(mapped.header, &error);
    g_assert_no_error(error);
    check_setup(setup);
    strobe_pool_destroy(&mapped, 0);
    strobe_pool_destroy(&pool, 1);
    g_rmdir(folder);
}

/* A text without a NUL is copied with its last byte replaced by a NUL. A size that does not fit
 * into the pool is refused. */
static void test_unended_text(void)
{
    g_autofree char *folder = g_dir_make_tmp("strobe-setup-XXXXXX", NULL);
    StrobePool pool, mapped;

    g_assert_cmpint(strobe_pool_create(&pool, STROBE_POOL_MIN_BYTES, folder, "abc"), ==, 0);
    g_assert_cmpint(strobe_pool_open(&mapped, pool.path, 1), ==, 0);
    memset(strobe_pool_at(pool.header, pool.header->setup_at), 'x', 4);
    pool.header->setup_bytes = 4096;
    g_autofree char *copy = strobe_pool_copy_setup(mapped.header);
    g_assert_cmpstr(copy, ==, "xxx");
    strobe_pool_destroy(&mapped, 0);
    pool.header->setup_bytes = UINT64_MAX - 64;
    g_assert_cmpint(strobe_pool_open(&mapped, pool.path, 1), ==, EINVAL);
    strobe_pool_destroy(&pool, 1);
    g_rmdir(folder);
}

static void test_no_text(void)
{
    g_autofree char *folder = g_dir_make_tmp("strobe-setup-XXXXXX", NULL);
    g_autofree char *large = g_strnfill(STROBE_POOL_SETUP_MAX, 'x');
    StrobePool pool;

    g_assert_cmpint(strobe_pool_create(&pool, STROBE_POOL_MIN_BYTES, folder, large), ==, E2BIG);
    g_assert_cmpint(strobe_pool_create(&pool, STROBE_POOL_MIN_BYTES, folder, NULL), ==, 0);
    g_assert_null(strobe_pool_copy_setup(pool.header));
    strobe_pool_destroy(&pool, 1);
    g_rmdir(folder);
}

static void test_hostile_text(void)
{
    static const char *const texts[] = {"",
                                        "{}",
                                        "\n",
                                        "{}\n[]",
                                        "[]\n{}",
                                        "{\"rank\":1}\n{\"colectors\":{}}",
                                        "{\"rank\":1,\"rank\":2}\n{}"};

    for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_autoptr(GError) error = NULL;
        g_assert_null(strobe_writer_setup_parse(texts[i], &error));
        g_assert_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG);
    }
    g_autoptr(StrobeWriterSetup) odd =
        strobe_writer_setup_parse("{\"rank\":-7,\"plugin_path\":[1,{}],\"worker\":[]}\n", NULL);
    g_assert_cmpint(odd->rank, ==, -1);
    g_assert_null(odd->plugin_path[0]);
    g_assert_cmpstr(odd->config->worker, ==, "");
}

int main(int argc, char **argv)
{
    g_setenv("RANK", "7", TRUE);
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/writer-setup/through-the-pool", test_through_the_pool);
    g_test_add_func("/writer-setup/unended-text", test_unended_text);
    g_test_add_func("/writer-setup/no-text", test_no_text);
    g_test_add_func("/writer-setup/hostile-text", test_hostile_text);
    return g_test_run();
}
