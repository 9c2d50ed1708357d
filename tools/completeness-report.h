/* SPDX-License-Identifier: Apache-2.0 */
/* Reports, as lines of text, what a result lacks: failed collectors, losses, damage, steps. */
#ifndef STROBE_TOOLS_COMPLETENESS_REPORT_H
#define STROBE_TOOLS_COMPLETENESS_REPORT_H

#include "pipeline.h"

typedef struct StrobeCompletenessReport {
    GPtrArray *diagnostics; /* texts "component: message", as recorded; at most 100 */
    guint64 n_diagnostics;
    guint64 n_dropped; /* number of parts of an imported source that could not be read at all */
    guint64 n_steps;
    guint64 n_own; /* number of records about the recording itself: its cost, losses and host */
} StrobeCompletenessReport;

StrobeCompletenessReport *strobe_completeness_report_new(void);
void strobe_completeness_report_free(StrobeCompletenessReport *completeness_report);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StrobeCompletenessReport, strobe_completeness_report_free)

/* Makes `completeness_report` receive the records of the next run of `pipeline`. There can be only
 * one such report at a time. */
gboolean strobe_completeness_report_watch(StrobeCompletenessReport *completeness_report,
                                          StrobePipeline *pipeline, GError **error);

/* Returns a text for each missing part, after the run; empty if nothing is missing. Free with
 * g_ptr_array_unref. */
GPtrArray *strobe_completeness_report_lines(const StrobeCompletenessReport *completeness_report,
                                            const StrobePipeline *pipeline);

/* Returns the derived kinds that have records that touch a gap (StrobeDerivedCount), after the run.
 * Free with g_array_unref. */
GArray *strobe_completeness_report_incomplete(const StrobePipeline *pipeline);

/* Returns a description of the cause; NULL: `cause` is larger than that of the last one. */
const char *strobe_loss_text(guint cause);
/* Returns the words after a number of losses: "records lost" or, for a cause that counts shortened
 * texts, "texts cut or left out". */
const char *strobe_loss_what(guint cause);

#endif
