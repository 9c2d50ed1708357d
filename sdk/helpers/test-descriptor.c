/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strobe/helpers/descriptor.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Returns the size of the kernel's descriptor table of this process. */
static long read_table_size(void)
{
    g_autofree char *status = NULL;

    if (!g_file_get_contents("/proc/self/status", &status, NULL, NULL))
        return -1;
    const char *line = strstr(status, "\nFDSize:");
    return line ? strtol(line + strlen("\nFDSize:"), NULL, 10) : -1;
}

static int open_aside(void)
{
    return strobe_descriptor_aside(open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

/* Runs `child` in a child process with the smallest descriptor table that the kernel makes and with
 * separate limits; returns its exit status. */
static int status_of_child(int (*child)(void))
{
    int status = -1;
    pid_t pid = fork();

    if (pid == 0) {
        for (int fd = STDERR_FILENO + 1; fd < 1024; fd++)
            close(fd);
        if ((pid = fork()) == 0)
            _exit(child());
        _exit(waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 100);
    }
    g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
    g_assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int lies_high(void)
{
    errno = EXDEV;
    if (open_aside() < 512)
        return 1;
    return errno == EXDEV && strobe_descriptor_aside(-1) == -1 ? 0 : 2;
}

static void test_high(void)
{
    g_assert_cmpint(status_of_child(lies_high), ==, 0);
}

static void *wait_on(void *unused)
{
    for (;;)
        pause();
    return unused;
}

static int lets_the_table_be(void)
{
    const long before = read_table_size();
    pthread_t thread;
    int fd;

    if (before <= 0 || before > 512)
        return 77;
    if (pthread_create(&thread, NULL, wait_on, NULL))
        return 1;
    fd = open_aside();
    if (fd < before / 2)
        return 2;
    return read_table_size() == before ? 0 : 3;
}

/* Checks that the table does not grow if the program has threads, because the kernel would then
 * wait for all processors. */
static void test_threads(void)
{
    int status = status_of_child(lets_the_table_be);

    if (status == 77)
        g_test_skip("The table of descriptors is large from the beginning");
    else
        g_assert_cmpint(status, ==, 0);
}

static int child_of_threads(void)
{
    int status = lets_the_table_be();
    pid_t pid;

    if (status)
        return status;
    if ((pid = fork()) == 0)
        _exit(lies_high());
    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 100;
}

/* Checks that a child of a program with threads uses high numbers again, because the child may
 * close all low descriptors. */
static void test_child(void)
{
    int status = status_of_child(child_of_threads);

    if (status == 77)
        g_test_skip("The table of descriptors is large from the beginning");
    else
        g_assert_cmpint(status, ==, 0);
}

static int stays_in_limit(void)
{
    const struct rlimit limit = {16, 16};
    int fd;

    if (setrlimit(RLIMIT_NOFILE, &limit))
        return 1;
    if ((fd = open_aside()) != STDERR_FILENO + 1)
        return 2;
    close(STDIN_FILENO);
    return open_aside() > STDERR_FILENO && fcntl(STDIN_FILENO, F_GETFD) < 0 ? 0 : 3;
}

static void test_limit(void)
{
    g_assert_cmpint(status_of_child(stays_in_limit), ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/descriptor/high", test_high);
    g_test_add_func("/descriptor/threads", test_threads);
    g_test_add_func("/descriptor/child", test_child);
    g_test_add_func("/descriptor/limit", test_limit);
    return g_test_run();
}
