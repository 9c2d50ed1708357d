/* SPDX-License-Identifier: Apache-2.0 */
/* A collect in progress, and the JOBs of it. */
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
    char *kit;          /* the recorder that goes along; NULL: the vendor's records */
    char *config;       /* text of acl.json */
    char *config_path;  /* its temporary file here */
    char *board_main;   /* path on the board */
    char *board_folder; /* its folder */
    char *board_output; /* where JOBs appear */
    gboolean is_on;     /* the profiler */
    GPtrArray *files;   /* of the project */
    GPtrArray *found;   /* JOBs that were there */
    GPtrArray *before;  /* those of them that are no earlier collect's */
    GPtrArray *jobs;    /* paths here */
    GPtrArray *earlier; /* those of them that an earlier collect left on the board; lent */
    StrobeBoardRunEnd end;
    gboolean has_run;
    gint64 looked_us;    /* for finished files */
    gboolean is_mounted; /* --output is mounted on the board */
    GPtrArray *local;    /* JOBs that were in it */
    StrobeCollectClock clocks[2];
    StrobeUploadTotals sent;
    StrobeFetchTotals fetched;
    int code; /* of the first failure */
} StrobeCollect;

/* The JOBs that are on the board, by path. NULL: the error. */
GPtrArray *strobe_collect_find_jobs(StrobeCollect *collect, GError **error);
/* Fetches what the recorder has finished while the program runs; `collect` is a StrobeCollect. */
gboolean strobe_collect_fetch_meanwhile(void *collect, GError **error);
/* Fetches the new JOBs. FALSE: the error. */
gboolean strobe_collect_fetch_jobs(StrobeCollect *collect, GError **error);

#endif
