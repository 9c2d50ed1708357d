/* SPDX-License-Identifier: Apache-2.0 */
/* Tests plugins with faults: each is refused with a reason, and none ends the program. */
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "error.h"
#include "registry.h"
#include "support.h"

static StrobeRegistry *bad_registry(void)
{
    static const char *const path[] = {BAD_PLUGINS, NULL};
    return strobe_registry_new(path);
}

static void check_refused(const char *name, const char *part)
{
    StrobeRegistry *registry = bad_registry();
    g_autoptr(GError) error = NULL;

    g_assert_null(strobe_registry_find(registry, STROBE_COMPONENT_COLLECTOR, name, NULL, &error));
    g_assert_error(error, STROBE_ERROR, STROBE_ERROR_PLUGIN);
    g_assert_cmpint(strobe_exit_code(error), ==, 4);
    if (!strstr(error->message, part))
        g_error("\"%s\" lacks \"%s\"", error->message, part);
    strobe_registry_free(registry);
}

static void test_refused(void)
{
    check_refused("wrong_abi", "it is for plugin ABI 9, this Strobe has ABI 1: upgrade Strobe");
    check_refused("no_symbol", "no symbol strobe_plugin_1");
    check_refused("wrong_name", "it calls itself \"other_name\"");
    check_refused("too_new", "it needs plugin ABI 1.77");
    check_refused("too_small", "its descriptor says 8 bytes");
    check_refused("no_ops", "lacks open, start, stop or close");
    check_refused("not_elf", "cannot be loaded");
}

/* Tests faults in the declarations, which would otherwise be noticed only when a user names the
 * plugin, or when it records. */
static void test_declarations(void)
{
    check_refused("component_name", "component's name must be of a-z 0-9 _, found \"a:b\"");
    check_refused("two_components", "two components are named \"two_components\"");
    check_refused("field_type", "field \"n\" has unknown type 99");
    check_refused("two_fields", "two fields are named \"n\"");
    check_refused("option_name", "option's name must be of a-z 0-9 _, found \"a b\"");
    check_refused("option_type", "option \"a\" has unknown type 99");
    check_refused("two_options", "two options are named \"a\"");
    check_refused("no_choices", "option \"a\" has no choices");
    check_refused("bad_default", "expected an integer (1..10), found \"11\"");
}

static void test_unknown(void)
{
    check_refused("cpu_opp", "did you mean \"cpu_op\"?");
    check_refused("", "There is no collector");
}

/* Copies the good plugin into `folder`. Returns its path (free it). */
static char *add_good(const char *folder)
{
    g_autofree char *source = g_build_filename(BAD_PLUGINS, "good.so", NULL);
    char *target = g_build_filename(folder, "good.so", NULL);
    g_autofree char *bytes = NULL;
    gsize n;

    g_assert_true(g_file_get_contents(source, &bytes, &n, NULL));
    g_assert_true(g_file_set_contents(target, bytes, (gssize)n, NULL));
    return target;
}

/* Checks that the good plugin in `folder` is refused for `reason` or, if this is NULL, accepted. */
static void check_good_in(const char *folder, const char *reason)
{
    const char *const path[] = {folder, NULL};
    g_autoptr(GError) error = NULL;
    StrobeRegistry *registry = strobe_registry_new(path);
    const StrobeComponent *found =
        strobe_registry_find(registry, STROBE_COMPONENT_COLLECTOR, "good", NULL, &error);

    if (reason && (found || !strstr(error->message, reason)))
        g_error("%s: \"%s\" lacks \"%s\"", folder, found ? "taken" : error->message, reason);
    if (!reason)
        g_assert_no_error(error);
    strobe_registry_free(registry);
}

static void test_permissions(void)
{
    static const int file_modes[] = {0755, 0757, 0755, 0755};
    static const int folder_modes[] = {0755, 0755, 0777, 01777};
    char *folder = scratch_new();
    g_autofree char *target = add_good(folder);

    for (guint i = 0; i < G_N_ELEMENTS(file_modes); i++) {
        g_chmod(target, file_modes[i]);
        g_chmod(folder, folder_modes[i]);
        check_good_in(folder, i ? "writable by everybody" : NULL);
    }
    scratch_remove(folder);
}

