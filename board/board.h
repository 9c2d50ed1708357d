/* SPDX-License-Identifier: Apache-2.0 */
/* libstrobe-board.so: records how a program uses the runtime of a camera board. LD_PRELOAD loads it
 * before libsvp_acl.so. It never changes the result of a call, and needs only libc and pthread. */
#ifndef STROBE_BOARD_H
#define STROBE_BOARD_H

#include <svp-config.h>
#include <svp-names.h>
#include <svp.h>

/* ---- config-file.c: the acl.json that the program or the command names ---- */

/* Returns the first SVP_CONFIG_BYTES_MAX + 1 bytes of the file's text (free it). NULL: a message
 * was printed. */
char *board_config_read(const char *path, size_t *length);
/* Makes a copy of the text in which profiling is switched off, so that the runtime does not record
 * too, and writes the path of the copy to `copy`. Returns 0 if the copy cannot be made. */
int board_config_copy(const char *text, size_t length, char copy[SVP_PATH_MAX]);

/* ---- job.c: JOB directories, one for each device ---- */

typedef struct BoardJob {
    char path[SVP_PATH_MAX]; /* path of the JOB; "": there is no JOB */
    char name[SVP_JOB_NAME_MAX];
    uint32_t device;
} BoardJob;

/* The states of a JOB in info.json. */
enum { BOARD_COLLECTING, BOARD_COMPLETE, BOARD_INCOMPLETE_EXIT, BOARD_DISK_FULL };

typedef struct BoardModel {
    uint32_t id, batch, n_executed, n_captured;
    char name[SVP_MODEL_MAX + 1];
} BoardModel;

typedef struct BoardTotals {
    uint64_t n_captures, n_lost_captures;
    uint64_t n_records, n_lost_records;
    int is_simulated, is_by_api, disk_error;
    /* 1: the session began after a model was loaded, so the calls before are missing */
    int is_late;
    const BoardModel *models; /* all models of the program */
    uint32_t n_models;
} BoardTotals;

/* Prints a warning if the umask lets other users read new files. */
void board_job_check_umask(void);
/* Makes a JOB in `output`, with a folder `data`. Reserves room on the disk for the last info.json,
 * in case the disk is full at the end. Returns 0 or an errno value. */
int board_job_make(BoardJob *job, const char *output, uint32_t device);
/* Writes a new info.json, which replaces the old one when it is complete. Returns 0 or an errno
 * value. */
int board_job_write_info(const BoardJob *job, const SvpConfig *config, int state,
                         const BoardTotals *totals);
void board_job_remove(BoardJob *job);
/* Releases the reserved room on the disk, and prints the size of the JOB and the free space. */
void board_job_finish(const BoardJob *job);
/* Writes a file with mode 0640, which appears only when it is complete. Returns 0 or an errno
 * value. */
int board_job_write_file(const char *path, const char *bytes, size_t length);
/* Writes the file .done of a finished data file. Returns 0 or an errno value. */
int board_job_mark_done(const BoardJob *job, const char *name, uint64_t begin_ns, uint64_t records);
/* Writes the path of the folder for JOBs to `out`: `wanted`, the configured folder, if it is a
 * writable folder, otherwise the program's own folder. Returns 0 if neither can be used, so that
 * profiling is off. */
int board_output_find(const char *wanted, char out[SVP_PATH_MAX]);

/* ---- lock.c: one recording for each device and output folder ---- */

/* board_lock_output takes the lock of an output folder, board_lock_device that of a device. They
 * print a message and return 0 if another process has the lock. */
int board_lock_output(const char *output);
int board_lock_device(uint32_t device);
void board_unlock(void);

/* ---- calls.c: the calls of all threads, through the recorder ---- */

/* Begins to record calls into a hidden file of `output`. The file is kept if a model is executed.
 * If its slices are small, calls `slice_done` for each complete one, in the thread of the writer;
 * if that returns an error, again when the next slice is complete. */
int board_calls_begin(const char *output, const SvpConfig *config, int is_simulated,
                      int (*slice_done)(const char *name));
/* Moves the file of calls to `path` in a JOB; the writer keeps the file open. Returns 0 or an errno
 * value. */
int board_calls_place(const char *path);
/* Removes the hidden files of calls, with their pools, that killed programs left before they
 * executed a model. The caller must hold the lock of `output`. */
void board_calls_clean(const char *output);
/* One call of the runtime. The texts must stay valid as long as the call is used. */
typedef struct BoardCall {
    const char *name, *mode, *model; /* `model` may be NULL */
    uint64_t begin, end, capture;
    uint32_t model_id, device;
    int status;
    int32_t thread; /* id of the thread; set only in calls that kept-calls.c keeps */
} BoardCall;

