/* SPDX-License-Identifier: Apache-2.0 */
/* Results of other profilers in the commands. */
#ifndef STROBE_TOOLS_EXTERNAL_H
#define STROBE_TOOLS_EXTERNAL_H

#include "analysis.h"
#include "import.h"

/* Prints on stderr the contents, unknown parts and damaged parts. */
void strobe_external_print(const StrobeImportSource *source, const StrobeImport *import);

/* Analyses each result of another profiler at `path` like Strobe's own: its files go to its
 * ASCEND_PROFILER_OUTPUT, or below wish->parent. The temporary capture is removed. A source that
 * was read from ASCEND_PROFILER_OUTPUT is not overwritten. `json`, unless NULL, receives an object
 * for each. FALSE with the error set if no importer reads the path; otherwise the first failure's
 * exit code is in *code. */
gboolean strobe_external_analyse(const char *path, StrobeRegistry *registry,
                                 const StrobeAnalysisWish *wish, StrobeJsonWriter *json, int *code,
                                 GError **error);

#endif
