/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that a folder is renamed, but never replaces another one, on file systems with and without
 * a flag for this. */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "folder-rename.h"

/* From now on renameat2() fails in this process, as on a file system without its flags. */
static void refuse_flags(void)
{
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_renameat2, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const struct sock_fprog program = {G_N_ELEMENTS(steps), steps};

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, 2, &program))
        _exit(77);
}

static void make_file(const char *folder)
{
    g_autofree char *path = g_build_filename(folder, "file", NULL);

    g_assert_cmpint(g_mkdir(folder, 0700), ==, 0);
    g_assert_true(g_file_set_contents(path, "text", -1, NULL));
}

/* Renames folders in the current folder. Returns the number of the first check that fails; 0:
 * none. */
static int rename_folders(void)
{
    const int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    make_file("one");
    make_file("taken");
    if (strobe_rename_folder(here, "one", here, "two") != 0)
        return 1;
    if (!g_file_test("two/file", G_FILE_TEST_EXISTS) || g_file_test("one", G_FILE_TEST_EXISTS))
        return 2;
    if (strobe_rename_folder(AT_FDCWD, "two", here, "taken") == 0 || errno != EEXIST)
        return 3;
    if (strobe_rename_folder(here, "none", here, "new") == 0 || errno != ENOENT)
        return 4;
    if (g_file_test("new", G_FILE_TEST_EXISTS) || !g_file_test("taken/file", G_FILE_TEST_EXISTS))
        return 5;
    return 0;
}

static void run_apart(void (*before)(void))
{
    g_autofree char *folder = g_dir_make_tmp("strobe-rename-XXXXXX", NULL);
    const char *const words[] = {"rm", "-rf", folder, NULL};
    const pid_t child = fork();
    int status;

    if (child == 0) {
        if (before)
            before();
        _exit(chdir(folder) ? 78 : rename_folders());
    }
    g_assert_cmpint(waitpid(child, &status, 0), ==, child);
    g_spawn_sync(NULL, (char **)words, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL,
                 NULL);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        g_test_skip("this kernel filters no system calls");
    else
        g_assert_cmpint(status, ==, 0);
}

static void test_flags(void)
{
    run_apart(NULL);
}

static void test_no_flags(void)
{
    run_apart(refuse_flags);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/folder-rename/flags", test_flags);
    g_test_add_func("/folder-rename/no-flags", test_no_flags);
    return g_test_run();
}
