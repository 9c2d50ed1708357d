/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "elf-file.h"

/* Writes the first `length` bytes of this program into a file, with the byte at `offset` replaced
 * by `byte`. Returns the path (free it). */
static char *write_copy(gsize length, gsize offset, char byte)
{
    g_autofree char *bytes = NULL;
    gsize size;
    char *path = g_strdup("elf-file-XXXXXX");

    g_assert_true(g_file_get_contents("/proc/self/exe", &bytes, &size, NULL));
    int file = g_mkstemp(path);
    g_assert_cmpint(file, >=, 0);
    if (offset < size)
        bytes[offset] = byte;
    length = MIN(length, size);
    g_assert_cmpint(write(file, bytes, length), ==, (gssize)length);
    close(file);
    return path;
}

static void test_own_program(void)
{
    StrobeElfFile file;
    g_autoptr(GError) error = NULL;

    g_assert_true(strobe_elf_read("/proc/self/exe", &file, &error));
    g_assert_no_error(error);
    g_assert_true(file.is_elf);
    g_assert_true(file.is_native);
    g_assert_true(g_str_has_prefix(file.interpreter, "/"));
    g_assert_cmpuint(strlen(file.build_id) % 2, ==, 0);
}

static void test_no_elf(void)
{
    StrobeElfFile file;
    g_autoptr(GError) error = NULL;

    g_assert_true(strobe_elf_read("/etc/passwd", &file, NULL));
    g_assert_false(file.is_elf);
    g_assert_true(strobe_elf_read("/dev/null", &file, NULL));
    g_assert_false(file.is_elf);
    g_assert_false(strobe_elf_read("/nonesuch", &file, &error));
    g_assert_nonnull(strstr(error->message, "/nonesuch"));
}

static void test_another_machine(void)
{
    g_autofree char *path = write_copy(G_MAXSIZE, 18, 0x7f); /* the offset of e_machine */
    StrobeElfFile file;

    g_assert_true(strobe_elf_read(path, &file, NULL));
    g_assert_true(file.is_elf);
    g_assert_false(file.is_native);
    g_unlink(path);
}

/* Reads truncated files, and files with a changed byte in the first KB. Reading must end, and stay
 * within the bounds of the file. */
static void test_damaged(void)
{
    StrobeElfFile file;

    for (gsize i = 0; i < 1024; i += 7) {
        g_autofree char *cut = write_copy(i, G_MAXSIZE, 0);
        g_autofree char *changed = write_copy(G_MAXSIZE, i, (char)0xff);
        g_assert_true(strobe_elf_read(cut, &file, NULL));
        g_assert_true(strobe_elf_read(changed, &file, NULL));
        g_assert_cmpuint(strlen(file.interpreter), <, sizeof file.interpreter);
        g_unlink(cut);
        g_unlink(changed);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/elf-file/own-program", test_own_program);
    g_test_add_func("/elf-file/no-elf", test_no_elf);
    g_test_add_func("/elf-file/another-machine", test_another_machine);
    g_test_add_func("/elf-file/damaged", test_damaged);
    return g_test_run();
}
