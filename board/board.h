/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libstrobe-board.so: records what a program does with a camera board's runtime. It stands before
 * libsvp_acl.so (LD_PRELOAD), and never changes what a call returns. libc and pthread only.
 */
#ifndef STROBE_BOARD_H
#define STROBE_BOARD_H

#include <svp-config.h>
#include <svp-names.h>
#include <svp.h>

/* ---- config-file.c: acl.json, as the program or the command names it ---- */

/* Its text (free it), cut behind SVP_CONFIG_BYTES_MAX + 1 bytes; NULL after a message. */
char *board_config_read(const char *path, size_t *length);
/* A copy with the switch off, so that not both record; the runtime opens it by `copy`. 0: it cannot
 * be made. */
int board_config_copy(const char *text, size_t length, char copy[SVP_PATH_MAX]);

/* ---- job.c: JOB directories, one for each device ---- */

typedef struct BoardJob {
    char path[SVP_PATH_MAX]; /* "": none */
    char name[SVP_JOB_NAME_MAX];
    uint32_t device;
} BoardJob;

/* Why a JOB is as it is; what info.json says. */
enum { BOARD_COLLECTING, BOARD_COMPLETE, BOARD_INCOMPLETE_EXIT, BOARD_DISK_FULL };

typedef struct BoardModel {
    uint32_t id, batch, n_executed, n_captured;
    char name[SVP_MODEL_MAX + 1];
} BoardModel;

typedef struct BoardTotals {
    uint64_t n_captures, n_lost_captures;
    uint64_t n_records, n_lost_records;
    int is_simulated, is_by_api, disk_error;
    int is_late;              /* began after a model was loaded: earlier calls are missing */
    const BoardModel *models; /* those of the program */
    uint32_t n_models;
} BoardTotals;

/* Warns of one that lets others read. */
void board_job_check_umask(void);
/* Makes a JOB in `output`, with `data` in it and room for its last info.json, should the disk be
 * full then. 0 or an errno value. */
int board_job_make(BoardJob *job, const char *output, uint32_t device);
/* Writes info.json anew, whole. 0 or an errno value. */
int board_job_write_info(const BoardJob *job, const SvpConfig *config, int state,
                         const BoardTotals *totals);
void board_job_remove(BoardJob *job);
/* Gives the room back, and says how large the JOB is and how much is free. */
void board_job_finish(const BoardJob *job);
/* A file that appears whole, with the mode 0640. 0 or an errno value. */
int board_job_write_file(const char *path, const char *bytes, size_t length);
/* The mark beside a finished data file. 0 or an errno value. */
int board_job_mark_done(const BoardJob *job, const char *name, uint64_t begin_ns, uint64_t records);
/* Where JOBs go: as configured if that is a folder that can be written, else that of the program.
 * 0: neither; profiling is off. */
int board_output_find(const char *wanted, char out[SVP_PATH_MAX]);

/* ---- lock.c: one recording for each device and output folder ---- */

/* 0: another process has it, and a message says so. */
int board_lock_output(const char *output);
int board_lock_device(uint32_t device);
void board_unlock(void);

/* ---- calls.c: the calls of all threads, through the recorder ---- */

/* Into a hidden file of `output`, which is kept if a model is executed. */
int board_calls_begin(const char *output, const SvpConfig *config, int is_simulated);
/* Gives the file its name in a JOB; the writer has it open. 0 or an errno value. */
int board_calls_place(const char *path);
/* Removes such files, and pools, of programs that were killed before they executed a model. The
 * caller holds the lock of `output`. */
void board_calls_clean(const char *output);
/* One call; the texts outlive it. */
typedef struct BoardCall {
    const char *name, *mode, *model; /* `model` may be NULL */
    uint64_t begin, end, capture;
    uint32_t model_id, device;
    int status;
    int32_t thread; /* of a kept call */
} BoardCall;

