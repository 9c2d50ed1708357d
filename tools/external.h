/* SPDX-License-Identifier: Apache-2.0 */
/* Analyses results of other profilers, and prints their contents, for several commands. */
#ifndef STROBE_TOOLS_EXTERNAL_H
#define STROBE_TOOLS_EXTERNAL_H

#include "analysis.h"
#include "import.h"

/* Prints on stderr the contents of the source, and its unknown and damaged parts. */
void strobe_external_print(const StrobeImportSource *source, const StrobeImport *import);

/* Analyses each result of another profiler at `path` like a result of Strobe: the files go to
 * ASCEND_PROFILER_OUTPUT in the result, or below wish->parent. The temporary capture is removed. A
 * source that was read from ASCEND_PROFILER_OUTPUT is not overwritten. `json` (may be NULL) gets an
 * object for each result. FALSE with the error set: no importer reads the path. Otherwise *code is
 * the exit code of the first failure. */
gboolean strobe_external_analyse(const char *path, StrobeRegistry *registry,
                                 const StrobeAnalysisWish *wish, StrobeJsonWriter *json, int *code,
                                 GError **error);

#endif