/* Records a call that ends now. */
void board_calls_record(BoardCall *call);
typedef struct BoardCallTotals {
    uint64_t n_lost;
    /* number of the files, which have ".slice_<n>" in their names; 0: there is one file, without
     * ".slice_<n>" */
    unsigned n_slices;
    unsigned n_done; /* number of slices for which slice_done returned 0: the first ones */
} BoardCallTotals;

/* Completes the file of calls, or removes it if board_calls_place was not called. Returns 0 or an
 * errno value. */
int board_calls_end(BoardCallTotals *totals);
uint64_t board_calls_count(const char *path); /* returns the number of calls in a file */
void board_calls_forget(void);                /* must be called in a forked child */
uint64_t board_calls_now(void);

/* ---- kept-calls.c: keeps only the last calls ---- */

/* Begins to keep at most `limit` calls; 0: the number of calls is not limited. Returns 0 or an
 * errno value. */
int board_kept_begin(uint32_t limit);
/* Keeps a call. Returns 0, and keeps nothing, if the number of calls is not limited. */
int board_kept_add(const BoardCall *call);
/* Calls `write` for each kept call in order, or drops the calls if `write` is NULL. Returns the
 * number of calls that were overwritten. */
uint64_t board_kept_end(void (*write)(const BoardCall *call));
void board_kept_forget(void); /* must be called in a forked child */

/* ---- layers.c: writes the layers of one inference to a file ---- */

#define BOARD_NAME_BYTES 257u /* size of a name in the runtime's interface */
#define BOARD_TYPE_BYTES 65u

/* The runtime's description of a layer. */
typedef struct BoardLayer {
    char name[BOARD_NAME_BYTES], type[BOARD_TYPE_BYTES];
    const char *unit; /* name of the layer's unit of the chip; "": unknown */
    uint64_t begin, end;
    uint64_t counters[SVP_COUNTERS]; /* values of the counters; UINT64_MAX: absent */
    int has_counters;
} BoardLayer;

typedef struct BoardCapture {
    uint64_t id, current_pic, begin_ns, end_ns;
    uint32_t device, number;
    const BoardModel *model;
    int fd; /* file to which the runtime writes its descriptions; -1: none */
} BoardCapture;

/* Makes the runtime describe the model's layers until board_layers_end(). Returns 0 if this is not
 * possible. */
int board_layers_begin(BoardCapture *capture);
/* Reads the runtime's descriptions of the layers, and writes the data file of the inference.
 * Returns 0 or an errno value. */
int board_layers_end(BoardCapture *capture, const BoardJob *job, const SvpConfig *config,
                     BoardTotals *totals);

/* ---- opened-models.c: files that name models ---- */

/* Returns the path of the last file "*.om" that this thread has opened; "": it has opened none. */
const char *board_model_opened(void);
void board_model_forget_opened(void);

/* ---- model-files.c: net.info and layer.info ---- */

/* Writes net.info and layer.info of a model, only once for each JOB. Returns 0, or an errno value
 * after a message. */
int board_model_write(const BoardJob *job, const BoardModel *model, const BoardLayer *layers,
                      uint32_t n);

/* ---- board-session.c: whether profiling is on, and which inferences are captured ---- */

/* Whether calls are recorded now. If not, a call costs only one load more. */
extern _Atomic int board_is_on;

/* Reads the file, and begins a session if the file switches profiling on. Returns the path of the
 * file that the runtime must read: `path`, or the path of a copy, which is then in `copy`. */
const char *board_session_init(const char *path, char copy[SVP_PATH_MAX]);
void board_session_finalize(void);
int board_session_is_by_file(void);
/* Called for the runtime's profiling functions. They return an error code of the runtime. */
int board_session_start(const char *output, uint64_t mask);
int board_session_stop(void);
void board_session_name_model(uint32_t id);
void board_session_note_path(const void *value, size_t size);
/* Notes the execution of a model whose layers are not captured. */
void board_session_note_execute(void);
/* Begins an inference of the model `id`. Returns 0 if this inference is not captured. */
int board_session_begin_execute(uint32_t id, BoardCapture *capture);
void board_session_end_execute(BoardCapture *capture);
/* Returns the name of the model with this id, for a call that belongs to the model. NULL if `id` is
 * 0 (no model). */
const char *board_session_model(uint32_t id);
uint32_t board_session_device(void);
void board_session_set_device(uint32_t device);

/* board_say prints a line about an event, board_complain a line about an error. */
void board_say(const char *form, ...) __attribute__((format(printf, 1, 2)));
void board_complain(const char *form, ...) __attribute__((format(printf, 1, 2)));
/* Returns the runtime's function `name`; NULL: there is none. */
void *board_runtime(const char *name);

#endif
