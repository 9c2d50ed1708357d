/* SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <link.h>
#include <string.h>
#include <strobe/helpers/native-frame.h>
#include <sys/stat.h>
#include "native-symbols.h"

#define PROGRAM g_getenv("STROBE_TEST_SYMBOLS")

static volatile int result;

static __attribute__((noinline)) void known_function(void)
{
    result = result * 3 + 1;
}

static char *own_path(void)
{
    return g_file_read_link("/proc/self/exe", NULL);
}

static guint64 known_address(void)
{
    struct link_map *map = NULL;
    Dl_info info;

    g_assert_true(dladdr1((void *)known_function, &info, (void **)&map, RTLD_DL_LINKMAP));
    return (guint64)(gsize)(void *)known_function - map->l_addr;
}

static char *frame_of(const char *path, const StrobeBuildId *build_id)
{
    static const StrobeBuildId none;
    char text[4096];

    strobe_native_frame_write(text, sizeof text, path, build_id ? build_id : &none,
                              known_address());
    return g_strdup(text);
}

/* Returns the innermost function that the symbol program finds for the address of known_function in
 * the file (free it). */
static char *resolve_with(StrobeNativeSymbols *symbols, const char *path,
                          const StrobeBuildId *build_id)
{
    g_autofree char *frame = frame_of(path, build_id);
    g_auto(GStrv) functions = strobe_native_symbols_resolve(symbols, frame);

    g_assert_nonnull(functions);
    g_assert_nonnull(functions[0]);
    return g_strdup(functions[0]);
}

static void expect_symbol(const char *program, const char *path, const StrobeBuildId *build_id,
                          const char *expected)
{
    StrobeNativeSymbols *symbols = strobe_native_symbols_new(program);
    g_autofree char *text = resolve_with(symbols, path, build_id);

    g_assert_true(g_str_has_prefix(text, expected));
    strobe_native_symbols_free(symbols);
}

/* The name of a static function is found. */
static void test_function(void)
{
    g_autofree char *path = own_path();

    known_function();
    expect_symbol(PROGRAM, path, NULL, "known_function (test-native-symbols)");
}

static void test_other_texts(void)
{
    StrobeNativeSymbols *symbols = strobe_native_symbols_new(PROGRAM);

    g_assert_null(strobe_native_symbols_resolve(symbols, ""));
    g_assert_null(strobe_native_symbols_resolve(symbols, "main (program)"));
    g_assert_null(strobe_native_symbols_resolve(symbols, "/a/script.py(3): f"));
    strobe_native_symbols_free(symbols);
}

static void expect_moved(const char *from, const char *to, const char *path,
                         const StrobeBuildId *build_id, const char *expected)
{
    StrobeNativeSymbols *symbols = strobe_native_symbols_new(PROGRAM);

    strobe_native_symbols_move(symbols, "/nowhere", "/none");
    strobe_native_symbols_move(symbols, from, to);
    g_autofree char *text = resolve_with(symbols, path, build_id);
    g_assert_true(g_str_has_prefix(text, expected));
    strobe_native_symbols_free(symbols);
}

/* An object of another machine is read from the path to which it was moved on this machine. Objects
 * at other paths are then not read. */
static void test_moved(void)
{
    const StrobeBuildId other = {4, {1, 2, 3, 4}};
    g_autofree char *path = own_path(), *folder = g_path_get_dirname(path);
    const char *place = "test-native-symbols+0x", *name = "known_function (test-native-symbols)";

    expect_moved("/board/a", folder, "/board/a/test-native-symbols", NULL, name);
    expect_moved("/board/a", folder, "/board/a/test-native-symbols", &other, place);
    expect_moved("/board/a", folder, "/board/ab/test-native-symbols", NULL, place);
    expect_moved("/board/a", "/none", "/board/a/test-native-symbols", NULL, place);
    expect_moved("/board/a", folder, path, NULL, place);
}

/* If the file is no object with this build id, the frame has the name of the file and the
 * offset. */
static void test_no_object(void)
{
    const StrobeBuildId other = {4, {1, 2, 3, 4}};
    g_autofree char *path = own_path(), *folder = g_dir_make_tmp("strobe-symbols-XXXXXX", NULL);
    g_autofree char *text = g_build_filename(folder, "text", NULL);
    g_autofree char *fifo = g_build_filename(folder, "fifo", NULL);

    g_file_set_contents(text, "no object", -1, NULL);
    g_assert_cmpint(mkfifo(fifo, 0600), ==, 0);
    expect_symbol(PROGRAM, path, &other, "test-native-symbols+0x");
    expect_symbol(PROGRAM, "/no/such/file", NULL, "file+0x");
    expect_symbol(PROGRAM, folder, NULL, "strobe-symbols-");
    expect_symbol(PROGRAM, text, NULL, "text+0x");
    expect_symbol(PROGRAM, fifo, NULL, "fifo+0x");
    g_remove(text);
    g_remove(fifo);
    g_rmdir(folder);
}

