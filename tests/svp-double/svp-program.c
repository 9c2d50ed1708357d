/* SPDX-License-Identifier: Apache-2.0 */
/*
 * svp-program CONFIG MODEL [WORDS...]: a program that runs a network on a board.
 *
 * Words in order: load; load-memory PATH (reads a file, and loads it from memory); execute N;
 * elsewhere N (executes in a separate thread); threads N M (N threads of M calls each); device N;
 * exit N; subscribe (prints the codes of its own subscription); prof-init PATH, prof-start,
 * prof-stop, prof-stop-other, prof-finalize (print their codes); prof-config MASK (prints 1 if a
 * configuration with this mask can be made); abort (kills itself); crash (by a bad pointer); every
 * (calls each function once); fork (a child makes calls); steady FILE (makes calls until it is
 * killed); flood FILE N (N threads make calls without a pause); wait (until its input ends);
 * no-finalize (leaves out the call of finalize at the end). Prints the number of calls that
 * failed.
 */
#include "svp-double.h"
#include "svp-every.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static int n_failed;
static uint32_t model;
static const char *model_path;

static void count_failure(int code)
{
    if (code)
        __atomic_fetch_add(&n_failed, 1, __ATOMIC_RELAXED);
}

static void load_model(void)
{
    void *handle = &model;

    count_failure(
        svp_acl_mdl_set_config_opt(handle, SVP_PATH_ATTRIBUTE, &model_path, sizeof model_path));
    count_failure(svp_acl_mdl_load_with_config(handle, &model));
}

/* Loads a model from the bytes of its file, as most programs do, so that the runtime does not know
 * its name. */
static void load_from_memory(const char *path)
{
    FILE *file = *path ? fopen(path, "re") : NULL;
    char content[64] = "";
    size_t n = file ? fread(content, 1, sizeof content, file) : sizeof content;

    if (file)
        fclose(file);
    count_failure(svp_acl_mdl_load_from_mem(content, n, &model));
}

static void execute_model(int n)
{
    for (int i = 0; i < n; i++)
        count_failure(svp_acl_mdl_execute(model, NULL, NULL));
}

static void *execute_elsewhere(void *n)
{
    execute_model(*(const int *)n);
    return NULL;
}

static void run_elsewhere(int n)
{
    pthread_t thread;

    pthread_create(&thread, NULL, execute_elsewhere, &n);
    pthread_join(thread, NULL);
}

static void crash_program(void)
{
    volatile char *volatile nowhere = NULL;

    *nowhere = 1;
}

static int calls_of_thread;

static void *call_often(void *unused)
{
    (void)unused;
    for (int i = 0; i < calls_of_thread / 2; i++) {
        void *memory = NULL;

        count_failure(svp_acl_rt_malloc(&memory, 16, 0));
        count_failure(svp_acl_rt_free(memory));
    }
    return NULL;
}

static void run_threads(int n)
{
    pthread_t threads[64];

    for (int i = 0; i < n && i < 64; i++)
        pthread_create(&threads[i], NULL, call_often, NULL);
    for (int i = 0; i < n && i < 64; i++)
        pthread_join(threads[i], NULL);
}

/* The number of returned calls of each thread, in a file that stays after the process. */
typedef struct ReturnedCalls {
    volatile uint64_t n;
    char cache_line[56];
} ReturnedCalls;

