/* SPDX-License-Identifier: Apache-2.0 */
/* The log of an analysis: profiler_<time>_<pid>_Analyse.log in `logs` of the result directory. Its
 * lines have the same form as those of the session's log. */
#ifndef STROBE_TOOLS_ANALYSIS_LOG_H
#define STROBE_TOOLS_ANALYSIS_LOG_H

#include <glib.h>

typedef struct StrobeAnalysisLog StrobeAnalysisLog;

/* Begins a log, which keeps the messages of this process. `name` is the name by which the user
 * knows the result. There can be only one log at a time. */
StrobeAnalysisLog *strobe_analysis_log_begin(const char *name);
/* Writes the log below the result directory, whose descriptor is `folder`. `missing` has a line for
 * each part that the output lacks; `missing` and `error` may be NULL. Prints a message if this
 * fails. */
void strobe_analysis_log_write(StrobeAnalysisLog *log, int folder, guint64 n_records,
                               const GPtrArray *missing, const GError *error);
void strobe_analysis_log_end(StrobeAnalysisLog *log);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StrobeAnalysisLog, strobe_analysis_log_end)

#endif
