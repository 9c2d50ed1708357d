/* SPDX-License-Identifier: Apache-2.0 */
/* Exports a filtered result as one folder, or as several with a limited file size. */
#ifndef STROBE_TOOLS_EXPORT_PARTS_H
#define STROBE_TOOLS_EXPORT_PARTS_H

#include "analysis.h"

/* Exports the records that `wish->filter` selects. If `max_bytes` is not 0, divides them by time
 * until no file has more bytes; each part then has a folder of its own, whose name contains
 * ".part001", ".part002" and so on. `json` (may be NULL) gets an object for each part. FALSE: some
 * export failed; *code is the exit code of the first failure. */
gboolean strobe_export_parts(StrobeRegistry *registry, const StrobeResult *result,
                             const StrobeAnalysisWish *wish, guint64 max_bytes,
                             StrobeJsonWriter *json, int *code);

#endif
