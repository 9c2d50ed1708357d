/* SPDX-License-Identifier: Apache-2.0 */
/* Exports a filtered result as one folder, or as several with a limited file size. */
#ifndef STROBE_TOOLS_EXPORT_PARTS_H
#define STROBE_TOOLS_EXPORT_PARTS_H

#include "analysis.h"

/* Exports the records of `wish->filter`. If `max_bytes` is not 0, divides them by time until no
 * file is larger than that; each part is a separate folder, whose name contains ".part001" and
 * so on. `json` may be NULL. FALSE: some export failed; *code is the exit code of the first
 * failure. */
gboolean strobe_export_parts(StrobeRegistry *registry, const StrobeResult *result,
                             const StrobeAnalysisWish *wish, guint64 max_bytes,
                             StrobeJsonWriter *json, int *code);

#endif
