/* SPDX-License-Identifier: Apache-2.0 */
#include "state-memory.h"

#include <string.h>
#include <sys/resource.h>
#include "memory-limit.h"

#define SMALL 1000u
#define LARGE ((gsize)3 << 20)
#define LIMIT ((guint64)96 << 20)

/* Whether the page belongs to a mapped file, according to /proc. */
static gboolean is_in_file(const void *block)
{
    g_autofree char *maps = NULL;

    g_assert_true(g_file_get_contents("/proc/self/maps", &maps, NULL, NULL));
    g_auto(GStrv) lines = g_strsplit(maps, "\n", -1);
    for (char **line = lines; *line; line++) {
        char *end;
        guint64 from = g_ascii_strtoull(*line, &end, 16);
        guint64 to = *end ? g_ascii_strtoull(end + 1, NULL, 16) : 0;
        if (from <= (guintptr)block && (guintptr)block < to)
            return strstr(*line, "(deleted)") != NULL || strstr(*line, ".strobe-") != NULL;
    }
    return FALSE;
}

/* A block keeps its bytes when it moves to a file, and when it grows in the file. New bytes are
 * zero. */
static void test_grows(void)
{
    strobe_memory_limit_set(LIMIT, "/var/tmp");
    guchar *block = strobe_state_memory(NULL, 0, SMALL);

    g_assert_false(is_in_file(block));
    memset(block, 7, SMALL);
    for (gsize n = SMALL; n < 16 * LARGE; n *= 4) {
        block = strobe_state_memory(block, n, 4 * n);
        g_assert_cmpuint(block[SMALL - 1], ==, 7);
        g_assert_cmpuint(block[n - 1], ==, n == SMALL ? 7 : 1);
        g_assert_cmpuint(block[n], ==, 0);
        g_assert_cmpuint(block[4 * n - 1], ==, 0);
        block[4 * n - 1] = 1;
        if (4 * n > LARGE)
            g_assert_true(is_in_file(block));
        if (n * 4 >= 16 * LARGE)
            strobe_state_memory(block, 4 * n, 0);
    }
}

/* A block that becomes smaller stays on the heap or in its file. */
static void test_shrinks(void)
{
    strobe_memory_limit_set(LIMIT, "/var/tmp");
    guchar *block = strobe_state_memory(NULL, 0, LARGE);

    memset(block, 3, LARGE);
    block = strobe_state_memory(block, LARGE, SMALL);
    g_assert_cmpuint(block[SMALL - 1], ==, 3);
    block = strobe_state_memory(block, SMALL, LARGE);
    g_assert_cmpuint(block[SMALL - 1], ==, 3);
    g_assert_cmpuint(block[LARGE - 1], ==, 0);
    strobe_state_memory(block, LARGE, 0);
}

/* If files may not grow, as on a full disk, blocks stay on the heap, and blocks in a file return to
 * the heap. */
static void test_no_room(void)
{
    const struct rlimit little = {LARGE + 4096, RLIM_INFINITY};
    struct rlimit before;

    strobe_memory_limit_set(LIMIT, "/var/tmp");
    guchar *block = strobe_state_memory(NULL, 0, LARGE);
    g_assert_true(is_in_file(block));
    block[LARGE - 1] = 5;
    getrlimit(RLIMIT_FSIZE, &before);
    setrlimit(RLIMIT_FSIZE, &little);
    block = strobe_state_memory(block, LARGE, 2 * LARGE);
    guchar *other = strobe_state_memory(NULL, 0, 2 * LARGE);
    setrlimit(RLIMIT_FSIZE, &before);
    g_assert_false(is_in_file(block));
    g_assert_false(is_in_file(other));
    g_assert_cmpuint(block[LARGE - 1], ==, 5);
    g_assert_cmpuint(block[2 * LARGE - 1], ==, 0);
    strobe_state_memory(block, 2 * LARGE, 0);
    strobe_state_memory(other, 2 * LARGE, 0);
}

static void test_tmpfs(void)
{
    if (!g_file_test("/dev/shm", G_FILE_TEST_IS_DIR)) {
        g_test_skip("There is no /dev/shm");
        return;
    }
    g_assert_true(strobe_folder_is_memory("/dev/shm"));
    g_assert_false(strobe_folder_is_memory("/proc"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/state-memory/grows", test_grows);
    g_test_add_func("/state-memory/shrinks", test_shrinks);
    g_test_add_func("/state-memory/no-room", test_no_room);
    g_test_add_func("/state-memory/tmpfs", test_tmpfs);
    return g_test_run();
}
