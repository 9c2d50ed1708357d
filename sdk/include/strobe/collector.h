/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls that a collector implements, and the host functions that it may call.
 *
 * Where. A collector without `sample` runs in the program. A collector with `sample` runs in the
 * writer process, unless it has the flag STROBE_COMPONENT_INSIDE or the writer process could not be
 * started. All calls of an instance come from the same process.
 *
 * Threads. The "control thread" drives the session; calls to one instance never overlap.
 * A thread of the core calls `sample`. Recording calls (writer, reserve, commit,
 * span_begin, span_end, span_open, span_close, async_open, async_close, intern, now) may come
 * from any thread, including a driver's callback thread. They never block or allocate, and make
 * no system call in steady state. Since ABI 1.0.
 */
#ifndef STROBE_COLLECTOR_H
#define STROBE_COLLECTOR_H

#include <strobe/plugin.h>

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct StrobeInstance StrobeInstance; /* the host's side of one opened component */
typedef struct StrobeWriter StrobeWriter;     /* a thread's access to its own thread buffer */

/* A span that has begun and not yet ended. Opaque; all members are 0 if it is not recorded. */
typedef struct StrobeSpan {
    uint64_t token;
} StrobeSpan;

/* The result of span_close. */
typedef struct StrobeClosed {
    uint32_t depth;    /* depth of the closed span, as span_open returned it; 0: no such span was
                        * open */
    uint32_t n_inside; /* number of open spans inside the closed span, which are closed without a
                          record */
} StrobeClosed;

