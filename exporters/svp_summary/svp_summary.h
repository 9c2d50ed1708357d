/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STROBE_SVP_SUMMARY_H
#define STROBE_SVP_SUMMARY_H

#include <strobe/exporter.h>
#include <svp-rows.h>

#include "summary-file.h"

extern const StrobeConsumerOps svp_summary_ops;

typedef struct Summary {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    SvpRows *rows;
    gboolean is_json, is_per_iter, has_details;
} Summary;

/* The functions return 0 or an errno value. */

/* Writes op_summary and op_statistic of every capture. Returns 0 or an errno value. */
int task_summary_write(Summary *summary);
/* Writes acl_statistic of every device and model. Returns 0 or an errno value. */
int call_summary_write(Summary *summary);

/* Creates a file in the requested format. `name` is the file's name without its ending. Returns
 * NULL and sets errno if this fails. */
SummaryFile *summary_begin(const Summary *summary, const char *name, const char *const *titles);

#endif
