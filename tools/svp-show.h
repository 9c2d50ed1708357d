/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the tables of a JOB in the terminal. */
#ifndef STROBE_TOOLS_SVP_SHOW_H
#define STROBE_TOOLS_SVP_SHOW_H

#include "svp-job.h"

typedef struct StrobeSvpShow {
    /* 0: the first complete capture that is not the first one of a model, or else the first one */
    gint iter;
    gboolean has_advice, is_json;
} StrobeSvpShow;

/* Outputs in the JOB; defined in cmd-svp.c. Every `show` makes the first two outputs. */
extern const StrobeSvpOutput strobe_svp_timeline;
extern const StrobeSvpOutput strobe_svp_database;
extern const StrobeSvpOutput strobe_svp_summary;

/* Prints the tables; returns the exit code. */
int strobe_svp_show(StrobeSvpJob *job, const StrobeSvpShow *show);

#endif
