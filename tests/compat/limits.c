// SPDX-License-Identifier: Apache-2.0
/* Cases with limits of resources. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "program.h"

#define OTHER_USER 65534
#define MANY 4096

static void set_limit(int what, rlim_t value)
{
    const struct rlimit limit = {value, value};

    check(setrlimit((__rlimit_resource_t)what, &limit) == 0, "setrlimit");
}

/* Opens descriptors until the limit is reached, and prints their number. */
static int use_up_descriptors(int argc, char **argv)
{
    static int held[MANY];
    int n = 0;

    (void)argc, (void)argv;
    make_marks();
    set_limit(RLIMIT_NOFILE, 256);
    while (n < MANY && (held[n] = open("/dev/null", O_RDONLY)) >= 0)
        n++;
    make_marks();
    printf("%d descriptors, then %s\n", n, strerror(errno));
    while (n)
        close(held[--n]);
    print_state();
    return 0;
}

static void *do_nothing(void *user)
{
    return user;
}

/* Tries to make threads and processes with a limit of 1. Changes its user, because root has no such
 * limit. */
static int use_up_processes(int argc, char **argv)
{
    pthread_t thread;

    (void)argc, (void)argv;
    make_marks();
    set_limit(RLIMIT_NPROC, 1);
    check(setresgid(OTHER_USER, OTHER_USER, OTHER_USER) == 0, "setresgid");
    check(setresuid(OTHER_USER, OTHER_USER, OTHER_USER) == 0, "setresuid");
    int first = pthread_create(&thread, NULL, do_nothing, NULL);
    if (first == 0)
        pthread_join(thread, NULL);
    make_marks();
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    printf("a thread: %s, a child: %s\n", strerror(first), child < 0 ? strerror(errno) : "yes");
    return 0;
}

static int limit_files(int argc, char **argv)
{
    static char block[4096];
    int n = 0;

    (void)argc, (void)argv;
    make_marks();
    signal(SIGXFSZ, SIG_IGN);
    set_limit(RLIMIT_FSIZE, 64 << 10);
    int fd = open("limited", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    check(fd >= 0, "open");
    while (n < MANY && write(fd, block, sizeof block) == (ssize_t)sizeof block)
        n++;
    int error = errno;
    make_marks();
    printf("%d blocks, then %s\n", n, strerror(error));
    signal(SIGXFSZ, SIG_DFL);
    unlink("limited");
    close(fd);
    print_state();
    return 0;
}

/* Allocates as many MB as the argument says, which fit into the limit of the address space. */
static int allocate_blocks(int argc, char **argv)
{
    static char *held[MANY];
    int n = 0, wanted = argc ? atoi(argv[0]) : 64;

    make_marks();
    for (; n < wanted && n < MANY; n++) {
        held[n] = malloc(1 << 20);
        if (!held[n])
            break;
        memset(held[n], n, 1 << 20);
    }
    printf("%d MB allocated\n", n);
    while (n)
        free(held[--n]);
    make_marks();
    return 0;
}

/* Prints whether jemalloc provides malloc(). */
static int find_allocator(int argc, char **argv)
{
    int (*control)(const char *, void *, size_t *, void *, size_t) =
        (int (*)(const char *, void *, size_t *, void *, size_t))dlsym(RTLD_DEFAULT, "mallctl");
    uint64_t before = 0, after = 0;
    size_t size = sizeof before;

    if (control)
        control("thread.allocated", &before, &size, NULL, 0);
    int code = allocate_blocks(argc, argv);
    if (control)
        control("thread.allocated", &after, &size, NULL, 0);
    printf("jemalloc serves: %d\n", after - before >= 64 << 20);
    return code;
}

const struct program_case limit_cases[] = {
    {"descriptors", use_up_descriptors}, {"processes", use_up_processes}, {"files", limit_files},
    {"allocate", allocate_blocks},       {"allocator", find_allocator},   {NULL, NULL},
};