/* Its end is now. */
void board_calls_record(BoardCall *call);
typedef struct BoardCallTotals {
    uint64_t n_lost;
    unsigned n_slices; /* files with ".slice_<n>"; 0: one file without it */
} BoardCallTotals;

/* Seals the file, and removes one that was not placed. 0 or an errno value. */
int board_calls_end(BoardCallTotals *totals);
uint64_t board_calls_count(const char *path); /* that a file holds */
void board_calls_forget(void);                /* in a forked child */
uint64_t board_calls_now(void);

/* ---- kept-calls.c: the last calls alone ---- */

/* 0: no limit. 0 or an errno value. */
int board_kept_begin(uint32_t limit);
/* 0: calls are not limited, and it is not kept. */
int board_kept_add(const BoardCall *call);
/* Writes what is kept, in order (NULL: forgets it). Returns how many calls were overwritten. */
uint64_t board_kept_end(void (*write)(const BoardCall *call));
void board_kept_forget(void); /* in a forked child */

/* ---- layers.c: the layers of one inference into a file ---- */

#define BOARD_NAME_BYTES 257u /* that the runtime's interface has for a name, and for a type */
#define BOARD_TYPE_BYTES 65u

/* One layer as the runtime describes it. */
typedef struct BoardLayer {
    char name[BOARD_NAME_BYTES], type[BOARD_TYPE_BYTES];
    const char *unit; /* "": unknown */
    uint64_t begin, end;
    uint64_t counters[SVP_COUNTERS]; /* UINT64_MAX: absent */
    int has_counters;
} BoardLayer;

typedef struct BoardCapture {
    uint64_t id, current_pic, begin_ns, end_ns;
    uint32_t device, number;
    const BoardModel *model;
    int fd; /* what the subscription wrote; -1: none */
} BoardCapture;

/* Has the runtime describe the model's layers until the end. 0: it does not. */
int board_layers_begin(BoardCapture *capture);
/* Reads what it wrote and makes the file. 0 or an errno value. */
int board_layers_end(BoardCapture *capture, const BoardJob *job, const SvpConfig *config,
                     BoardTotals *totals);

/* ---- opened-models.c: files that name models ---- */

/* The last file "*.om" that this thread has opened; "": none. */
const char *board_model_opened(void);
void board_model_forget_opened(void);

/* ---- model-files.c: net.info and layer.info ---- */

/* Once in a JOB. 0 or an errno value, after a message. */
int board_model_write(const BoardJob *job, const BoardModel *model, const BoardLayer *layers,
                      uint32_t n);

/* ---- board-session.c: what is on, and which inference is captured ---- */

/* Are calls recorded just now? One load where not. */
extern _Atomic int board_is_on;

/* Reads the file, and begins a session if the file switches profiling on. Returns the path of the
 * file that the runtime is to read: `path`, or that of a copy in `copy`. */
const char *board_session_init(const char *path, char copy[SVP_PATH_MAX]);
void board_session_finalize(void);
int board_session_is_by_file(void);
int board_session_start(const char *output, uint64_t mask); /* by the API; an error code */
int board_session_stop(void);
void board_session_name_model(uint32_t id);
void board_session_note_path(const void *value, size_t size);
/* A model runs, and its layers are not captured. */
void board_session_note_execute(void);
/* 0: this inference is not captured. */
int board_session_begin_execute(uint32_t id, BoardCapture *capture);
void board_session_end_execute(BoardCapture *capture);
/* What a call of the model, or of none (0), belongs to. */
const char *board_session_model(uint32_t id);
uint32_t board_session_device(void);
void board_session_set_device(uint32_t device);

/* Prints an event; prints an error. */
void board_say(const char *form, ...) __attribute__((format(printf, 1, 2)));
void board_complain(const char *form, ...) __attribute__((format(printf, 1, 2)));
/* The function of the runtime; NULL: there is none. */
void *board_runtime(const char *name);

#endif
