/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <strobe/helpers/file-part.h>
#include <sys/resource.h>
#include <unistd.h>

static int open_nameless(void)
{
    g_autofree char *name = NULL;
    int file = g_file_open_tmp("strobe-file-part-XXXXXX", &name, NULL);

    g_assert_cmpint(file, >=, 0);
    unlink(name);
    return file;
}

/* Reads what was written at the same offset, and checks that the file's own position stays
 * unchanged. */
static void test_there_and_back(void)
{
    int file = open_nameless();
    char bytes[8] = {0};

    g_assert_cmpint(strobe_file_part_write(file, 3, "strobe", 6), ==, 0);
    g_assert_cmpint(strobe_file_part_read(file, 3, bytes, 6), ==, 6);
    g_assert_cmpstr(bytes, ==, "strobe");
    g_assert_cmpint(strobe_file_part_read(file, 0, bytes, 3), ==, 3);
    g_assert_cmpmem(bytes, 3, "\0\0\0", 3); /* the hole before the written bytes */
    g_assert_cmpint(lseek(file, 0, SEEK_CUR), ==, 0);
    close(file);
}

static void test_end(void)
{
    int file = open_nameless();
    char bytes[8];

    g_assert_cmpint(strobe_file_part_write(file, 0, "strobe", 6), ==, 0);
    g_assert_cmpint(strobe_file_part_read(file, 4, bytes, sizeof bytes), ==, 2);
    g_assert_cmpmem(bytes, 2, "be", 2);
    g_assert_cmpint(strobe_file_part_read(file, 6, bytes, sizeof bytes), ==, 0);
    g_assert_cmpint(strobe_file_part_read(file, 0, bytes, 0), ==, 0);
    g_assert_cmpint(strobe_file_part_write(file, 0, NULL, 0), ==, 0);
    close(file);
}

static void test_errors(void)
{
    char byte = 0;

    g_assert_cmpint(strobe_file_part_read(-1, 0, &byte, 1), ==, -1);
    g_assert_cmpint(errno, ==, EBADF);
    g_assert_cmpint(strobe_file_part_write(-1, 0, &byte, 1), ==, EBADF);
}

/* Checks that strobe_file_part_write tries to write the rest if the system writes only a part, and
 * returns the error of that attempt. */
static void test_limit(void)
{
    const struct rlimit little = {1000, RLIM_INFINITY};
    g_autofree char *bytes = g_strnfill(3000, 'x');
    struct rlimit before;
    int file = open_nameless();

    g_assert_cmpint(getrlimit(RLIMIT_FSIZE, &before), ==, 0);
    signal(SIGXFSZ, SIG_IGN);
    g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &little), ==, 0);
    int error = strobe_file_part_write(file, 0, bytes, 3000);
    g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &before), ==, 0);
    g_assert_cmpint(error, ==, EFBIG);
    g_assert_cmpint(strobe_file_part_read(file, 0, bytes, 3000), ==, 1000);
    close(file);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/file-part/there-and-back", test_there_and_back);
    g_test_add_func("/file-part/end", test_end);
    g_test_add_func("/file-part/errors", test_errors);
    g_test_add_func("/file-part/limit", test_limit);
    return g_test_run();
}
