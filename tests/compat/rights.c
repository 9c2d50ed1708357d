// SPDX-License-Identifier: Apache-2.0
/* Cases with users, capabilities, roots and namespaces. */
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "program.h"

#define OTHER_USER 65534

/* Behaves like a server that changes its user but keeps the capability to bind low ports. */
static int keep_capabilities(int argc, char **argv)
{
    (void)argc, (void)argv;
    make_marks();
    check(prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) == 0, "PR_SET_KEEPCAPS");
    check(setgroups(0, NULL) == 0, "setgroups");
    check(setresgid(OTHER_USER, OTHER_USER, OTHER_USER) == 0, "setresgid");
    check(setresuid(OTHER_USER, OTHER_USER, OTHER_USER) == 0, "setresuid");
    make_marks();
    print_rights();
    return 0;
}

static void set_capabilities(uint32_t low)
{
    struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
    const struct __user_cap_data_struct data[2] = {{low, low, 0}, {0}};

    check(syscall(SYS_capset, &head, data) == 0, "capset");
}

static int drop_capabilities(int argc, char **argv)
{
    (void)argc, (void)argv;
    make_marks();
    set_capabilities(1U << CAP_SETUID | 1U << CAP_SETGID);
    make_marks();
    print_rights();
    check(setresuid(OTHER_USER, OTHER_USER, OTHER_USER) == 0, "setresuid");
    make_marks();
    print_rights();
    return 0;
}

static int set_ids(int argc, char **argv)
{
    (void)argc, (void)argv;
    make_marks();
    check(setgid(OTHER_USER) == 0 && setuid(OTHER_USER) == 0, "setuid");
    make_marks();
    print_state();
    return 0;
}

static pthread_barrier_t all_are_there, ids_are_set;

static void *await_ids(void *user)
{
    make_marks();
    pthread_barrier_wait(&all_are_there);
    pthread_barrier_wait(&ids_are_set);
    make_marks();
    return user;
}

static int set_ids_with_threads(int argc, char **argv)
{
    pthread_t threads[3];

    (void)argc, (void)argv;
    pthread_barrier_init(&all_are_there, NULL, 4);
    pthread_barrier_init(&ids_are_set, NULL, 4);
    for (int i = 0; i < 3; i++)
        check(pthread_create(&threads[i], NULL, await_ids, NULL) == 0, "pthread_create");
    pthread_barrier_wait(&all_are_there);
    check(initgroups("nobody", OTHER_USER) == 0, "initgroups");
    check(setgid(OTHER_USER) == 0 && setuid(OTHER_USER) == 0, "setuid");
    print_rights();
    pthread_barrier_wait(&ids_are_set);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    make_marks();
    return 0;
}

static int change_root(int argc, char **argv)
{
    (void)argc, (void)argv;
    make_marks();
    check(mkdir("root", 0700) == 0 || errno == EEXIST, "mkdir");
    check(chroot("root") == 0 && chdir("/") == 0, "chroot");
    make_marks();
    printf("/proc is there: %d\n", access("/proc", F_OK) == 0);
    return 0;
}

static void print_unshare(const char *what, int flags)
{
    int result = unshare(flags);

    printf("%s: %s\n", what, result ? strerror(errno) : "yes");
}

/* Enters a user namespace, which the kernel refuses to a process with several threads. */
static int enter_user_namespace(int argc, char **argv)
{
    (void)argc, (void)argv;
    make_marks();
    print_unshare("user namespace", CLONE_NEWUSER);
    make_marks();
    print_rights();
    return 0;
}

/* Enters a mount namespace with its own /dev/shm, in which the pool has no name. */
static int enter_mount_namespace(int argc, char **argv)
{
    (void)argc, (void)argv;
    make_marks();
    print_unshare("mount namespace", CLONE_NEWNS);
    check(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0, "mount");
    check(mount("tmpfs", "/dev/shm", "tmpfs", 0, NULL) == 0, "mount /dev/shm");
    make_marks();
    print_state();
    return 0;
}

static void print_pid(void)
{
    printf("process %d\n", (int)getpid());
}

static int enter_pid_namespace(int argc, char **argv)
{
    (void)argc, (void)argv;
    make_marks();
    print_unshare("pid namespace", CLONE_NEWPID);
    run_in_child("first process", print_pid);
    make_marks();
    return 0;
}

const struct program_case right_cases[] = {
    {"keep-capabilities", keep_capabilities},
    {"drop-capabilities", drop_capabilities},
    {"set-ids", set_ids},
    {"set-ids-with-threads", set_ids_with_threads},
    {"chroot", change_root},
    {"user-namespace", enter_user_namespace},
    {"mount-namespace", enter_mount_namespace},
    {"pid-namespace", enter_pid_namespace},
    {NULL, NULL},
};
