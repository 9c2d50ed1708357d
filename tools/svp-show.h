/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the tables of a JOB in the terminal. */
#ifndef STROBE_TOOLS_SVP_SHOW_H
#define STROBE_TOOLS_SVP_SHOW_H

#include "svp-job.h"

typedef struct StrobeSvpShow {
    /* number of the capture to show; 0: the first complete one that is not the first of its model,
     * or else the first one */
    gint iter;
    gboolean has_advice, is_json;
} StrobeSvpShow;

/* The outputs in the JOB, defined in cmd-svp.c. Every `show` makes the first two of them. */
extern const StrobeSvpOutput strobe_svp_timeline;
extern const StrobeSvpOutput strobe_svp_database;
extern const StrobeSvpOutput strobe_svp_summary;

/* Prints the tables; returns the exit code. */
int strobe_svp_show(StrobeSvpJob *job, const StrobeSvpShow *show);

#endif
