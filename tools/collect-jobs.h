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
    char *kit;          /* Strobe's recorder, which is sent too; NULL: the vendor's recorder */
    char *config;       /* text of acl.json */
    char *config_path;  /* temporary file with that text, on this machine */
    char *board_main;   /* the program's path on the board */
    char *board_folder; /* folder of board_main */
    char *board_output; /* the folder on the board in which JOBs appear */
    gboolean is_on;     /* whether the profiler is on */
    GPtrArray *files;   /* the project's files */
    GPtrArray *found;   /* JOBs that were on the board before the run */
    GPtrArray *before;  /* the JOBs in `found` that are not from an earlier collect */
    GPtrArray *jobs;    /* paths of fetched JOBs on this machine */
    GPtrArray *earlier; /* the JOBs in `jobs` that an earlier collect left on the board; borrowed */
    StrobeBoardRunEnd end;
    gboolean has_run;
    gint64 looked_us;    /* time of the last look for finished files */
    gboolean is_mounted; /* --output is mounted on the board */
    GPtrArray *local;    /* JOBs that were in --output before the run */
    StrobeCollectClock clocks[2];
    StrobeUploadTotals sent;
    StrobeFetchTotals fetched;
    int code; /* exit code of the first failure */
} StrobeCollect;

/* The JOBs on the board, sorted by path. NULL with an error. */
GPtrArray *strobe_collect_find_jobs(StrobeCollect *collect, GError **error);
/* Fetches finished files while the program runs; `collect` is a StrobeCollect. */
gboolean strobe_collect_fetch_meanwhile(void *collect, GError **error);
/* Fetches the new JOBs. FALSE with an error. */
gboolean strobe_collect_fetch_jobs(StrobeCollect *collect, GError **error);

#endif
