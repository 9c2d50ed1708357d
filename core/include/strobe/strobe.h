/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strobe for programs: mark what the program does, and run a session.
 *
 * Link with `pkg-config --libs strobe`. Any thread may make marking calls at any time; without a
 * session they cost one load. They never block, never allocate and make no system call in steady
 * state. Session calls are for one controlling thread; they return STROBE_OK or an error and
 * never end the program. Since 1.0.
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

/* Avoids the indirect call through the PLT if the compiler supports it. */
#if defined(__GNUC__) && !defined(__clang__)
#define STROBE_DIRECT __attribute__((noplt))
#else
#define STROBE_DIRECT
#endif

/* A child made by fork() records nothing until it opens its own session. A child made by _Fork()
 * or a raw system call, which run no fork handlers, must not mark before exec. */

/* ---- marking ---------------------------------------------------------------------------- */

/* Number of the recording window, 0 while no window records. Read it through strobe_enabled(). */
extern STROBE_API uint32_t strobe_gate;

/* Returns 1 while a window records, otherwise 0. Any thread. */
static inline int strobe_enabled(void)
{
    return (int)__builtin_expect(__atomic_load_n(&strobe_gate, __ATOMIC_RELAXED) != 0, 0);
}

/* An open range; may be copied. The thread that began it must end it once. */
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

/* Ends the range. A range that began without a recording window, or in an earlier window, is
 * ignored. */
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

/* Records a value of a quantity that changes over time. */
static inline void strobe_counter(const char *name, double value)
{
    if (strobe_enabled())
        strobe_counter_recorded(name, value);
}

/* Ends the current step of the process's session; without a session it does nothing. Any thread. */
STROBE_API void strobe_step(void);

/* ---- errors ----------------------------------------------------------------------------- */

typedef struct StrobeError StrobeError;

/* Returns the whole chain of causes in one line, NUL-terminated UTF-8, owned by the error. */
STROBE_API const char *strobe_error_message(const StrobeError *error);
STROBE_API StrobeStatus strobe_error_status(const StrobeError *error);
STROBE_API void strobe_error_free(StrobeError *error); /* NULL is allowed */

/* ---- session ---------------------------------------------------------------------------- */

typedef struct StrobeSession StrobeSession;

/* The schedule's action for a step. */
typedef enum StrobeAction {
    STROBE_ACTION_NONE = 0,
    STROBE_ACTION_WARMUP = 1,
    STROBE_ACTION_RECORD = 2,
    STROBE_ACTION_RECORD_AND_SAVE = 3
} StrobeAction;

/* Called when a window is complete; `directory` holds its capture. The thread that steps or stops
 * makes the call, after the end of the window and before the begin of the next; for a dump see
 * strobe_session_dump(). The function may stop the session; then no further window begins. While it
 * runs, start, step and dump return STROBE_ERROR_STATE, and free only prints a warning. */
typedef void (*StrobeTraceReady)(void *user, const char *directory);

/* Replaces the schedule: returns the action for a step number. The function has the same rules as a
 * StrobeTraceReady function. */
typedef StrobeAction (*StrobeScheduleFunction)(void *user, int64_t step);

/* Makes a session from a configuration in JSON (docs/config.md). NULL or "" is the default
 * configuration. `origin` (may be NULL) names the configuration in messages, for example by its
 * file name. A process can have one session at a time. On failure *session is NULL, and *error is
 * set if `error` is not NULL (free it). */
STROBE_API StrobeStatus strobe_session_new(const char *config, const char *origin,
                                           StrobeSession **session, StrobeError **error);

/* Stops the session if it runs, waits until all windows are sealed, closes the collectors and
 * frees the session. NULL is allowed. A call from a callback of the session only prints a
 * warning. */
STROBE_API void strobe_session_free(StrobeSession *session);

STROBE_API void strobe_session_on_trace_ready(StrobeSession *session, StrobeTraceReady function,
                                              void *user);

/* Like strobe_session_on_trace_ready(), for a function that does not read the capture: the session
 * calls it without waiting for the writer, which may still be writing the rest of the capture. Not
 * called after a dump. Since 1.0. */
STROBE_API void strobe_session_on_window_end(StrobeSession *session, StrobeTraceReady function,
                                             void *user);
STROBE_API void strobe_session_set_schedule(StrobeSession *session, StrobeScheduleFunction function,
                                            void *user);

