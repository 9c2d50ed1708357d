/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STROBE_TOOLS_COLLECT_EXPORT_H
#define STROBE_TOOLS_COLLECT_EXPORT_H

#include <glib.h>

/* Makes sqlite, timeline and summary in JOB directories on this machine, like the other commands of
 * `strobe svp`. If some fail, still makes the others, and returns FALSE with the first error. */
gboolean strobe_collect_export(const GPtrArray *jobs, char **plugin_path, GError **error);

#endif
