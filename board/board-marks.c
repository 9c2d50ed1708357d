/* SPDX-License-Identifier: Apache-2.0 */
/* libstrobe.so.0 for a board. It records the marks of strobe/strobe.h in the pool of
 * strobe-board-run; if strobe-board-run does not record, a mark costs one load. Its functions for
 * sessions fail, because sessions need GLib, which a board does not have. */
#include "board-marks.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strobe/strobe.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "clock.h"
#include "pool.h"
#include "recorder.h"

/* ---- marks ---- */

/* Reads the path of the pool and the number of the window from the file, and removes the file, so
 * that only one process of a run records marks. Returns 0 if there is no such file. */
static int take_offer(char pool[PATH_MAX], uint32_t *window)
{
    const char *folder = getenv(BOARD_MARKS_VARIABLE);
    char path[PATH_MAX], text[256] = "", *blank;
    int fd;

    if (!folder || getauxval(AT_SECURE))
        return 0;
    snprintf(path, sizeof path, "%.4000s/" BOARD_MARKS_FILE, folder);
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return 0;
    const ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    blank = n > 0 ? strchr(text, ' ') : NULL;
    if (!blank || unlink(path))
        return 0;
    *blank = 0;
    *window = (uint32_t)strtoul(blank + 1, NULL, 10);
    snprintf(pool, PATH_MAX, "%s", text);
    return 1;
}

/* Makes this process record marks in the pool. The mapping of the pool stays until the process
 * ends. A forked child does not get the mapping, and does not record marks. */
static __attribute__((constructor)) void enter_recording(void)
{
    char path[PATH_MAX];
    uint32_t window;
    StrobePool pool;

    if (!take_offer(path, &window))
        return;
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0 || strobe_pool_open_file(&pool, fd))
        return;
    close(pool.fd);
    madvise(pool.header, pool.bytes, MADV_DONTFORK);
    strobe_clock_init();
    if (pool.header->clock_counter == (uint32_t)strobe_clock_counter)
        strobe_recorder_enter(pool.header, window);
}

/* ---- functions for sessions, which fail ---- */

#define NO_SESSION "there are no sessions on a board: strobe run --on records the whole run"

struct StrobeError {
    int unused;
};
static StrobeError no_session;

static StrobeStatus refuse_session(StrobeError **error)
{
    if (error)
        *error = &no_session;
    return STROBE_UNAVAILABLE;
}

const char *strobe_error_message(const StrobeError *error)
{
    return error ? NO_SESSION : "";
}

StrobeStatus strobe_error_status(const StrobeError *error)
{
    return error ? STROBE_UNAVAILABLE : STROBE_OK;
}

void strobe_error_free(StrobeError *error)
{
    (void)error;
}

StrobeStatus strobe_session_new(const char *config, const char *origin, StrobeSession **session,
                                StrobeError **error)
{
    *session = NULL;
    return refuse_session(error);
}

void strobe_session_free(StrobeSession *session)
{
}

void strobe_session_on_trace_ready(StrobeSession *session, StrobeTraceReady function, void *user)
{
}

void strobe_session_on_window_end(StrobeSession *session, StrobeTraceReady function, void *user)
{
}

void strobe_session_set_schedule(StrobeSession *session, StrobeScheduleFunction function,
                                 void *user)
{
}

StrobeStatus strobe_session_start(StrobeSession *session, StrobeError **error)
{
    return refuse_session(error);
}

StrobeStatus strobe_session_step(StrobeSession *session, StrobeError **error)
{
    return refuse_session(error);
}

StrobeStatus strobe_session_stop(StrobeSession *session, StrobeError **error)
{
    return refuse_session(error);
}

StrobeStatus strobe_session_dump(StrobeSession *session, const char *reason, const char **directory,
                                 StrobeError **error)
{
    if (directory)
        *directory = "";
    return refuse_session(error);
}

StrobeStatus strobe_dump(void)
{
    return STROBE_UNAVAILABLE;
}

void strobe_session_retry(StrobeSession *session)
{
}

StrobeStatus strobe_session_toggle(StrobeSession *session, const char *collector, int is_on,
                                   StrobeError **error)
{
    return refuse_session(error);
}

int64_t strobe_session_step_number(const StrobeSession *session)
{
    return 0;
}

StrobeAction strobe_session_action(const StrobeSession *session)
{
    return STROBE_ACTION_NONE;
}

const char *strobe_session_directory(const StrobeSession *session)
{
    return "";
}

StrobeStatus strobe_session_add_metadata(StrobeSession *session, const char *key, const char *value,
                                         int json, StrobeError **error)
{
    return refuse_session(error);
}

void strobe_set_rank(int rank)
{
}

int strobe_session_is_written(StrobeSession *session)
{
    return 1;
}

const char *strobe_session_diagnostics(StrobeSession *session)
{
    return "";
}

int strobe_warning_was_written(const char *text)
{
    return 0;
}

void strobe_step(void)
{
}
