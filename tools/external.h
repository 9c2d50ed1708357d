/* SPDX-License-Identifier: Apache-2.0 */
/* Results of other profilers as the commands treat them. */
#ifndef STROBE_TOOLS_EXTERNAL_H
#define STROBE_TOOLS_EXTERNAL_H

#include "analysis.h"
#include "import.h"

/* Says on stderr what was found, what is unknown and what is damaged. */
void strobe_external_print(const StrobeImportSource *source, const StrobeImport *import);

/* Analyses each result of another profiler at `path` as if it were one of ours: its files go to its
 * own ASCEND_PROFILER_OUTPUT, or below wish->parent. The capture that is made on the way goes
 * again. A source that was read from ASCEND_PROFILER_OUTPUT is not overwritten. `json`, unless
 * NULL, gets an object for each. FALSE with the error set if nobody reads the path; else the first
 * failure's exit code is kept in *code. */
gboolean strobe_external_analyse(const char *path, StrobeRegistry *registry,
                                 const StrobeAnalysisWish *wish, StrobeJsonWriter *json, int *code,
                                 GError **error);

#endif
