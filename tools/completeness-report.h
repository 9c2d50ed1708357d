/* SPDX-License-Identifier: Apache-2.0 */
/* Reports the missing parts of a result: failed collectors, losses, damage, steps; as lines of
 * text. */
#ifndef STROBE_TOOLS_COMPLETENESS_REPORT_H
#define STROBE_TOOLS_COMPLETENESS_REPORT_H

#include "pipeline.h"

typedef struct StrobeCompletenessReport {
    GPtrArray *diagnostics; /* texts "component: message", as recorded; at most 100 */
    guint64 n_diagnostics;
    guint64 n_dropped; /* parts of an imported source that could not be read at all */
    guint64 n_steps;
    guint64 n_own; /* records about the recording itself: its cost, losses and host */
} StrobeCompletenessReport;

StrobeCompletenessReport *strobe_completeness_report_new(void);
void strobe_completeness_report_free(StrobeCompletenessReport *completeness_report);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StrobeCompletenessReport, strobe_completeness_report_free)

/* Makes the report receive the records of this pipeline's next run. Only one report at a time. */
gboolean strobe_completeness_report_watch(StrobeCompletenessReport *completeness_report,
                                          StrobePipeline *pipeline, GError **error);

/* All missing parts after the run, one text for each; empty if there are none. Free with
 * g_ptr_array_unref. */
GPtrArray *strobe_completeness_report_lines(const StrobeCompletenessReport *completeness_report,
                                            const StrobePipeline *pipeline);

/* Derived kinds with records that touch a gap, as StrobeDerivedCount, after the run. Free with
 * g_array_unref. */
GArray *strobe_completeness_report_incomplete(const StrobePipeline *pipeline);

/* Description of a cause; NULL after the last. */
const char *strobe_loss_text(guint cause);
/* The counted objects: "records lost", or texts. */
const char *strobe_loss_what(guint cause);

#endif
