/* SPDX-License-Identifier: Apache-2.0 */
/* npu-shapes SHAPE N: launches N kernels and N communication operations through the test double of
 * MSPTI, and ends in the way that SHAPE says: "return" from main, "exit", "threads" (the last of
 * four threads calls exit), "fork" (children end first, and the parent launches before and after
 * them), "steps" (a step after every ten launches, if the program is linked with libstrobe),
 * "_exit" (when all records have been passed to the collector). */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../mspti-double/mspti-double.h"

#ifdef HAS_STEPS
#include <strobe/strobe.h>
#define end_step strobe_step
#else
static void end_step(void)
{
}
#endif

#define THREADS 4

int aclInit(void);

static MsptiDoublePlay *play;
static MsptiDoubleState *state;

/* Finds the double, which a session with a schedule loads before its first window. Returns 0 if it
 * is not loaded. */
static int find_double(void)
{
    char path[4096];

    snprintf(path, sizeof path, "%s/lib64/libmspti.so", getenv("ASCEND_HOME_PATH"));
    void *library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    if (!library)
        return 0;
    play = (MsptiDoublePlay *)dlsym(library, "mspti_double_play");
    state = ((MsptiDoubleGet *)dlsym(library, "mspti_double"))();
    return 1;
}

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void pause_briefly(void)
{
    nanosleep(&(const struct timespec){.tv_nsec = 20000}, NULL);
}

/* Plays a kernel, the calls around its launch, and a communication operation, each of which is
 * reported when it ends. */
static void play_launch(int number)
{
    static const char *const lines[] = {"launch %d 0 3 KERNEL_AICORE k%d 5000 400",
                                        "call 12 %d rtKernelLaunch 1000 1000",
                                        "call 11 %d k%d 500 2000", "call 10 %d aclnnOp 0 3000",
                                        "collective %d 0 4 c%d group 6000 9000 400"};
    uint64_t base = now_ns();
    char line[128];

    if (!play && !find_double())
        return;
    pause_briefly();
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        snprintf(line, sizeof line, lines[i], (int)gettid(), number);
        if (play(line, base) != 0) {
            fprintf(stderr, "npu-shapes: cannot play: %s\n", line);
            exit(1);
        }
    }
}

static void launch_all(int first, int end)
{
    for (int i = first; i < end; i++) {
        play_launch(i);
        if (i % 10 == 9)
            end_step();
    }
}

/* ---- shapes ---- */

static int n_launches;

static void *run_thread(void *user)
{
    static int n_over;
    int number = (int)(intptr_t)user;

    launch_all(n_launches * number / THREADS, n_launches * (number + 1) / THREADS);
    if (__atomic_add_fetch(&n_over, 1, __ATOMIC_SEQ_CST) == THREADS)
        exit(0);
    return NULL;
}

static void run_threads(void)
{
    pthread_t thread;

    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&thread, NULL, run_thread, (void *)(intptr_t)i) != 0)
            abort();
    for (;;)
        pause();
}

static void run_child(int execs)
{
    pid_t child = fork();

    if (child == 0 && execs)
        execl("/bin/true", "true", (char *)NULL);
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
}

static void run_forks(void)
{
    launch_all(0, n_launches / 2);
    run_child(0);
    run_child(1);
    launch_all(n_launches / 2, n_launches);
}

/* Waits until three more flushes have begun, and ends by _exit. When a flush begins, the records of
 * the previous one have been read. */
static void end_at_once(void)
{
    int before = __atomic_load_n(&state->n_flushes, __ATOMIC_SEQ_CST);

    while (__atomic_load_n(&state->n_flushes, __ATOMIC_SEQ_CST) < before + 3)
        pause_briefly();
    _exit(0);
}

int main(int argc, char **argv)
{
    const char *shape = argc == 3 ? argv[1] : "";

    n_launches = argc == 3 ? atoi(argv[2]) : 0;
    aclInit();
    if (!strcmp(shape, "threads"))
        run_threads();
    if (!strcmp(shape, "fork"))
        run_forks();
    else
        launch_all(0, n_launches);
    if (!strcmp(shape, "_exit"))
        end_at_once();
    if (!strcmp(shape, "exit"))
        exit(0);
    return 0;
}
