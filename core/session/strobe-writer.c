/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strobe-writer POOL: the process that writes a program's records from this pool, and completes
 * the captures after the program has ended in any way. `strobe run` or the program
 * (beside-process.c) starts it.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include "writer-loop.h"
#include "dump-maker.h"
#include "outside.h"
#include "process.h"
#include "recover.h"
#include "writer-setup.h"
#include "writer-state.h"

enum { EXIT_USAGE = 2 };

struct program {
    StrobePool pool;
    StrobeWriterSetup *setup; /* NULL: there is no valid setup in the pool */
    StrobeOutside *outside;   /* NULL: no collectors run here */
    StrobeDumpMaker dumps;
    StrobeWriterLoop loop;
    pid_t pid;     /* 0: this process cannot see the program */
    int was_asked; /* goes_on_outside() was called before */
};

/* Does the process `p` now execute another program, which cannot record for itself? If so, the
 * collectors in the writer continue to record the process. Such a program is statically linked, so
 * that nothing can be loaded into it, or has another user, who may not enter the run's folder. A
 * launcher is included, because it may execute such a program. The first call returns 1, because
 * the exec may be in progress, so that the new program is not known yet. */
static int goes_on_outside(struct program *p)
{
    if (!p->outside || !p->pid || !strobe_process_is_there(p->pid, NULL))
        return 0;
    if (!p->was_asked) {
        p->was_asked = 1;
        return 1;
    }
    return strobe_process_is_static(p->pid) || strobe_process_is_of_other_user(p->pid) ||
           strobe_process_is_launcher(p->pid);
}

/* Has the program ended? The program has a lock on the pool's file as long as it has the pool
 * mapped; any end, and an exec, release the lock. On some file systems closing the file releases it
 * too; there this function also checks whether the process exists. */
static int is_gone(void *user)
{
    struct program *p = user;

    if (p->outside)
        strobe_outside_look(p->outside);
    if (strobe_pool_has_program(&p->pool) || goes_on_outside(p))
        return 0;
    return p->pool.mapping_keeps_lock || p->pid == 0 || !strobe_process_is_there(p->pid, NULL);
}

static int finish_window(void *user, const StrobeCaptureWriter *writer)
{
    struct program *p = user;

    return strobe_recover_window(p->pool.header, writer);
}

static int make_dump(void *user, StrobeWriterLoop *loop, uint32_t why, const char *reason,
                     char path[PATH_MAX])
{
    struct program *p = user;

    return strobe_dump_maker_make(&p->dumps, loop, why, reason, path);
}

static void begin_window(void *user, uint32_t window, const char *capture)
{
    const struct program *p = user;

    strobe_outside_begin(p->outside, window, capture);
}

static unsigned end_window(void *user, uint64_t end)
{
    const struct program *p = user;

    return strobe_outside_end(p->outside, end);
}

static int write_pool(struct program *p)
{
    const StrobeWriterLoopProgram program = {.is_gone = is_gone,
                                             .finish = finish_window,
                                             .make_dump = make_dump,
                                             .begin = p->outside ? begin_window : NULL,
                                             .end = p->outside ? end_window : NULL,
                                             .user = p};
    int error = strobe_writer_loop_init(&p->loop, p->pool.header, &program);

    if (error)
        return error;
    strobe_writer_loop_run(&p->loop);
    strobe_writer_loop_clear(&p->loop);
    strobe_outside_free(p->outside);
    strobe_pool_destroy(&p->pool, !strobe_pool_has_windows(p->pool.header));
    return 0;
}

/* Ignores signals that are sent to the process group, because they are for the program: the writer
 * ends only after the program. */
static void ignore_signals(void)
{
    static const int numbers[] = {SIGTERM, SIGINT,  SIGHUP,  SIGQUIT, SIGPIPE,
                                  SIGXFSZ, SIGXCPU, SIGUSR1, SIGUSR2, SIGALRM};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        signal(numbers[i], SIG_IGN);
}

/* Is this process still the pool's writer? The program may meanwhile have another writer. */
static int is_wanted(const StrobePool *pool)
{
    return strobe_pool_lock_for_writer(pool) == 0 &&
           atomic_load(&pool->header->control.writer_state) == STROBE_WRITER_NONE &&
           pool->header->clock_counter == (uint32_t)strobe_clock_counter;
}

static StrobeOutside *start_outside(const struct program *p)
{
    const pid_t target = p->setup->target ? p->setup->target : p->pid;

    return strobe_outside_new(p->pool.header, target, p->setup);
}

int main(int argc, char **argv)
{
    static struct program program;

    if (argc != 2) {
        fprintf(stderr, "Usage: strobe-writer POOL\n");
        return EXIT_USAGE;
    }
    ignore_signals();
    strobe_clock_init();
    if (strobe_pool_open(&program.pool, argv[1], 1) || !is_wanted(&program.pool) ||
        strobe_writer_hold_word(program.pool.header))
        return EXIT_FAILURE;
    /* The setup is read before the program continues, because the program may change the text
     * later. */
    program.setup = strobe_writer_setup_read(program.pool.header, NULL);
    if (!program.setup && program.pool.header->setup_bytes)
        return EXIT_FAILURE;
    program.pid = strobe_pool_program(&program.pool);
    program.dumps.setup = program.setup;
    program.outside = program.setup ? start_outside(&program) : NULL;
    return write_pool(&program) ? EXIT_FAILURE : EXIT_SUCCESS;
}