typedef struct StrobeHost {
    uint32_t struct_size;
    uint32_t abi_minor;

    /* Declares a kind and returns its id. Equal declarations get the same id. A declaration that
     * differs from an earlier declaration of the same name fails, and the error names the field.
     * Fields named "plugin.field" may be appended to a standard kind. Control thread. */
    StrobeStatus (*kind)(StrobeInstance *self, const StrobeKind *kind, StrobeKindId *id);

    /* Makes a track, or finds an equal one. `track` and its strings are copied. Any thread. The
     * call may take a lock, so keep the id. Returns 0 if the track table is full: a record with
     * this id belongs to the thread's track. */
    StrobeTrackId (*track)(StrobeInstance *self, const StrobeTrack *track);

    /* Returns the calling thread's writer; NULL while no window records. A later call that returns
     * NULL makes the writer invalid, so do not keep the writer after the current event. Any
     * thread. */
    StrobeWriter *(*writer)(StrobeInstance *self);

    /* Interns bytes, which need not be NUL-terminated or valid UTF-8. Any thread, with its own
     * writer. A lasting id (strobe_string_is_lasting) may be kept for later records. */
    StrobeStringId (*intern)(StrobeWriter *writer, const char *bytes, size_t length);

    /* Interns a call stack of `n` string ids, innermost first. */
    StrobeStackId (*stack)(StrobeWriter *writer, const StrobeStringId *frames, size_t n);

    /* Reserves one record of `kind` and returns its fields, which the caller fills in place.
     * NULL: the record cannot be stored, and is counted as lost. begin and end are times on the
     * track's clock; end is ignored for shapes without an end. The function that calls reserve must
     * also call commit, and must make no other call on the writer in between. */
    void *(*reserve)(StrobeWriter *writer, StrobeKindId kind, StrobeTrackId track,
                     StrobeStringId name, uint64_t begin, uint64_t end);

    /* Publishes the reserved record. After this call the record survives a kill of the program. */
    void (*commit)(StrobeWriter *writer);

    /* Reserves `bytes` (a multiple of 8, at most STROBE_BULK_MAX) for `n_records` records. The
     * caller writes the records with their headers (StrobeRecordHeader) and calls commit once. On
     * failure all n_records count as lost. */
    void *(*reserve_bulk)(StrobeWriter *writer, uint32_t bytes, uint32_t n_records);

    /* Opens a span on the thread's own track. Stores the current time in the pool as the span's
     * begin, so that the capture of a killed program has an unfinished span with this begin and
     * with `argument`. */
    StrobeSpan (*span_begin)(StrobeWriter *writer, StrobeKindId kind, StrobeStringId name,
                             uint64_t argument);

    /* Ends the span, and reserves its record like reserve, with the times filled in. NULL: there is
     * no record to fill, and no commit is needed. Spans of a thread end innermost first; the end of
     * an outer span closes the inner spans without a record. */
    void *(*span_end)(StrobeWriter *writer, StrobeSpan span);

    /* span_open and span_close are like span_begin and span_end, but without a writer, a token or a
     * commit. They suit a source that identifies a span by a key of its own, such as an address or
     * a correlation id.
     *
     * `key`, not 0, distinguishes the span from the thread's other open spans of this kind. `name`
     * is a C string; the lookup is fastest if the same name always has the same address. Returns
     * the depth of the span on the thread's stack, from 1; 0: it is not recorded. */
    uint32_t (*span_open)(StrobeInstance *self, uint64_t key, StrobeKindId kind, const char *name,
                          uint64_t argument);

    /* Ends the calling thread's innermost open span with this key and kind, and commits the
     * record. The `size` bytes at `fields` become its fields: the kind's struct or the first
     * part of it; the rest is zero. */
    StrobeClosed (*span_close)(StrobeInstance *self, uint64_t key, StrobeKindId kind,
                               const void *fields, size_t size);

    /* Like span_open and span_close, for spans that overlap without being nested. An async span
     * ends before or after the spans around it, which stay open. Any thread may end it, even after
     * the thread that began it has ended. The record is on the track of the thread that began it.
     * `key`, not 0, distinguishes it from all other open async spans of this kind, on any thread.
     * If several open spans have the same key, the calling thread's innermost span ends first. Set
     * STROBE_KEY_OF_THREAD in the key of a span that only its own thread ends; other threads then
     * do not search for the span. The kind at the end may differ from the kind at the begin, for
     * example with more fields, if both have the same name. async_open returns 1, or 0 if the span
     * is not recorded. async_close returns 0 if no such span is open in this window. When another
     * thread ends a span of a thread for the first time, this costs both threads some microseconds.
     * From then on each async_close in the thread whose span it was costs slightly more. */
    int32_t (*async_open)(StrobeInstance *self, uint64_t key, StrobeKindId kind, const char *name,
                          uint64_t argument);
    int32_t (*async_close)(StrobeInstance *self, uint64_t key, StrobeKindId kind,
                           const void *fields, size_t size);

    /* Returns the current time of the host clock: the processor's counter, or ns if the counter is
     * not reliable. */
    StrobeTicks (*now)(void);

    /* Returns the first of `n` consecutive ids for STROBE_FIELD_LINK, unique in the session. Any
     * thread. */
    uint64_t (*link_ids)(StrobeInstance *self, uint32_t n);

    /* Counts `count` more records as lost, which this collector could not record. */
    void (*lost)(StrobeInstance *self, uint32_t cause, uint64_t count);

    /* Return the values of the declared options; `name` must be the name of a declared option.
     * Texts live as long as the instance. The items of a list are joined by '+'. */
    int32_t (*option_bool)(StrobeInstance *self, const char *name);
    int64_t (*option_int)(StrobeInstance *self, const char *name); /* int, duration (ns), bytes */
    double (*option_double)(StrobeInstance *self, const char *name);
    const char *(*option_text)(StrobeInstance *self, const char *name);

    /* Finds a file of the plugin (a backend .so) in the plugin search path, and checks its owner
     * and permissions like a plugin's. `pattern` is a shell pattern for the file name. Writes the
     * path to `path` (at least 4096 bytes). STROBE_UNAVAILABLE if there is none. */
    StrobeStatus (*companion)(StrobeInstance *self, const char *pattern, char *path, size_t size);

    /* Writes a line to the session's log. Any thread. */
    void (*log)(StrobeInstance *self, int32_t level, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

    /* Adds a cause to the instance's error and returns `status`, so that an error return needs
     * one line: return host->fail(self, STROBE_ERROR_IO, __FILE__, __LINE__, "Cannot open ..."). */
    StrobeStatus (*fail)(StrobeInstance *self, StrobeStatus status, const char *file, int32_t line,
                         const char *format, ...) __attribute__((format(printf, 5, 6)));

    /* Converts an id of the source (a driver's correlation id, a handle) to an id for
     * STROBE_FIELD_LINK. Equal ids give equal results. The result never equals a result in another
     * collector or an id from link_ids. Returns 0, which links nothing, for 0 and for ids from 2^47
     * on. Any thread, and in recording code. */
    uint64_t (*link_of)(StrobeInstance *self, uint64_t id);

    /* Returns the path of the result directory of the recording window, for sources that write
     * files; NULL while no window records. Call it in start, stop and flush; the text is valid
     * until the flush after the window has ended. The source may make a folder in the result
     * directory. The analysis reads this folder with the result if a "metadata" record named
     * STROBE_METADATA_EXTERNAL has the folder's name as its value. */
    const char *(*result_directory)(StrobeInstance *self);

    /* Returns the result that link_of has in another collector of the session; `collector` is that
     * collector's name. Use it if one collector records the cause and another the effect. Returns 0
     * if the session has no collector of that name. Any thread. */
    uint64_t (*link_for)(StrobeInstance *self, const char *collector, uint64_t id);

    /* Returns the process id of the program, as the calling process sees it. A collector that runs
     * in the writer process (see STROBE_COMPONENT_INSIDE) must read /proc/PID, not /proc/self, and
     * its environment is not the program's. Any thread. */
    int64_t (*pid)(StrobeInstance *self);
    /* end of base ABI 1.0 */
} StrobeHost;

#define STROBE_KEY_OF_THREAD (UINT64_C(1) << 63)
#define STROBE_BULK_MAX 61440u

typedef struct StrobeCollectorOps {
    uint32_t struct_size;
    uint32_t reserved;

    /* Reports whether the collector can work here. `question` is STROBE_PROBE_*. Must have no side
     * effects, and gets no host. Optional: without a probe the answer is yes. */
    void (*probe)(uint32_t question, StrobeProbe *answer);

    /* Required. The options are already checked. `*state` is passed to the other calls. Return
     * STROBE_AGAIN if the needed library is not in the process yet, or, after a call of fail() that
     * names it, if something else is missing. The call must not load the library itself. The host
     * calls open again before each window, and when the program calls step or dlsym after it loaded
     * a library (with STROBE_COMPONENT_ASK_CALLER: only in step). After any other failure the host
     * makes no further call, not even close. */
    StrobeStatus (*open)(const StrobeHost *host, StrobeInstance *self, void **state);

    /* Optional. The host calls it at the begin of a step with the action WARMUP, or just before
     * start if there is no such step, and drops records that are emitted in this call. May
     * block. */
    StrobeStatus (*warm)(void *state);

    /* Required. A window begins; records are accepted from just before this call. Must be short.
     * STROBE_AGAIN: the collector begins to record later in the window. STROBE_UNAVAILABLE: it
     * cannot record, and is not called again except close.
     * A program can pause a collector within a window: stop, flush, and later start again. */
    StrobeStatus (*start)(void *state);

    /* Required. The window ends; records are accepted until this call returns. Must not wait for
     * a device. */
    StrobeStatus (*stop)(void *state);

    /* Optional. Emits late records of the window that has just stopped; only the calling thread
     * may record them. The program waits meanwhile: return soon and never wait for a device.
     * After STROBE_AGAIN the host calls flush again until `deadline` (host clock) has passed, and
     * makes no other call until then. */
    StrobeStatus (*flush)(void *state, StrobeTicks deadline);

    /* Optional. The host calls it after the last window, or if no window follows a warm-up. */
    void (*cool)(void *state);

    /* Required. The host calls it exactly once if open succeeded, as the last call. */
    void (*close)(void *state);

    /* Optional. The core's sampler thread calls sample every sample_interval() ns while a window
     * records, or not at all in this window if sample_interval() returns 0. sample must not block.
     * A collector with sample runs outside the program, see STROBE_COMPONENT_INSIDE. It must
     * declare all its kinds in StrobeComponent.kinds. The host calls its open when the first window
     * begins, and its warm just before start. */
    void (*sample)(void *state);
    int64_t (*sample_interval)(void *state);
    /* end of base ABI 1.0 */
} StrobeCollectorOps;

#if defined(__cplusplus)
}
#endif

#endif
