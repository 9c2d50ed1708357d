/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps JSON for the report page in a file without a name. The exporter opens the file through the
 * path of the file's descriptor. */
#ifndef STROBE_TOOLS_REPORT_SCRATCH_H
#define STROBE_TOOLS_REPORT_SCRATCH_H

#include <glib.h>
#include <strobe/helpers/json-writer.h>

/* Writes JSON with at most `most` rows. May be called several times, and must not change `data`. */
typedef void (*ReportScratchWrite)(gpointer data, guint most, StrobeJsonWriter *json);

/* Calls `write` to write at most 500 rows into a new file. While the JSON has more bytes than the
 * page takes, starts again with half as many rows. Returns the file's descriptor, which the caller
 * closes; -1 with an error that names `what`. */
int report_scratch_write(ReportScratchWrite write, gpointer data, const char *what, GError **error);

#endif
