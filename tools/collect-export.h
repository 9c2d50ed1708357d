/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STROBE_TOOLS_COLLECT_EXPORT_H
#define STROBE_TOOLS_COLLECT_EXPORT_H

#include <glib.h>

/* Makes the folders sqlite, timeline and summary in each JOB directory of `jobs` (paths on this
 * machine), as the other commands of `strobe svp` do. If one output fails, still makes the others,
 * and returns FALSE with the first error. */
gboolean strobe_collect_export(const GPtrArray *jobs, char **plugin_path, GError **error);

#endif
