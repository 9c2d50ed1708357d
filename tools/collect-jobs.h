/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a collect in progress, and its JOBs. */
#ifndef STROBE_TOOLS_COLLECT_JOBS_H
#define STROBE_TOOLS_COLLECT_JOBS_H

#include "board-properties.h"
#include "board-run.h"
#include "collect-clock.h"
#include "collect-request.h"
#include "job-fetch.h"
#include "upload.h"

typedef struct StrobeCollect {
    const StrobeCollectRequest *request;
    StrobeRemote *remote;
    StrobeBoardProperties properties;
    /* path of Strobe's recorder, which is sent with the project; NULL: the vendor's runtime
     * records */
    char *kit;
    char *config;       /* text of acl.json */
    char *config_path;  /* temporary file with that text, on this machine */
    char *board_main;   /* the program's path on the board */
    char *board_folder; /* folder of board_main */
    char *board_output; /* the folder on the board in which JOBs appear */
    gboolean is_on;     /* whether the profiler is switched on */
    GPtrArray *files;   /* the project's files */
    GPtrArray *found;   /* paths of the JOBs that were on the board before the run */
    GPtrArray *before;  /* the JOBs in `found` that no interrupted collect made */
    GPtrArray *jobs;    /* paths of fetched JOBs on this machine */
    /* the texts in `jobs` of JOBs that an interrupted collect left on the board; borrowed */
    GPtrArray *earlier;
    StrobeBoardRunEnd end;
    gboolean has_run;
    /* time of the last search for finished files; 0: the next call searches at once */
    gint64 looked_us;
    gboolean is_mounted; /* --output is mounted on the board */
    GPtrArray *local;    /* paths of the JOBs that were in --output before the run */
    StrobeCollectClock clocks[2];
    StrobeUploadTotals sent;
    StrobeFetchTotals fetched;
    int code; /* exit code of the first failure */
} StrobeCollect;

/* Returns the paths of the JOBs on the board, sorted. NULL with an error. */
GPtrArray *strobe_collect_find_jobs(StrobeCollect *collect, GError **error);
/* Fetches finished files while the program runs; `collect` is a StrobeCollect. */
gboolean strobe_collect_fetch_meanwhile(void *collect, GError **error);
/* Fetches the JOBs that this run, or an interrupted collect, has made. FALSE with an error. */
gboolean strobe_collect_fetch_jobs(StrobeCollect *collect, GError **error);

#endif
