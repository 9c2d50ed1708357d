/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strobe for programs: mark what the program does, and run a session.
 *
 * Link with `pkg-config --libs strobe`. Marking calls may be made from any thread, at any time,
 * whether or not a session runs: without one they cost one load. They never block, never allocate
 * and make no system call in steady state. Session calls are for one controlling thread; they
 * return STROBE_OK or an error and never end the program. Since 1.0.
 */
#ifndef STROBE_STROBE_H
#define STROBE_STROBE_H

#include <stddef.h>
#include <strobe/record.h>
#include <strobe/status.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define STROBE_API __attribute__((visibility("default")))

/* Called without a detour through the program's linkage table, where the compiler knows how. */
#if defined(__GNUC__) && !defined(__clang__)
#define STROBE_DIRECT __attribute__((noplt))
#else
#define STROBE_DIRECT
#endif

/* A child made by fork() records nothing until it opens a session of its own. One made by _Fork()
 * or a raw system call, which run no fork handlers, must not mark before it has called exec. */

/* ---- marking ---------------------------------------------------------------------------- */

/* Number of the window that records, 0 when none does. Read through strobe_enabled(). */
extern STROBE_API uint32_t strobe_gate;

/* 1 while records are accepted. Any thread. */
static inline int strobe_enabled(void)
{
    return (int)__builtin_expect(__atomic_load_n(&strobe_gate, __ATOMIC_RELAXED) != 0, 0);
}

/* A range that is open; copy it freely, end it once, on the thread that began it. */
typedef struct StrobeRange {
    uint64_t token; /* 0: not recorded */
} StrobeRange;

STROBE_API STROBE_DIRECT StrobeRange strobe_range_begin_recorded(const char *name,
                                                                 uint64_t argument);
STROBE_API STROBE_DIRECT void strobe_range_end_recorded(StrobeRange range);
STROBE_API STROBE_DIRECT void strobe_mark_recorded(const char *name, uint64_t argument);
STROBE_API STROBE_DIRECT void strobe_counter_recorded(const char *name, double value);

/* Begins a range called `name` (copied; any bytes up to the NUL) with one 64-bit argument. */
static inline StrobeRange strobe_range_begin_argument(const char *name, uint64_t argument)
{
    StrobeRange none = {0};
    return strobe_enabled() ? strobe_range_begin_recorded(name, argument) : none;
}

/* Begins a range without an argument. */
static inline StrobeRange strobe_range_begin(const char *name)
{
    return strobe_range_begin_argument(name, STROBE_ABSENT_U64);
}

/* Ends it. A range begun while nothing recorded, or in an earlier window, is ignored. */
static inline void strobe_range_end(StrobeRange range)
{
    if (range.token)
        strobe_range_end_recorded(range);
}

/* Marks an instant. */
static inline void strobe_mark(const char *name)
{
    if (strobe_enabled())
        strobe_mark_recorded(name, STROBE_ABSENT_U64);
}

/* Reports a value of a quantity that changes over time. */
static inline void strobe_counter(const char *name, double value)
{
    if (strobe_enabled())
        strobe_counter_recorded(name, value);
}

/* Announces the end of a step to the process's session; nothing without one. Any thread. */
STROBE_API void strobe_step(void);

/* ---- errors ----------------------------------------------------------------------------- */

typedef struct StrobeError StrobeError;

/* The whole chain of causes in one line, NUL-terminated UTF-8, owned by the error. */
STROBE_API const char *strobe_error_message(const StrobeError *error);
STROBE_API StrobeStatus strobe_error_status(const StrobeError *error);
STROBE_API void strobe_error_free(StrobeError *error); /* NULL is allowed */

/* ---- session ---------------------------------------------------------------------------- */

typedef struct StrobeSession StrobeSession;

/* What the schedule says of a step. */
typedef enum StrobeAction {
    STROBE_ACTION_NONE = 0,
    STROBE_ACTION_WARMUP = 1,
    STROBE_ACTION_RECORD = 2,
    STROBE_ACTION_RECORD_AND_SAVE = 3
} StrobeAction;

/* A window is complete: `directory` holds its capture. Called in the thread that steps or stops,
 * between the end of that window and the beginning of the next; after a dump, see there. It may
 * stop the session, which then begins no further window; start, step and dump answer
 * STROBE_ERROR_STATE there, and free warns and does nothing. */
typedef void (*StrobeTraceReady)(void *user, const char *directory);

/* Replaces the schedule: the action for a step number. What holds for StrobeTraceReady holds here.
 */
typedef StrobeAction (*StrobeScheduleFunction)(void *user, int64_t step);

/* Makes a session from a configuration in JSON (docs/config.md). NULL or "" is the default
 * configuration. `origin` names it in messages (a file name), may be NULL. One session per process
 * at a time. On failure *session is NULL and, if `error` is not NULL, *error is set (free it). */
STROBE_API StrobeStatus strobe_session_new(const char *config, const char *origin,
                                           StrobeSession **session, StrobeError **error);

