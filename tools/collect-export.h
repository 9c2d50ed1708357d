/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STROBE_TOOLS_COLLECT_EXPORT_H
#define STROBE_TOOLS_COLLECT_EXPORT_H

#include <glib.h>

/* Makes sqlite, timeline and summary in JOB directories here, as the other commands do. FALSE: the
 * error of the first that failed; the others are made. */
gboolean strobe_collect_export(const GPtrArray *jobs, char **plugin_path, GError **error);

#endif