/* Uses symbol programs that do not exist, end at once, send a wrong answer, or never end their
 * answer. */
static void test_bad_programs(void)
{
    g_autofree char *path = own_path();

    expect_symbol("/no/such/program", path, NULL, "test-native-symbols+0x");
    expect_symbol("/bin/false", path, NULL, "test-native-symbols+0x");
    expect_symbol("/bin/cat", path, NULL, "test-native-symbols+0x");
    expect_symbol("/usr/bin/yes", path, NULL, "test-native-symbols+0x");
}

static void damage_bytes(char *bytes, gsize size, GRand *rand)
{
    guint n = (guint)g_rand_int_range(rand, 1, 40);

    /* half of the bytes are near the begin or the end, where the headers are */
    for (guint i = 0; i < n; i++) {
        gsize window = g_rand_boolean(rand) ? size : MIN(size, 4096);
        gsize at = (gsize)g_rand_int_range(rand, 0, (gint32)window);
        bytes[g_rand_boolean(rand) ? at : size - 1 - at] = (char)g_rand_int(rand);
    }
}

/* A damaged object ends at most the process of the symbol program. A good object is resolved after
 * it. */
static void test_damaged_objects(void)
{
    g_autofree char *path = own_path(), *folder = g_dir_make_tmp("strobe-symbols-XXXXXX", NULL);
    g_autofree char *good = NULL;
    GRand *rand = g_rand_new_with_seed(1);
    gsize size;

    g_assert_true(g_file_get_contents(path, &good, &size, NULL));
    for (guint i = 0; i < 100; i++) {
        g_autofree char *bad = g_memdup2(good, size), *name = g_strdup_printf("%s/%u", folder, i);
        StrobeNativeSymbols *symbols = strobe_native_symbols_new(PROGRAM);

        damage_bytes(bad, size, rand);
        g_file_set_contents(name, bad, (gssize)(i % 3 ? size : size * i / 100), NULL);
        g_autofree char *text = resolve_with(symbols, name, NULL);
        g_autofree char *other = resolve_with(symbols, path, NULL);
        g_assert_true(g_str_has_prefix(other, "known_function (test-native-symbols)"));
        strobe_native_symbols_free(symbols);
        g_remove(name);
    }
    g_rmdir(folder);
    g_rand_free(rand);
}

/* A symbol program that cannot run here, for example because a library is missing, is started only
 * twice, not for each object. */
static void test_vain_starts(void)
{
    g_autofree char *folder = g_dir_make_tmp("strobe-symbols-XXXXXX", NULL);
    g_autofree char *program = g_build_filename(folder, "program", NULL);
    g_autofree char *starts = g_build_filename(folder, "starts", NULL), *written = NULL;
    g_autofree char *script = g_strdup_printf("#!/bin/sh\necho started >>%s\nexit 127\n", starts);
    StrobeNativeSymbols *symbols;

    g_assert_true(g_file_set_contents(program, script, -1, NULL));
    g_assert_cmpint(chmod(program, 0700), ==, 0);
    symbols = strobe_native_symbols_new(program);
    for (guint i = 0; i < 10; i++) {
        g_autofree char *path = g_strdup_printf("/no/such/file%u", i);
        g_autofree char *text = resolve_with(symbols, path, NULL);
        g_assert_true(g_str_has_prefix(text, "file"));
    }
    strobe_native_symbols_free(symbols);
    g_assert_true(g_file_get_contents(starts, &written, NULL, NULL));
    g_assert_cmpstr(written, ==, "started\nstarted\n");
    g_remove(starts);
    g_remove(program);
    g_rmdir(folder);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/native-symbols/moved", test_moved);
    g_test_add_func("/native-symbols/other-texts", test_other_texts);
    g_test_add_func("/native-symbols/bad-programs", test_bad_programs);
    g_test_add_func("/native-symbols/vain-starts", test_vain_starts);
    if (!PROGRAM) /* built without libdw */
        return g_test_run();
    g_test_add_func("/native-symbols/function", test_function);
    g_test_add_func("/native-symbols/no-object", test_no_object);
    g_test_add_func("/native-symbols/damaged-objects", test_damaged_objects);
    return g_test_run();
}
