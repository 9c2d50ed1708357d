/* SPDX-License-Identifier: Apache-2.0 */
/* What a result lacks: failed collectors, losses, damage, steps; as lines for people. */
#ifndef STROBE_TOOLS_COMPLETENESS_REPORT_H
#define STROBE_TOOLS_COMPLETENESS_REPORT_H

#include "pipeline.h"

typedef struct StrobeCompletenessReport {
    GPtrArray *diagnostics; /* texts "component: what", as the recorder wrote them; at most 100 */
    guint64 n_diagnostics;
    guint64 n_dropped; /* parts of an imported source of which nothing could be read */
    guint64 n_steps;
    guint64 n_own; /* records of the recording itself: what it cost, lost and where it ran */
} StrobeCompletenessReport;

StrobeCompletenessReport *strobe_completeness_report_new(void);
void strobe_completeness_report_free(StrobeCompletenessReport *completeness_report);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StrobeCompletenessReport, strobe_completeness_report_free)

/* Lets it see the records of the next run of this pipeline. One at a time. */
gboolean strobe_completeness_report_watch(StrobeCompletenessReport *completeness_report,
                                          StrobePipeline *pipeline, GError **error);

/* All that is missing, one text a line, after the run; empty if nothing is. Free with
 * g_ptr_array_unref. */
GPtrArray *strobe_completeness_report_lines(const StrobeCompletenessReport *completeness_report,
                                            const StrobePipeline *pipeline);

/* Derived kinds of which some records touch a gap, as StrobeDerivedCount, after the run. Free with
 * g_array_unref. */
GArray *strobe_completeness_report_incomplete(const StrobePipeline *pipeline);

/* What a cause means, in words; NULL beyond the last. */
const char *strobe_loss_text(guint cause);
/* What it counts: "records lost", or texts. */
const char *strobe_loss_what(guint cause);

#endif
