/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of a JOB in the terminal. */
#ifndef STROBE_TOOLS_SVP_SHOW_H
#define STROBE_TOOLS_SVP_SHOW_H

#include "svp-job.h"

typedef struct StrobeSvpShow {
    gint iter; /* 0: the first whole capture that is not a model's first, else the first */
    gboolean has_advice, is_json;
} StrobeSvpShow;

/* What every show makes in the JOB too; in cmd-svp.c. */
extern const StrobeSvpOutput strobe_svp_timeline;
extern const StrobeSvpOutput strobe_svp_database;

/* Prints them; the exit code. */
int strobe_svp_show(StrobeSvpJob *job, const StrobeSvpShow *show);

#endif
