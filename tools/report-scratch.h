/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps JSON for the report page in a file without a name. The exporter opens it through the path
 * of its descriptor. */
#ifndef STROBE_TOOLS_REPORT_SCRATCH_H
#define STROBE_TOOLS_REPORT_SCRATCH_H

#include <glib.h>
#include <strobe/helpers/json-writer.h>

/* Writes JSON with at most this many rows; the same again if it is called again. */
typedef void (*ReportScratchWrite)(gpointer data, guint most, StrobeJsonWriter *json);

/* Lets `write` write 500 rows, or fewer if they would have more bytes than the page takes. Returns
 * the descriptor, which the caller closes; -1 with an error that names `what`. */
int report_scratch_write(ReportScratchWrite write, gpointer data, const char *what, GError **error);

#endif
