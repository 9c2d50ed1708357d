/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recorder: pool, thread buffers and writer of one session; one capture per window.
 *
 * There is one recorder per process. All functions are for the control thread unless documented
 * otherwise; errors are errno values, 0 is success. C11, pthread and libc only.
 */
#ifndef STROBE_CORE_RECORDER_H
#define STROBE_CORE_RECORDER_H

#include <stddef.h>
#include <stdint.h>
#include <strobe/collector.h>
#include "pool.h"

typedef struct StrobeRecorderSettings {
    size_t pool_bytes;
    struct pool_settings writer;    /* settings of the writer; `rotation` not with ring */
    int may_start_process;          /* for the writer; otherwise it is a thread */
    int64_t program;                /* process id of the recorded program; 0: this process */
    const char *fallback_dir;       /* folder for the pool if tmpfs is too small */
    int64_t patience_ns;            /* policy block: maximum wait of a thread; 0: no limit */
    const StrobeKind *const *kinds; /* kinds of collectors that run in a writer process; n_kinds */
    size_t n_kinds;
    const char *setup;         /* text for a writer process (writer-setup.h); NULL: none */
    StrobeMakeDump *make_dump; /* for a writer thread; NULL: it makes no dumps */
    void *user;                /* of make_dump */
} StrobeRecorderSettings;

/* Makes the pool and registers the standard kinds. EBUSY if one is already open. */
int strobe_recorder_open(const StrobeRecorderSettings *settings);
/* Ends the window if one is open, then the writer, which removes the pool. */
void strobe_recorder_close(void);
/* Is the writer a process? `*error`: why none could be started; 0: none was requested. */
int strobe_recorder_has_process(int *error);

/* Process id of the program, as this process sees it; 0: it cannot see it, or there is no
 * recorder. */
int64_t strobe_recorder_pid(void);

/* Path of the pool file, whether it is in memory, and its id. "" without a recorder. */
const char *strobe_recorder_pool(int *is_tmpfs, char id[33]);

/* Begins a window whose capture is `fd` (owned from now on), known to recovery as `path`.
 * `metadata` is JSON text. The file must lie at `path` with STROBE_CAPTURE_UNNAMED appended; it is
 * renamed once its metadata is written. Records are accepted when this returns. */
int strobe_recorder_begin_window(int fd, const char *path, const char *metadata);
/* Marks the window's end: records that begin later belong to no window. */
void strobe_recorder_mark_end(void);
/* Shuts the gate: from now on only a thread that calls strobe_recorder_record_late() records.
 * That thread must end the window. */
void strobe_recorder_shut_window(void);
void strobe_recorder_record_late(void);
/* Shuts the gate if it is open; the writer writes the rest and seals the capture. Waits for that
 * for at most `patience_ns` (-1: without limit). Returns the first write error, or EINPROGRESS:
 * strobe_recorder_wait() then returns the error. */
int strobe_recorder_end_window(int64_t patience_ns);
/* Waits until that window, one of the last two, is sealed; returns its first write error. */
int strobe_recorder_wait(uint32_t window);
/* Whether the writer has written it, or has ended. */
int strobe_recorder_is_written(uint32_t window);

/* Policy ring: the writer makes a result directory with the ring's records, while recording
 * continues. The first waits for it and returns its path; any thread except the writer; EINVAL
 * if no ring records. The second (`why`: STROBE_DUMP_BY_*; any thread, and in a signal handler)
 * and the third (the stepping thread) do not wait. The last two return the outcome, see
 * writer-link.h. */
int strobe_recorder_dump(const char *reason, char path[PATH_MAX]);
void strobe_recorder_request_dump(uint32_t why);
void strobe_recorder_request_step_dump(const char *reason);
int strobe_recorder_take_dump(uint32_t *n_taken, struct pool_dump *dump);
uint32_t strobe_recorder_refused_dumps(void);
/* Requests the next segment of the capture. Any thread. */
void strobe_recorder_roll(void);

/* Number of the recording window, 0 if none. Any thread. */
uint32_t strobe_recorder_window(void);

/* Registers a kind; 0 and a text in `error` if it is rejected. */
StrobeKindId strobe_recorder_kind(const StrobeKind *kind, char *error, size_t size);
/* Any thread. 0 if the table is full or no recorder is open. */
StrobeTrackId strobe_recorder_track(const StrobeTrack *track);
/* Unique ids. Any thread. */
uint64_t strobe_recorder_link_ids(uint32_t n);
/* Counts losses that a collector or the core reports. Any thread. */
void strobe_recorder_lost(uint32_t cause, uint64_t count);
/* Number of threads since the last call that found no room in the track table: their records
 * have no thread. */
uint32_t strobe_recorder_take_trackless(void);
/* Number of records that arrived after the last window was sealed; the next capture counts them. */
uint64_t strobe_recorder_late(void);
/* Losses of the session's current or last window by cause; none without a recorder. */
void strobe_recorder_losses(uint64_t lost[STROBE_LOSS_CAUSES]);

/* ---- collectors that run in the writer process ---- */

/* Makes them record in the recording window until its end is marked; waits at most a second
 * until they have started. */
void strobe_recorder_begin_sampling(void);
/* The next message of the writer process, NULL: none. The text need not end with NUL. */
const char *strobe_recorder_take_message(uint32_t *length, uint32_t *level, uint32_t *collector);
/* Makes the collector with this number (at most 64) pause or continue within a window; waits for
 * that at most a second. */
void strobe_recorder_pause(uint32_t collector, int is_paused);

/* In the writer process: records into the program's pool. `kinds` are those in the program's
 * settings, `pid` is its process id as this process sees it, 0: it cannot see it. EINVAL: the pool
 * has another format. */
int strobe_recorder_join(struct pool_header *pool, int64_t pid, const StrobeKind *const *kinds,
                         size_t n_kinds);
/* From now on records of this process are accepted in the window, which the program has begun. */
void strobe_recorder_join_window(uint32_t window);
/* Ends that and hands over the records. Returns the number of threads that are stuck in a
 * critical section. */
unsigned strobe_recorder_leave_window(uint64_t end);
/* In the writer process: sends a message to the program, see strobe_recorder_take_message(). Any
 * thread. */
void strobe_recorder_say(const char *text, uint32_t level, uint32_t collector);

/* ---- a program that records for itself into the pool of another process ---- */

/* In the program: its marks go into the recording window of the other process, whose pool is mapped
 * here. That process must use the thread buffers of a writer (strobe_thread_buffer_be_writer).
 * EINVAL: the pool has another format. */
int strobe_recorder_enter(struct pool_header *pool, uint32_t window);
/* In the other process, before it ends the window: the program has ended in any way. Its records
 * are in the window, and its open spans are unfinished. */
void strobe_recorder_end_entered(void);

/* ---- for a program that ends within the window ---- */

/* Diagnostics of the recording window, and the log since the last window: recovery writes both
 * if the program ends within it. NULL `text` removes the diagnostic. */
void strobe_recorder_note(uint32_t number, const char *component, const char *text);
void strobe_recorder_clear_notes(StrobeTrackId track);
void strobe_recorder_log(const char *bytes, size_t n);
void strobe_recorder_forget_log(void);

/* In a forked child: forgets the parent's recorder without touching its files. */
void strobe_recorder_forget(void);

#endif
