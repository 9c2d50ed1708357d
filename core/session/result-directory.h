/* SPDX-License-Identifier: Apache-2.0 */
/* The result directory of a window as the session makes it. */
#ifndef STROBE_CORE_RESULT_DIRECTORY_H
#define STROBE_CORE_RESULT_DIRECTORY_H

#include <glib.h>
#include "clock.h"
#include "config.h"

typedef struct StrobeResultDirectory {
    char *path;     /* absolute */
    char stamp[18]; /* YYYYmmddHHMMSSmmm */
    StrobeClockPair start;
    gint64 start_raw_ns; /* CLOCK_MONOTONIC_RAW */
    char *trace_id;
    pid_t pid;       /* of the program */
    char *info_name; /* of profiler_info, once it is written */
} StrobeResultDirectory;

/* Makes {worker}_{pid}_{time}_ascend_pt below the configured parent, with FRAMEWORK and logs. */
StrobeResultDirectory *strobe_result_directory_new(const StrobeConfig *config, pid_t pid,
                                                   GError **error);
void strobe_result_directory_free(StrobeResultDirectory *directory);
/* Frees it and removes what was made: nothing was recorded. */
void strobe_result_directory_discard(StrobeResultDirectory *directory);

/* Creates FRAMEWORK/`name`, the capture; returns its descriptor and path (free it), -1 on failure.
 */
int strobe_result_directory_capture(StrobeResultDirectory *directory, const char *name, char **path,
                                    GError **error);
/* Gives a capture that was created as STROBE_SEGMENT_NEW its name: it is whole. `sync`: the name is
 * to outlast a power cut. */
gboolean strobe_result_directory_place(StrobeResultDirectory *directory, gboolean sync,
                                       GError **error);

/* Facts for the capture, as JSON text (free it). */
char *strobe_result_directory_metadata(const StrobeResultDirectory *directory,
                                       const StrobeConfig *config);

/* Writes profiler_info[_rank].json and profiler_metadata.json as far as they are known. */
void strobe_result_directory_begin(StrobeResultDirectory *directory, const StrobeConfig *config);
/* Replaces both: the window goes on, and metadata has changed. */
void strobe_result_directory_update(StrobeResultDirectory *directory, const StrobeConfig *config);
/* Replaces both: the window has ended. */
gboolean strobe_result_directory_finish(StrobeResultDirectory *directory,
                                        const StrobeConfig *config, GError **error);
/* Writes the log. */
gboolean strobe_result_directory_log(StrobeResultDirectory *directory, const char *text,
                                     GError **error);

/* Copies profiler_info[_rank].json and profiler_metadata.json from the result directory at `from`,
 * with what differs; they get the present as their end. */
gboolean strobe_result_directory_copy(StrobeResultDirectory *directory, const char *from,
                                      GError **error);

/* Appends the path to the report file of the configuration, if it names one. */
void strobe_result_directory_report(const StrobeResultDirectory *directory,
                                    const StrobeConfig *config);

/* Rank by RANK, OMPI_COMM_WORLD_RANK or SLURM_PROCID, else what strobe_set_rank() was told; -1 if
 * there is none. */
gint strobe_rank(void);

#endif
