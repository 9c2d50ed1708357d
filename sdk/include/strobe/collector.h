/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a collector implements and what it may call.
 *
 * Where. A collector runs in the program, one with a `sample` in the process beside it that writes
 * the capture, unless it has the flag STROBE_COMPONENT_INSIDE or no such process could be started.
 * All calls of an instance come from the same process.
 *
 * Threads. "Control" is the thread that drives the session; calls to one instance never overlap.
 * `sample` comes from a thread of the core.
 * Recording calls (writer, reserve, commit, span_begin,
 * span_end, span_open, span_close, async_open, async_close, intern, now) may come from any thread,
 * a driver's callback thread too, and never block, never allocate and make no system call in steady
 * state.
 * Since ABI 1.0.
 */
#ifndef STROBE_COLLECTOR_H
#define STROBE_COLLECTOR_H

#include <strobe/plugin.h>

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct StrobeInstance StrobeInstance; /* the host's side of one opened component */
typedef struct StrobeWriter StrobeWriter;     /* a thread's way into its thread buffer */

/* A span begun and not yet ended. Opaque; 0 in every member is "not recorded". */
typedef struct StrobeSpan {
    uint64_t token;
} StrobeSpan;

/* What span_close has closed. */
typedef struct StrobeClosed {
    uint32_t depth;    /* of the span, as span_open returned it; 0: there was no such span */
    uint32_t n_inside; /* spans inside it that were still open: they are closed without a record */
} StrobeClosed;