static ReturnedCalls *map_returned(const char *path, int n_threads)
{
    const size_t size = sizeof(ReturnedCalls) * (size_t)n_threads;
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

    if (fd < 0 || ftruncate(fd, (off_t)size))
        exit(9);
    return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

static void call_twice(ReturnedCalls *returned)
{
    void *memory = NULL;

    count_failure(svp_acl_rt_malloc(&memory, 16, 0));
    returned->n += 1;
    count_failure(svp_acl_rt_free(memory));
    returned->n += 1;
}

/* Makes calls until the process is killed. */
static void call_steadily(const char *path)
{
    ReturnedCalls *returned = map_returned(path, 1);

    for (;; usleep(50))
        call_twice(returned);
}

/* Some 5,000 calls per second. */
static void call_at_pace(int n)
{
    ReturnedCalls returned = {0};

    while ((int)returned.n < n) {
        call_twice(&returned);
        if (returned.n % 20 == 0)
            usleep(4000);
    }
}

static void *call_without_pause(void *returned)
{
    for (;;)
        call_twice(returned);
    return NULL;
}

static void flood_runtime(const char *path, int n)
{
    ReturnedCalls *returned = map_returned(path, n);
    pthread_t thread;

    for (int i = 1; i < n; i++)
        pthread_create(&thread, NULL, call_without_pause, &returned[i]);
    call_without_pause(returned);
}

/* Forks a child that makes calls, and ends as a program ends. */
static void call_in_child(void)
{
    int status = 1;
    const pid_t child = fork();
    int32_t device;

    if (child == 0) {
        count_failure(svp_acl_rt_get_device(&device));
        execute_model(1);
        exit(n_failed);
    }
    count_failure(child < 0 || waitpid(child, &status, 0) != child || status);
}

/* ---- profiling by calls ---- */

static const void *make_profile_config(uint64_t mask)
{
    static const uint32_t device = 0;

    return svp_acl_prof_create_config(&device, 1, 0, NULL, mask);
}

static const void *get_profile_config(void)
{
    static const void *config;

    if (!config)
        config = make_profile_config(15);
    return config;
}

static void print_code(int code)
{
    printf("%d ", code);
}

/* Makes a subscription, makes it again, makes one for an unknown model, ends it, and ends it again.
 * Prints the codes. */
static void subscribe_itself(void)
{
    int fd = open("/dev/null", O_WRONLY);
    const void *config = svp_acl_prof_create_subscribe_config(1, 0xff, &fd);

    print_code(svp_acl_prof_model_subscribe(model, config));
    print_code(svp_acl_prof_model_subscribe(model, config));
    print_code(svp_acl_prof_model_subscribe(model + 1000, config));
    execute_model(1);
    print_code(svp_acl_prof_model_unsubscribe(model));
    print_code(svp_acl_prof_model_unsubscribe(model));
    svp_acl_prof_destroy_subscribe_config(config);
    close(fd);
}

int main(int argc, char **argv)
{
    const char *config = argc > 1 && *argv[1] ? argv[1] : NULL;
    int finalizes = 1;
    char byte;

    model_path = argc > 2 ? argv[2] : "model.om";
    count_failure(svp_acl_init(config));
    for (int i = 3; i < argc; i++) {
        const char *next = i + 1 < argc ? argv[i + 1] : "0";

        if (!strcmp(argv[i], "execute"))
            execute_model(atoi(next)), i++;
        else if (!strcmp(argv[i], "elsewhere"))
            run_elsewhere(atoi(next)), i++;
        else if (!strcmp(argv[i], "crash"))
            crash_program();
        else if (!strcmp(argv[i], "threads"))
            calls_of_thread = atoi(argv[i + 2]), run_threads(atoi(next)), i += 2;
        else if (!strcmp(argv[i], "device"))
            count_failure(svp_acl_rt_set_device(atoi(next))), i++;
        else if (!strcmp(argv[i], "exit"))
            exit(atoi(next));
        else if (!strcmp(argv[i], "load"))
            load_model();
        else if (!strcmp(argv[i], "load-memory"))
            load_from_memory(next), i++;
        else if (!strcmp(argv[i], "fork"))
            call_in_child();
        else if (!strcmp(argv[i], "every"))
            n_failed += svp_call_every(model);
        else if (!strcmp(argv[i], "steady"))
            call_steadily(next);
        else if (!strcmp(argv[i], "paced"))
            call_at_pace(atoi(next)), i++;
        else if (!strcmp(argv[i], "flood"))
            flood_runtime(next, atoi(argv[i + 2]));
        else if (!strcmp(argv[i], "subscribe"))
            subscribe_itself();
        else if (!strcmp(argv[i], "prof-init"))
            print_code(svp_acl_prof_init(next, strlen(next))), i++;
        else if (!strcmp(argv[i], "prof-start"))
            print_code(svp_acl_prof_start(get_profile_config()));
        else if (!strcmp(argv[i], "prof-stop"))
            print_code(svp_acl_prof_stop(get_profile_config()));
        else if (!strcmp(argv[i], "prof-stop-other"))
            print_code(svp_acl_prof_stop(make_profile_config(15)));
        else if (!strcmp(argv[i], "prof-config"))
            print_code(make_profile_config((uint64_t)atoi(next)) != NULL), i++;
        else if (!strcmp(argv[i], "prof-finalize"))
            print_code(svp_acl_prof_finalize());
        else if (!strcmp(argv[i], "abort"))
            kill(getpid(), SIGKILL);
        else if (!strcmp(argv[i], "wait"))
            puts("ready"), fflush(stdout), (void)!read(0, &byte, 1);
        else if (!strcmp(argv[i], "no-finalize"))
            finalizes = 0;
    }
    if (finalizes)
        count_failure(svp_acl_finalize());
    printf("failed %d\n", n_failed);
    return 0;
}