/* Stops if need be, waits until all windows are sealed, closes the collectors and frees. NULL is
 * allowed. In a function of the session's that is being called it warns, and does nothing. */
STROBE_API void strobe_session_free(StrobeSession *session);

STROBE_API void strobe_session_on_trace_ready(StrobeSession *session, StrobeTraceReady function,
                                              void *user);

/* As above, but for who does not read it: the rest of the capture may still be being written, and
 * nobody waits for that. Not called after a dump. Since 1.0. */
STROBE_API void strobe_session_on_window_end(StrobeSession *session, StrobeTraceReady function,
                                             void *user);
STROBE_API void strobe_session_set_schedule(StrobeSession *session, StrobeScheduleFunction function,
                                            void *user);

/* Enters the first step's action. Starting a session that runs does nothing. A program may end with
 * a session that runs, by exit() or a signal: the capture is not closed then, and the next command
 * that reads it ("strobe analyse") recovers all that was recorded. Windows that have ended before
 * are waited for at exit(). */
STROBE_API StrobeStatus strobe_session_start(StrobeSession *session, StrobeError **error);

/* Ends the step that runs and begins the next. STROBE_ERROR_STATE after stop. */
STROBE_API StrobeStatus strobe_session_step(StrobeSession *session, StrobeError **error);

/* Ends the window that runs, if any. Stopping twice does nothing. Without a function that is told
 * of the window it waits neither for devices that tell late nor for the disk: threads of Strobe's
 * add what is left (an analysis, and the process's end, wait for that), and the next session call
 * tells what failed. The next window begins when devices have told, 2 s later at most. */
STROBE_API StrobeStatus strobe_session_stop(StrobeSession *session, StrobeError **error);

/* A flight recorder ("buffer": {"policy": "ring"}) writes what it holds, the last records of every
 * thread, into a result directory of its own, while recording goes on; waits for that. `reason` is
 * kept with it, NULL: "call". *directory (NULL: not wanted) is "" on failure, else valid until the
 * next dump. Then the function of strobe_session_on_trace_ready() is called, in this thread. Any
 * thread. STROBE_ERROR_STATE when no flight recorder records. Since 1.0. */
STROBE_API StrobeStatus strobe_session_dump(StrobeSession *session, const char *reason,
                                            const char **directory, StrobeError **error);

/* Requests a dump of the flight recorder of the process's session and returns at once; the writer
 * makes it, also if the program ends meanwhile. The next step, stop or strobe_session_dump() calls
 * the function of strobe_session_on_trace_ready(). STROBE_UNAVAILABLE when there is none. Any
 * thread, and in a signal handler. Since 1.0. */
STROBE_API StrobeStatus strobe_dump(void);

/* Lets collectors that wait for a library look again; call it after a library was loaded. */
STROBE_API void strobe_session_retry(StrobeSession *session);

/* Pauses a collector, by its name, in the window that records, or lets it go on; a window begins
 * with all of them. Nothing happens where none records. STROBE_ERROR_ARGUMENT: the session has none
 * of this name. Since 1.0. */
STROBE_API StrobeStatus strobe_session_toggle(StrobeSession *session, const char *collector,
                                              int is_on, StrobeError **error);

/* Number of the step that runs, its action, and the folder of the window that records or recorded
 * last ("" before the first; valid until the next session call). */
STROBE_API int64_t strobe_session_step_number(const StrobeSession *session);
STROBE_API StrobeAction strobe_session_action(const StrobeSession *session);
STROBE_API const char *strobe_session_directory(const StrobeSession *session);

/* Adds to the profiler_metadata.json of every window that ends from now on. `json`: the value is
 * JSON text, else plain text. STROBE_ERROR_ARGUMENT when it is not valid JSON. */
STROBE_API StrobeStatus strobe_session_add_metadata(StrobeSession *session, const char *key,
                                                    const char *value, int json,
                                                    StrobeError **error);

/* The process's rank in its job, for who knows it from elsewhere than the environment (RANK,
 * OMPI_COMM_WORLD_RANK, SLURM_PROCID), which goes before. Negative: none. Tell it before a window
 * ends; any thread. Since 1.0. */
STROBE_API void strobe_set_rank(int rank);

/* 1: the results of all windows that have ended are written, or the writer is gone; calls that wait
 * for them return at once. 0: not yet. Any thread; does not wait for the disk. Since 1.0. */
STROBE_API int strobe_session_is_written(StrobeSession *session);

/* One line per thing that is missing or degraded: failed collectors, losses. Waits until the last
 * window is complete. The text is owned by the session and valid until the next session call; "" if
 * all is well. */
STROBE_API const char *strobe_session_diagnostics(StrobeSession *session);

/* 1: this text is among the last 64 warnings that the library has written to stderr in this
 * process; a caller that shows diagnostics need not repeat it. Any thread. Since 1.0. */
STROBE_API int strobe_warning_was_written(const char *text);

/* Version of the library, such as "0.1.0"; a static text. */
STROBE_API const char *strobe_version(void);

#if defined(__cplusplus)
}
#endif

#endif