typedef struct StrobeHost {
    uint32_t struct_size;
    uint32_t abi_minor;

    /* Declares a kind and returns its id, the same id for the same declaration. A declaration that
     * differs from an earlier one of that name fails, naming the field; fields added at the end of
     * a standard kind, named "plugin.field", are allowed. Control thread. */
    StrobeStatus (*kind)(StrobeInstance *self, const StrobeKind *kind, StrobeKindId *id);

    /* Makes (or finds) a track. `track` and its strings are copied. Any thread; may take a lock:
     * keep the id. Returns 0 when the track table is full: the record then lands on the thread. */
    StrobeTrackId (*track)(StrobeInstance *self, const StrobeTrack *track);

    /* The calling thread's writer, NULL while no window records. Valid until the next call that
     * returns NULL; do not store it beyond the present event. Any thread. */
    StrobeWriter *(*writer)(StrobeInstance *self);

    /* Interns bytes (need not be NUL-terminated or valid UTF-8). Any thread, on its own writer. An
     * id may be kept for later records if it is lasting (strobe_string_is_lasting). */
    StrobeStringId (*intern)(StrobeWriter *writer, const char *bytes, size_t length);

    /* Interns a call stack of `n` string ids, innermost first. */
    StrobeStackId (*stack)(StrobeWriter *writer, const StrobeStringId *frames, size_t n);

    /* Reserves one record of `kind` and returns its fields, to be filled in place; NULL when it
     * cannot be stored (counted). begin and end are times in the track's clock; end is ignored for
     * shapes that have none. Nothing else may be called on the writer until commit, which the same
     * function calls. */
    void *(*reserve)(StrobeWriter *writer, StrobeKindId kind, StrobeTrackId track,
                     StrobeStringId name, uint64_t begin, uint64_t end);

    /* Makes the reserved record durable: from here on a kill does not lose it. */
    void (*commit)(StrobeWriter *writer);

    /* Reserves room for `n_records` finished records of `bytes` in all for bulk emission, at most
     * STROBE_BULK_MAX, a multiple of 8; a refusal counts as so many records lost. The caller lays
     * the records out itself (StrobeRecordHeader) and commits once. */
    void *(*reserve_bulk)(StrobeWriter *writer, uint32_t bytes, uint32_t n_records);

    /* Opens a span on the thread's own track: the start time is taken and kept in the pool, so
     * that a kill leaves the span as unfinished. `argument` is shown with an unfinished span. */
    StrobeSpan (*span_begin)(StrobeWriter *writer, StrobeKindId kind, StrobeStringId name,
                             uint64_t argument);

    /* Ends it: as reserve, with the times filled in; NULL when there is nothing to store. A NULL
     * result needs no commit. Spans of a thread end innermost first; ending an outer one closes
     * the inner ones without a record. */
    void *(*span_end)(StrobeWriter *writer, StrobeSpan span);

    /* span_begin and span_end in one call each, with no writer and no token to keep: for a source
     * that tells of begins and ends by a key of its own, such as an address or a correlation id.
     *
     * `key`, not 0, tells the span from the others of this kind that the thread has open. `name` is
     * a C string; it is found fastest when it lies where it lay before. Returns how deep the span
     * lies on the thread's stack, from 1; 0: it is not recorded. */
    uint32_t (*span_open)(StrobeInstance *self, uint64_t key, StrobeKindId kind, const char *name,
                          uint64_t argument);

    /* Ends the innermost span of that key and kind that the calling thread has open, with the
     * `size` bytes at `fields` as its fields: the kind's struct, or as much of it as there is (the
     * rest is zero). The record is committed. */
    StrobeClosed (*span_close)(StrobeInstance *self, uint64_t key, StrobeKindId kind,
                               const void *fields, size_t size);

    /* The same for ranges that overlap: an async span ends before or after those around it, which
     * stay open, and on any thread, the one that began it gone or not. The record lies on the track
     * of the thread that began it. `key`, not 0, tells it from the other async spans of this kind
     * that any thread has open; of several with one key the calling thread's innermost ends first.
     * A key with STROBE_KEY_OF_THREAD set is of a span that only the thread that began it ends; it
     * is not looked for elsewhere. A span may end with another kind of the same name, of more
     * fields, say. async_open returns 1, or 0 where the span is not recorded; async_close returns 0
     * where no such span is open in this window. The first span of a thread that another thread
     * ends costs both some microseconds, and ends on it a little more from then on. */
    int32_t (*async_open)(StrobeInstance *self, uint64_t key, StrobeKindId kind, const char *name,
                          uint64_t argument);
    int32_t (*async_close)(StrobeInstance *self, uint64_t key, StrobeKindId kind,
                           const void *fields, size_t size);

    /* The host clock now: processor counter or, where that cannot be trusted, ns. */
    StrobeTicks (*now)(void);

    /* `n` consecutive ids, unique in the session, for STROBE_FIELD_LINK. Any thread. */
    uint64_t (*link_ids)(StrobeInstance *self, uint32_t n);

    /* Counts records that this collector knows to be lost. */
    void (*lost)(StrobeInstance *self, uint32_t cause, uint64_t count);

    /* Values of the declared options; the name must be one of them. Texts live as long as the
     * instance. A list is returned joined by '+'. */
    int32_t (*option_bool)(StrobeInstance *self, const char *name);
    int64_t (*option_int)(StrobeInstance *self, const char *name); /* int, duration (ns), bytes */
    double (*option_double)(StrobeInstance *self, const char *name);
    const char *(*option_text)(StrobeInstance *self, const char *name);

    /* Finds a file that belongs to the plugin (a backend .so) in the plugin search path and checks
     * its owner and permissions as for a plugin. `pattern` is a shell pattern on the file name.
     * Writes the path to `path` (at least 4096 bytes). STROBE_UNAVAILABLE when there is none. */
    StrobeStatus (*companion)(StrobeInstance *self, const char *pattern, char *path, size_t size);

    /* A line in the session's log. Any thread. */
    void (*log)(StrobeInstance *self, int32_t level, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

    /* Adds a cause to the instance's error and returns `status`, so that an error return is one
     * line: return host->fail(self, STROBE_ERROR_IO, __FILE__, __LINE__, "Cannot open ..."). */
    StrobeStatus (*fail)(StrobeInstance *self, StrobeStatus status, const char *file, int32_t line,
                         const char *format, ...) __attribute__((format(printf, 5, 6)));

    /* An id of the source's own (a driver's correlation id, a handle) as one for STROBE_FIELD_LINK:
     * the same for the same id, and never that of another collector or of link_ids. 0, which links
     * nothing, for 0 and from 2^47 on. Any thread; recording calls may use it. */
    uint64_t (*link_of)(StrobeInstance *self, uint64_t id);

    /* Path of the result directory of the window that records, for sources that write files of
     * their own; NULL while none does. Valid until the window ends; for start, stop and flush. A
     * folder that was made in it is analysed with the result if a record "metadata" of the name
     * STROBE_METADATA_EXTERNAL has the folder's name as its value. */
    const char *(*result_directory)(StrobeInstance *self);

    /* What link_of makes of the id for another collector of the session, by its name: for what two
     * collectors tell of, one the cause and one the effect. 0 where the session has none of that
     * name. Any thread. */
    uint64_t (*link_for)(StrobeInstance *self, const char *collector, uint64_t id);

    /* Number of the program's process, as the calling process sees it. A collector that runs
     * outside (STROBE_COMPONENT_INSIDE) is in another process: it reads /proc/NUMBER, not
     * /proc/self, and the environment is not the program's. Any thread. */
    int64_t (*pid)(StrobeInstance *self);
    /* end of base ABI 1.0 */
} StrobeHost;

#define STROBE_KEY_OF_THREAD (UINT64_C(1) << 63)
#define STROBE_BULK_MAX 61440u

typedef struct StrobeCollectorOps {
    uint32_t struct_size;
    uint32_t reserved;

    /* May it work here? `question` is STROBE_PROBE_*. No side effects, no host. Optional: absent
     * means yes. */
    void (*probe)(uint32_t question, StrobeProbe *answer);

    /* Required. Options are checked; `*state` is passed to the other calls. STROBE_AGAIN: the
     * library it needs is not in the process yet, or what was passed to fail() is missing; such a
     * call loads nothing itself. The host calls it again before each window, and in a step or a
     * dlsym of the program when a library was loaded (STROBE_COMPONENT_ASK_CALLER: not in dlsym).
     * After any other failure no further call is made, close neither. */
    StrobeStatus (*open)(const StrobeHost *host, StrobeInstance *self, void **state);

    /* Optional. On WARMUP, or just before start where there is none. Records emitted now are
     * dropped by the host. May block. */
    StrobeStatus (*warm)(void *state);

    /* Required. A window begins; records are accepted from just before this call. Short. A program
     * can pause a collector within a window: stop, flush, and later start again. */
    StrobeStatus (*start)(void *state);

    /* Required. The window ends; records are accepted until it returns. Never waits for a device.
     */
    StrobeStatus (*stop)(void *state);

    /* Optional. Records late records of the window that just stopped; only the calling thread may
     * record them. The program waits meanwhile: return soon, never wait for a device. STROBE_AGAIN:
     * call again until `deadline` (host clock) has passed. No other call is made until then. */
    StrobeStatus (*flush)(void *state, StrobeTicks deadline);

    /* Optional. After the last window, or when a warm-up leads to no window. */
    void (*cool)(void *state);

    /* Required. Exactly once if open succeeded; nothing is called afterwards. */
    void (*close)(void *state);

    /* Optional. Called every sample_interval() ns by the core's sampler thread while a window
     * records; 0: not in this window. Must not block. It makes the collector run outside, see
     * STROBE_COMPONENT_INSIDE: it then declares all its kinds in StrobeComponent.kinds, is opened
     * when the first window begins, and is warmed just before start. */
    void (*sample)(void *state);
    int64_t (*sample_interval)(void *state);
    /* end of base ABI 1.0 */
} StrobeCollectorOps;

#if defined(__cplusplus)
}
#endif

#endif
