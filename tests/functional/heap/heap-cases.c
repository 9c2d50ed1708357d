/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap-cases late LIBRARY | many N | forks N: allocates in unusual situations. It loads a library
 * whose constructor waits for a thread that allocates; or keeps N blocks at the same time; or forks
 * N times, with fork handlers that allocate.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define API __attribute__((visibility("default"), noinline))
/* time after which a signal ends the program, in case that it waits for ever */
#define SECONDS_MAX 40

API void take_many(void **blocks, int n);
API void take_at_fork(void);

static void *volatile touched;

static void load_library(const char *library)
{
    if (!dlopen(library, RTLD_NOW))
        fprintf(stderr, "%s\n", dlerror());
    puts("loaded");
}

API void take_many(void **blocks, int n)
{
    for (int i = 0; i < n; i++)
        blocks[i] = malloc(24);
}

static void keep_many(int n)
{
    void **blocks = malloc((size_t)n * sizeof *blocks);
    if (!blocks)
        abort();
    take_many(blocks, n);
    for (int i = 0; i < n; i++)
        free(blocks[i]);
    free(blocks);
}

static int is_forking; /* set by the thread that forks */

API void take_at_fork(void)
{
    if (!is_forking)
        return;
    touched = malloc(777);
    free(touched);
}

/* Adds fork handlers, which run before those of the session. */
static __attribute__((constructor)) void add_handlers(void)
{
    pthread_atfork(take_at_fork, take_at_fork, take_at_fork);
}

static void fork_often(int n)
{
    is_forking = 1;
    for (int i = 0; i < n; i++) {
        int status;
        pid_t child = fork();
        if (child == 0) {
            take_at_fork();
            _exit(0);
        }
        if (waitpid(child, &status, 0) != child || status)
            abort();
    }
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    alarm(SECONDS_MAX);
    if (!strcmp(argv[1], "late"))
        load_library(argv[2]);
    else if (!strcmp(argv[1], "many"))
        keep_many(atoi(argv[2]));
    else
        fork_often(atoi(argv[2]));
    return 0;
}
