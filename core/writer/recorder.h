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
    struct pool_settings writer; /* settings of the writer; the policy ring excludes `rotation` */
    int may_start_process;       /* 1: the writer may be a process; 0: it is a thread */
    int64_t program;             /* process id of the recorded program; 0: this process */
    const char *fallback_dir;    /* folder for the pool if tmpfs is too small */
    int64_t patience_ns;         /* policy block: maximum wait of a thread; 0: no limit */
    const StrobeKind *const *kinds; /* n_kinds kinds of collectors that run in a writer process */
    size_t n_kinds;
    const char *setup;         /* text for a writer process (writer-setup.h); NULL: none */
    StrobeMakeDump *make_dump; /* makes dumps if the writer is a thread; NULL: there are no dumps */
    /* For a writer thread: it has completed a segment of a rotating capture, which now has this
     * name in the capture's folder. NULL: not needed. */
    void (*segment_done)(void *user, const char *name);
    void *user; /* argument of make_dump and segment_done */
} StrobeRecorderSettings;

/* Makes the pool and registers the standard kinds. Returns 0, EBUSY if a recorder is already open,
 * or another errno value. */
int strobe_recorder_open(const StrobeRecorderSettings *settings);
/* Ends the window if a window is open. Then ends the writer, which removes the pool. */
void strobe_recorder_close(void);
/* Is the writer a process? If not, `*error` is the reason why no process could be started; 0: no
 * process was requested. */
int strobe_recorder_has_process(int *error);

/* Returns the process id of the program, as this process sees it; 0: this process cannot see the
 * program, or there is no recorder. */
int64_t strobe_recorder_pid(void);

/* Returns the path of the pool file, "" without a recorder. *is_tmpfs receives whether the file is
 * in memory, and `id` the pool's id. */
const char *strobe_recorder_pool(int *is_tmpfs, char id[33]);

/* Begins a window whose capture is `fd` (owned from now on), known to recovery as `path`.
 * `metadata` is JSON text. The file's name must be `path` with STROBE_CAPTURE_UNNAMED appended; it
 * is renamed to `path` when its metadata is written. Records are accepted when this returns. */
int strobe_recorder_begin_window(int fd, const char *path, const char *metadata);
/* Marks the window's end: records that begin later belong to no window. */
void strobe_recorder_mark_end(void);
/* Shuts the gate: from now on only a thread that calls strobe_recorder_record_late() records.
 * That thread must end the window. */
void strobe_recorder_shut_window(void);
void strobe_recorder_record_late(void);
/* Shuts the gate if it is open; the writer then writes the rest and seals the capture. Waits for
 * the writer for at most `patience_ns` (-1: without limit). Returns the first write error, or
 * EINPROGRESS if the writer has not finished: strobe_recorder_wait() then returns the error. */
int strobe_recorder_end_window(int64_t patience_ns);
/* Waits until the window, one of the last two, is sealed; returns its first write error. */
int strobe_recorder_wait(uint32_t window);
/* Has the writer written the window, or has the writer ended, so that strobe_recorder_wait does not
 * wait? */
int strobe_recorder_is_written(uint32_t window);

/* With the policy ring, these functions make the writer put the ring's records into a result
 * directory, while recording continues. strobe_recorder_dump waits for the directory and writes its
 * path to `path`; any thread except the writer may call it; it returns EINVAL if no ring records.
 * strobe_recorder_request_dump and strobe_recorder_request_step_dump do not wait: the first is for
 * any thread, also in a signal handler (`why`: STROBE_DUMP_BY_*), the second for the thread that
 * steps. The last two functions return the outcome, see writer-link.h. */
int strobe_recorder_dump(const char *reason, char path[PATH_MAX]);
void strobe_recorder_request_dump(uint32_t why);
void strobe_recorder_request_step_dump(const char *reason);
int strobe_recorder_take_dump(uint32_t *n_taken, struct pool_dump *dump);
uint32_t strobe_recorder_refused_dumps(void);
/* Requests the next segment of the capture. Any thread. */
void strobe_recorder_roll(void);

