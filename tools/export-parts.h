/* SPDX-License-Identifier: Apache-2.0 */
/* A cut of a result as one folder, or as several with no file over a size. */
#ifndef STROBE_TOOLS_EXPORT_PARTS_H
#define STROBE_TOOLS_EXPORT_PARTS_H

#include "analysis.h"

/* Exports what `wish->cut` holds; with `max_bytes` not 0 divides it by time until no file is
 * larger, each part a folder of its own with ".part001" and on in its name. `json` may be NULL.
 * FALSE and the first failure's exit code in *code. */
gboolean strobe_export_parts(StrobeRegistry *registry, const StrobeResult *result,
                             const StrobeAnalysisWish *wish, guint64 max_bytes,
                             StrobeJsonWriter *json, int *code);

#endif
