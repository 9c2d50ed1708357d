/* SPDX-License-Identifier: Apache-2.0 */
/* without-processes PROGRAM [ARGUMENT...]: executes the program under a seccomp filter that refuses
 * new processes and threads. Built as without-perf (with WITHOUT_PERF), it refuses perf_event_open
 * instead. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REFUSE(number)                                                                             \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 1),                                           \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)

int main(int argc, char **argv)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
#ifdef WITHOUT_PERF
        REFUSE(SYS_perf_event_open),
#else
        REFUSE(SYS_clone),
        REFUSE(SYS_clone3),
#endif
#if defined SYS_fork && !defined WITHOUT_PERF
        REFUSE(SYS_fork),
        REFUSE(SYS_vfork),
#endif
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};

    if (argc < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
        perror(argv[0]);
        return 2;
    }
    execvp(argv[1], argv + 1);
    perror(argv[1]);
    return 2;
}
