/* SPDX-License-Identifier: Apache-2.0 */
/* The result directory of a window, made by the session. */
#ifndef STROBE_CORE_RESULT_DIRECTORY_H
#define STROBE_CORE_RESULT_DIRECTORY_H

#include <glib.h>
#include "clock.h"
#include "config.h"
#include "result-completion.h"

typedef struct StrobeResultDirectory {
    char *path;     /* absolute */
    char stamp[18]; /* YYYYmmddHHMMSSmmm */
    StrobeClockPair start;
    gint64 start_raw_ns; /* CLOCK_MONOTONIC_RAW */
    char *trace_id;
    pid_t pid;       /* process id of the program */
    char *info_name; /* name of profiler_info, once it is written */
} StrobeResultDirectory;

/* Makes {worker}_{pid}_{time}_ascend_pt below the configured parent, with FRAMEWORK and logs. */
StrobeResultDirectory *strobe_result_directory_new(const StrobeConfig *config, pid_t pid,
                                                   GError **error);
void strobe_result_directory_free(StrobeResultDirectory *directory);
/* Frees `directory` and removes its files. Call it if nothing was recorded. */
void strobe_result_directory_discard(StrobeResultDirectory *directory);

/* Creates the capture FRAMEWORK/`name`; returns its descriptor and path (free it), -1 on
 * failure. */
int strobe_result_directory_capture(StrobeResultDirectory *directory, const char *name, char **path,
                                    GError **error);
/* Gives a complete capture, which was created as STROBE_SEGMENT_NEW, its final name. `sync`: syncs
 * the folder, so that the name survives a power cut. */
gboolean strobe_result_directory_place(StrobeResultDirectory *directory, gboolean sync,
                                       GError **error);

/* Returns the metadata for the capture, as JSON text (free it). */
char *strobe_result_directory_metadata(const StrobeResultDirectory *directory,
                                       const StrobeConfig *config);

/* Writes profiler_info[_rank].json and profiler_metadata.json with the data known so far. */
void strobe_result_directory_begin(StrobeResultDirectory *directory, const StrobeConfig *config);
/* Replaces profiler_info and profiler_metadata.json because metadata has changed within the
 * window. */
void strobe_result_directory_update(StrobeResultDirectory *directory, const StrobeConfig *config);
/* Replaces profiler_info and profiler_metadata.json at the end of the window. `end` NULL: now. */
gboolean strobe_result_directory_finish(StrobeResultDirectory *directory,
                                        const StrobeConfig *config, const StrobeResultEnd *end,
                                        GError **error);
/* Writes `text` to the log file in the directory's folder of logs. */
gboolean strobe_result_directory_log(StrobeResultDirectory *directory, const char *text,
                                     GError **error);

/* Copies profiler_info[_rank].json and profiler_metadata.json from the result directory at `from`,
 * with changes; the end of the result in them is the current time. */
gboolean strobe_result_directory_copy(StrobeResultDirectory *directory, const char *from,
                                      GError **error);

/* Appends the path to the report file of the configuration, if it names one. */
void strobe_result_directory_report(const StrobeResultDirectory *directory,
                                    const StrobeConfig *config);

/* Returns the rank from RANK, OMPI_COMM_WORLD_RANK or SLURM_PROCID, otherwise the value of
 * strobe_set_rank(); -1 if there is none. */
gint strobe_rank(void);

#endif
