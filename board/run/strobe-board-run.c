/* SPDX-License-Identifier: Apache-2.0 */
/* strobe-board-run: runs a program on a board and records it from outside, with collectors that are
 * plugins. `strobe run --on` sends this program and the plugins to the board. It makes
 * FOLDER/capture.strobe, and ends as the recorded program ends. It needs only libc and pthread,
 * because a board may have no other libraries. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "board-capture.h"
#include "board-child.h"
#include "board-marks.h"
#include "board-plan.h"
#include "board-report.h"

enum { EXIT_USAGE = 2, EXIT_PLUGIN = 4, EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127 };

/* Number of tries, and the time between them, for collectors that need a library in the program,
 * until this library has begun to work. */
#define LATE_TRIES 1000
#define LATE_PAUSE_MS 2
#define LIBRARY_PATH "LD_LIBRARY_PATH"
#define RUN_FOLDER "STROBE_RUN_DIR" /* variable with the folder for files of these libraries */

void board_report(const char *form, ...)
{
    char text[2048];
    va_list values;

    va_start(values, form);
    vsnprintf(text, sizeof text, form, values);
    va_end(values);
    fprintf(stderr, "strobe: %s\n", text);
}

/* ---- before the program ---- */

static int load_collectors(BoardPlan *plan)
{
    int good = 1;

    for (unsigned i = 0; i < plan->n_collectors; i++) {
        good = good && board_collector_load(&plan->collectors[i]);
        if (good)
            board_collector_probe(&plan->collectors[i]);
    }
    return good;
}

static void set_variables(const BoardCollector *c)
{
    for (uint32_t i = 0; i < c->component->n_variables; i++) {
        const StrobeVariable *variable = &c->component->variables[i];
        char *value = board_collector_variable(c, variable, getenv(variable->name));

        if (value)
            setenv(variable->name, value, 1);
        free(value);
    }
}

/* Sets the variables through which the program finds the library for marks, and this library finds
 * the pool. */
static void offer_marks(const BoardPlan *plan)
{
    const char *before = getenv(LIBRARY_PATH);
    char *path = NULL;

    if (asprintf(&path, "%s%s%s", plan->marks, before && *before ? ":" : "", before ? before : "") <
        0)
        return;
    setenv(LIBRARY_PATH, path, 1);
    setenv(BOARD_MARKS_VARIABLE, plan->folder, 1);
    free(path);
}

static char **make_environment(const BoardPlan *plan)
{
    if (plan->marks)
        offer_marks(plan);
    for (unsigned i = 0; i < plan->n_collectors; i++) {
        if (board_collector_is_late(&plan->collectors[i]))
            setenv(RUN_FOLDER, plan->folder, 1);
        set_variables(&plan->collectors[i]);
    }
    return environ;
}

/* Opens the collectors, and starts those that need no library in the program. Returns 0 if a
 * required collector has failed. */
static int begin_collectors(BoardPlan *plan)
{
    int good = 1;

    for (unsigned i = 0; i < plan->n_collectors; i++) {
        BoardCollector *c = &plan->collectors[i];

        if (board_collector_open(c) && !board_collector_is_late(c))
            board_collector_start(c, 0);
        good = good && !(c->is_required && c->has_failed);
    }
    return good;
}

/* ---- the program ---- */

/* Starts the collectors that need a library in the program. Tries several times, because the
 * library may not have begun to work yet. */
static void begin_late(BoardPlan *plan, BoardChild *child)
{
    for (unsigned i = 0; i < plan->n_collectors; i++) {
        BoardCollector *c = &plan->collectors[i];

        for (int n = 0; n < LATE_TRIES && c->is_open && !c->is_started && !c->has_failed; n++)
            if (!board_collector_start(c, 1) && board_child_wait(child, LATE_PAUSE_MS))
                break;
        board_collector_start(c, 0);
    }
}

static void end_collectors(BoardPlan *plan)
{
    for (unsigned i = 0; i < plan->n_collectors; i++)
        board_collector_stop(&plan->collectors[i]);
    for (unsigned i = 0; i < plan->n_collectors; i++)
        board_collector_close(&plan->collectors[i]);
}

static int run_program(BoardPlan *plan, BoardChild *child)
{
    const int reason = board_child_release(child);

    if (reason) {
        board_report("Cannot run \"%s\": %s", plan->command[0], strerror(reason));
        return reason == ENOENT || reason == ENOTDIR ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
    }
    begin_late(plan, child);
    board_child_wait(child, -1);
    return 0;
}

static int record_program(BoardPlan *plan, BoardChild *child)
{
    int code = 0;

    if (begin_collectors(plan)) {
        code = run_program(plan, child);
    } else {
        board_report("A required collector has failed: \"%s\" was not started", plan->command[0]);
        board_child_discard(child);
        code = EXIT_PLUGIN;
    }
    end_collectors(plan);
    if (code)
        board_capture_discard(plan);
    else
        board_capture_end();
    return code ? code : board_child_end_alike(child);
}

/* Runs the program without recording it, because the capture could not be made. Returns the exit
 * code. */
static int run_unrecorded(BoardPlan *plan, BoardChild *child)
{
    const int code = run_program(plan, child);

    return code ? code : board_child_end_alike(child);
}

int main(int argc, char **argv)
{
    static BoardPlan plan;
    BoardChild child;
    int error;

    /* the program's first thread inherits this name; threads whose names begin with "strobe-" are
     * not sampled */
    prctl(PR_SET_NAME, "board-run");
    if (!board_plan_read(&plan, argc, argv))
        return EXIT_USAGE;
    if (!load_collectors(&plan))
        return EXIT_PLUGIN;
    error = board_child_fork(&child, plan.command, make_environment(&plan));
    if (error) {
        board_report("Cannot make a process: %s", strerror(error));
        return EXIT_FAILURE;
    }
    return board_capture_begin(&plan, child.pid) ? record_program(&plan, &child)
                                                 : run_unrecorded(&plan, &child);
}