/* A plugin is refused if another user can write to a folder above, because this user could replace
 * the plugin's folder. */
static void test_folders_above(void)
{
    char *top = scratch_new();
    g_autofree char *above = g_build_filename(top, "above", NULL);
    g_autofree char *folder = g_build_filename(above, "between", "plugins", NULL);
    g_autofree char *says = g_strdup_printf("%s is writable by everybody", above);
    g_autofree char *says_owner = g_strdup_printf("%s is owned by user 4711", above);

    g_assert_cmpint(g_mkdir_with_parents(folder, 0755), ==, 0);
    g_free(add_good(folder));
    check_good_in(folder, NULL);
    g_chmod(above, 0777);
    check_good_in(folder, says);
    g_chmod(above, 01777);
    check_good_in(folder, NULL);
    g_chmod(above, 0755);
    if (geteuid() == 0) { /* only root can give folders to other users */
        g_assert_cmpint(chown(above, 4711, (gid_t)-1), ==, 0);
        check_good_in(folder, says_owner);
    }
    scratch_remove(top);
}

/* A link to a plugin is followed. The folders that are checked are those of the plugin itself. */
static void test_links(void)
{
    char *top = scratch_new();
    g_autofree char *trusted = g_build_filename(top, "trusted", NULL);
    g_autofree char *others = g_build_filename(top, "others", NULL);
    g_autofree char *links = g_build_filename(top, "links", NULL);
    g_autofree char *link = g_build_filename(links, "good.so", NULL);

    for (guint i = 0; i < 2; i++) {
        const char *folder = i ? others : trusted;
        g_autofree char *fault = i ? g_strdup_printf("%s is writable by everybody", others) : NULL;
        g_assert_cmpint(g_mkdir_with_parents(links, 0755), ==, 0);
        g_assert_cmpint(g_mkdir(folder, 0755), ==, 0);
        g_autofree char *target = add_good(folder);
        g_chmod(folder, i ? 0777 : 0755);
        g_unlink(link);
        g_assert_cmpint(symlink(target, link), ==, 0);
        check_good_in(links, fault);
    }
    scratch_remove(top);
}

static void test_shadowing(void)
{
    char *folder = scratch_new();
    const char *const path[] = {folder, BAD_PLUGINS, NULL};
    g_autofree char *target = add_good(folder);
    const StrobePluginFile *file;

    StrobeRegistry *registry = strobe_registry_new(path);
    g_assert_nonnull(
        strobe_registry_find(registry, STROBE_COMPONENT_COLLECTOR, "good", &file, NULL));
    g_assert_cmpstr(file->path, ==, target);
    GPtrArray *files = strobe_registry_scan(registry);
    guint shadowed = 0;
    /* if a Strobe is installed, the other plugins are there twice */
    for (guint i = 0; i < files->len; i++) {
        const StrobePluginFile *each = g_ptr_array_index(files, i);
        shadowed += each->shadowed && !strcmp(each->name, "good");
    }
    g_assert_cmpuint(shadowed, ==, 1);
    strobe_registry_free(registry);
    scratch_remove(folder);
}

static void test_passes(void)
{
    StrobeRegistry *registry = strobe_registry_new(NULL);
    const StrobeComponent *pass = strobe_registry_find_pass(registry, "operator_detail");

    g_assert_nonnull(pass);
    g_assert_cmpstr(pass->name, ==, "operator_tree");
    g_assert_null(strobe_registry_find_pass(registry, "cpu_op"));
    strobe_registry_free(registry);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/registry/refused", test_refused);
    g_test_add_func("/registry/declarations", test_declarations);
    g_test_add_func("/registry/unknown", test_unknown);
    g_test_add_func("/registry/permissions", test_permissions);
    g_test_add_func("/registry/folders-above", test_folders_above);
    g_test_add_func("/registry/links", test_links);
    g_test_add_func("/registry/shadowing", test_shadowing);
    g_test_add_func("/registry/passes", test_passes);
    return g_test_run();
}