/* Begins the action of the first step. Does nothing if the session already runs. A program may
 * end while the session runs, by exit() or a signal. The capture is then not closed, and the
 * next command that reads it ("strobe analyse") recovers all records. exit() waits for windows
 * that have already ended. */
STROBE_API StrobeStatus strobe_session_start(StrobeSession *session, StrobeError **error);

/* Ends the current step and begins the next. STROBE_ERROR_STATE after stop. */
STROBE_API StrobeStatus strobe_session_step(StrobeSession *session, StrobeError **error);

/* Ends the current window, if any. A second call does nothing. Without a trace-ready function the
 * call waits neither for late device records nor for the disk: Strobe's threads write the rest
 * after the call has returned. An analysis and the exit of the process wait for these threads; the
 * next session call reports their errors. The next window begins when the devices have delivered
 * their records, at most 2 s later. */
STROBE_API StrobeStatus strobe_session_stop(StrobeSession *session, StrobeError **error);

/* Makes a flight recorder ("buffer": {"policy": "ring"}) write the last records of every thread
 * into a separate result directory. Recording continues; the call waits for the writing. `reason`
 * is stored with the dump; NULL stands for "call". *directory (if not NULL) is "" on failure,
 * otherwise valid until the next dump. Afterwards this thread calls the function of
 * strobe_session_on_trace_ready(); other threads may step meanwhile. Any thread. STROBE_ERROR_STATE
 * if no flight recorder records. Since 1.0. */
STROBE_API StrobeStatus strobe_session_dump(StrobeSession *session, const char *reason,
                                            const char **directory, StrobeError **error);

/* Requests a dump of the session's flight recorder and returns at once. The writer makes the
 * dump even if the program ends meanwhile. The next step, stop or strobe_session_dump() calls
 * the function of strobe_session_on_trace_ready(). STROBE_UNAVAILABLE if there is no flight
 * recorder. Any thread, and in a signal handler. Since 1.0. */
STROBE_API StrobeStatus strobe_dump(void);

/* Makes each collector that waits for a library check again whether the library is loaded. Call it
 * after loading a library. */
STROBE_API void strobe_session_retry(StrobeSession *session);

/* Pauses a collector in the recording window, or lets it continue; each window begins with no
 * collector paused. Does nothing if no window records. STROBE_ERROR_ARGUMENT if the session has no
 * collector of this name. Since 1.0. */
STROBE_API StrobeStatus strobe_session_toggle(StrobeSession *session, const char *collector,
                                              int is_on, StrobeError **error);

/* Return the number and the action of the current step, and the result directory of the current or
 * last window ("" before the first; valid until the next session call). */
STROBE_API int64_t strobe_session_step_number(const StrobeSession *session);
STROBE_API StrobeAction strobe_session_action(const StrobeSession *session);
STROBE_API const char *strobe_session_directory(const StrobeSession *session);

/* Adds an entry to the profiler_metadata.json of every window that ends from now on. `json` is 1 if
 * the value is JSON text (STROBE_ERROR_ARGUMENT if it is not valid), 0 if it is plain text. */
STROBE_API StrobeStatus strobe_session_add_metadata(StrobeSession *session, const char *key,
                                                    const char *value, int json,
                                                    StrobeError **error);

/* Sets the process's rank in its job. The environment (RANK, OMPI_COMM_WORLD_RANK, SLURM_PROCID)
 * takes precedence. A negative rank means that the process has no rank. Call it before a window
 * ends; any thread. Since 1.0. */
STROBE_API void strobe_set_rank(int rank);

/* Returns 1 if the results of all ended windows are written, or the writer has died, so that a call
 * that waits for these results returns at once; otherwise 0. Any thread; does not wait for the
 * disk. Since 1.0. */
STROBE_API int strobe_session_is_written(StrobeSession *session);

/* Returns one line for each failed collector, loss or other limitation; "" if there is none. Waits
 * until the last window is complete. The session owns the text, which is valid until the next
 * session call. */
STROBE_API const char *strobe_session_diagnostics(StrobeSession *session);

/* Returns 1 if `text` is among the last 64 warnings that the library has written to stderr in this
 * process, otherwise 0. A caller that shows diagnostics need not repeat such a text. Any thread.
 * Since 1.0. */
STROBE_API int strobe_warning_was_written(const char *text);

/* Returns the version of the library, such as "0.1.0"; a static text. */
STROBE_API const char *strobe_version(void);

#if defined(__cplusplus)
}
#endif

#endif
