/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the limits of the shell and of constructed control groups. */
#include "system-memory.h"

#include <glib/gstdio.h>
#include <sys/resource.h>

#include "folder.h"

#define MB ((guint64)1 << 20)

static void write_file(const char *root, const char *name, const char *text)
{
    g_autofree char *path = g_build_filename(root, name, NULL);
    g_autofree char *folder = g_path_get_dirname(path);

    g_assert_cmpint(g_mkdir_with_parents(folder, 0700), ==, 0);
    g_assert_true(g_file_set_contents(path, text, -1, NULL));
}

typedef struct Fixture {
    char *root;
} Fixture;

static void set_up(Fixture *f, gconstpointer unused)
{
    f->root = g_dir_make_tmp("strobe-test-XXXXXX", NULL);
    g_assert_nonnull(f->root);
}

static void tear_down(Fixture *f, gconstpointer unused)
{
    strobe_folder_remove(f->root);
    g_free(f->root);
}

static void check_bound(const Fixture *f, guint64 limit, guint64 share, const char *name)
{
    StrobeMemoryBound bound;

    g_assert_true(strobe_memory_bound_find(f->root, &bound));
    g_assert_cmpuint(bound.limit, ==, limit);
    g_assert_cmpuint(bound.share, ==, share);
    g_assert_cmpstr(bound.name, ==, name);
}

static void test_none(Fixture *f, gconstpointer unused)
{
    StrobeMemoryBound bound;

    g_assert_false(strobe_memory_bound_find(f->root, &bound));
    write_file(f->root, "proc/self/cgroup", "0::/a\n1:cpu:/b\nnonsense\n7:memory:no path\n");
    write_file(f->root, "sys/fs/cgroup/a/memory.max", "max\n");
    write_file(f->root, "sys/fs/cgroup/memory/b/memory.limit_in_bytes", "1048576\n");
    g_assert_false(strobe_memory_bound_find(f->root, &bound));
}

/* The smallest limit at any level of the tree counts. */
static void test_version_2(Fixture *f, gconstpointer unused)
{
    write_file(f->root, "proc/self/cgroup", "0::/a/b:c\n");
    write_file(f->root, "sys/fs/cgroup/a/b:c/memory.max", "419430400\n");
    check_bound(f, 400 * MB, 300 * MB, "the control group");
    write_file(f->root, "sys/fs/cgroup/a/memory.max", "209715200\n");
    check_bound(f, 200 * MB, 150 * MB, "the control group");
    write_file(f->root, "sys/fs/cgroup/memory.max", "104857600\n");
    check_bound(f, 100 * MB, 75 * MB, "the control group");
}

static void test_version_1(Fixture *f, gconstpointer unused)
{
    write_file(f->root, "proc/self/cgroup", "5:cpu:/a\n4:hugetlb,memory:/a\n0::/\n");
    write_file(f->root, "sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    write_file(f->root, "sys/fs/cgroup/memory/a/memory.limit_in_bytes", "419430400\n");
    check_bound(f, 400 * MB, 300 * MB, "the control group");
}

static void set_limit(int which, rlim_t bytes)
{
    struct rlimit limit;

    g_assert_cmpint(getrlimit(which, &limit), ==, 0);
    limit.rlim_cur = bytes;
    g_assert_cmpint(setrlimit(which, &limit), ==, 0);
}

/* Uses large limits, because a sanitizer uses much of the address space. */
static void test_shell(Fixture *f, gconstpointer unused)
{
    struct rlimit limit;

    g_assert_cmpint(getrlimit(RLIMIT_AS, &limit), ==, 0);
    if (limit.rlim_cur != RLIM_INFINITY) {
        g_test_skip("there is a limit already");
        return;
    }
    set_limit(RLIMIT_AS, (rlim_t)1 << 50);
    check_bound(f, (guint64)1 << 50, (guint64)1 << 48, "the limit of the address space");
    set_limit(RLIMIT_DATA, (rlim_t)1 << 48);
    check_bound(f, (guint64)1 << 48, (guint64)1 << 47, "the limit of data");
    write_file(f->root, "proc/self/cgroup", "0::/\n");
    write_file(f->root, "sys/fs/cgroup/memory.max", "104857600\n");
    check_bound(f, 100 * MB, 75 * MB, "the control group");
    set_limit(RLIMIT_AS, RLIM_INFINITY);
    set_limit(RLIMIT_DATA, RLIM_INFINITY);
}

#define TEST(name_, function_)                                                                     \
    g_test_add("/system-memory/" name_, Fixture, NULL, set_up, function_, tear_down)

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    TEST("none", test_none);
    TEST("version-2", test_version_2);
    TEST("version-1", test_version_1);
    TEST("shell", test_shell);
    return g_test_run();
}
