/* SPDX-License-Identifier: Apache-2.0 */
/* exit-program WAY [FOLDER]: makes marks, waits for the end of its standard input, limits itself if
 * WAY requests it, makes more marks, prints a line, and ends. WAY is exit, quick (ends by _exit),
 * abort, kill, closed (closes all descriptors except the standard ones), chroot (into FOLDER), or
 * seccomp (installs a filter in which every system call except write and exit kills the
 * process). */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <strobe/strobe.h>

#define MARKS 1000

static void record_marks(const char *name)
{
    for (int i = 0; i < MARKS; i++)
        strobe_range_end(strobe_range_begin(name));
}

static void check_call(int failed, const char *what)
{
    if (!failed)
        return;
    perror(what);
    _exit(99);
}

#define ALLOW(call)                                                                                \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static void forbid_calls(void)
{
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)), ALLOW(SYS_write),
        ALLOW(SYS_exit), ALLOW(SYS_exit_group),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)};
    struct sock_fprog filter = {sizeof rules / sizeof *rules, rules};

    check_call(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "PR_SET_NO_NEW_PRIVS");
    check_call(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter), "PR_SET_SECCOMP");
}

static void limit_itself(const char *way, const char *folder)
{
    if (strcmp(way, "closed") == 0)
        for (int fd = 3; fd < 1024; fd++)
            close(fd);
    if (strcmp(way, "chroot") == 0)
        check_call(chroot(folder) || chdir("/"), "chroot");
    if (strcmp(way, "seccomp") == 0)
        forbid_calls();
}

static void end_process(const char *way)
{
    if (strcmp(way, "quick") == 0)
        _exit(3);
    if (strcmp(way, "abort") == 0)
        abort();
    if (strcmp(way, "kill") == 0)
        kill(getpid(), SIGKILL);
    exit(3);
}

int main(int argc, char **argv)
{
    static const char line[] = "recorded\n";
    const char *way = argc > 1 ? argv[1] : "exit";
    char byte;

    record_marks("before");
    while (read(0, &byte, 1) > 0)
        ;
    limit_itself(way, argc > 2 ? argv[2] : "/");
    record_marks("after");
    if (write(1, line, sizeof line - 1) < 0)
        return 1;
    end_process(way);
}