/* Returns the number of the recording window, 0 if none. Any thread. */
uint32_t strobe_recorder_window(void);

/* Registers a kind and returns its id; 0 and a text in `error` if the kind is rejected. */
StrobeKindId strobe_recorder_kind(const StrobeKind *kind, char *error, size_t size);
/* Finds or adds a track. Any thread. 0 if the table is full or no recorder is open. */
StrobeTrackId strobe_recorder_track(const StrobeTrack *track);
/* Returns the first of `n` consecutive unique ids. Any thread. */
uint64_t strobe_recorder_link_ids(uint32_t n);
/* Counts losses that a collector or the core reports. Any thread. */
void strobe_recorder_lost(uint32_t cause, uint64_t count);
/* Returns the number of threads since the last call that found no room in the track table. The
 * records of these threads have no track of their own. */
uint32_t strobe_recorder_take_trackless(void);
/* Returns the number of records that arrived after the last window was sealed. If another window
 * follows, its capture counts them. */
uint64_t strobe_recorder_late(void);
/* Sets `lost` to the losses of the session's current or last window, by cause; to 0 if there is no
 * recorder. */
void strobe_recorder_losses(uint64_t lost[STROBE_LOSS_CAUSES]);

/* ---- collectors that run in the writer process ---- */

/* Makes the collectors in the writer process record in the recording window until its end is
 * marked; waits at most a second until they have started. */
void strobe_recorder_begin_sampling(void);
/* Returns the next message of the writer process, NULL: none. The text may lack a NUL at its
 * end. */
const char *strobe_recorder_take_message(uint32_t *length, uint32_t *level, uint32_t *collector);
/* Makes the collector with this number (at most 64) pause or continue within a window; waits at
 * most a second until it has done so. */
void strobe_recorder_pause(uint32_t collector, int is_paused);

/* In the writer process: records into the program's pool. `kinds` are the kinds in the program's
 * settings; `pid` is the program's process id as this process sees it, 0 if it cannot see the
 * program. EINVAL: the pool has another format. */
int strobe_recorder_join(struct pool_header *pool, int64_t pid, const StrobeKind *const *kinds,
                         size_t n_kinds);
/* Accepts records of this process in the window, which the program must have begun. */
void strobe_recorder_join_window(uint32_t window);
/* Ends recording of this process in the window and hands over its records. Returns the number of
 * threads that are stuck in a critical section. */
unsigned strobe_recorder_leave_window(uint64_t end);
/* In the writer process: sends a message to the program, see strobe_recorder_take_message(). Any
 * thread. */
void strobe_recorder_say(const char *text, uint32_t level, uint32_t collector);

/* ---- a program that records for itself into the pool of another process ---- */

/* In the program: puts the program's marks into the recording window of the other process, whose
 * pool is mapped here. The other process must have called strobe_recorder_share(). EINVAL: the pool
 * has another format.
 */
int strobe_recorder_enter(struct pool_header *pool, uint32_t window);
/* In the process that has the pool, after strobe_recorder_open(): another process may enter. When
 * the window ends, that process may have ended in any way, or may still record; its threads are
 * treated like stuck threads: their committed records are in the window, their open spans are
 * unfinished, and no block is taken from them. */
void strobe_recorder_share(void);

/* ---- for a program that ends within the window ---- */

/* Store a diagnostic of the recording window, and the log since the last window, in the pool:
 * recovery writes them if the program ends within the window. NULL `text` removes the
 * diagnostic. */
void strobe_recorder_note(uint32_t number, const char *component, const char *text);
void strobe_recorder_clear_notes(StrobeTrackId track);
void strobe_recorder_log(const char *bytes, size_t n);
void strobe_recorder_forget_log(void);

/* Call it in a forked child: drops the parent's recorder without changing its files. */
void strobe_recorder_forget(void);

#endif
