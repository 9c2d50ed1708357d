/* SPDX-License-Identifier: Apache-2.0 */
/* The log of an analysis, in `logs` of the result directory that it is made in:
 * profiler_<time>_<pid>_Analyse.log with the session's form of lines. */
#ifndef STROBE_TOOLS_ANALYSIS_LOG_H
#define STROBE_TOOLS_ANALYSIS_LOG_H

#include <glib.h>

typedef struct StrobeAnalysisLog StrobeAnalysisLog;

/* Begins to keep the messages of this process. `name` is the result, as the user knows it. One
 * at a time. */
StrobeAnalysisLog *strobe_analysis_log_begin(const char *name);
/* Writes the log below the open result directory. `missing` has lines of what the output lacks;
 * it and `error` may be NULL. A log that cannot be written is reported. */
void strobe_analysis_log_write(StrobeAnalysisLog *log, int folder, guint64 n_records,
                               const GPtrArray *missing, const GError *error);
void strobe_analysis_log_end(StrobeAnalysisLog *log);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StrobeAnalysisLog, strobe_analysis_log_end)

#endif
