/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a table as CSV or as JSON (an array of objects, whose keys are the titles). The file
 * appears complete or not at all. */
#ifndef STROBE_SVP_SUMMARY_FILE_H
#define STROBE_SVP_SUMMARY_FILE_H

#include <glib.h>

typedef struct SummaryFile SummaryFile;

/* `titles` ends with NULL and must stay valid. Returns NULL with errno set on failure. */
SummaryFile *summary_file_new(int directory, const char *name, const char *const *titles,
                              gboolean is_json);
/* Adds the next cell to the row; after the last column, begins the next row. In JSON,
 * summary_file_number writes a number, except for "N/A" and "-", which are texts. */
void summary_file_text(SummaryFile *file, const char *bytes, gsize length);
void summary_file_number(SummaryFile *file, const char *text);
void summary_file_uint(SummaryFile *file, guint64 value);
/* Completes the file and frees `file`. Returns 0 or an errno value. */
int summary_file_finish(SummaryFile *file);

#endif
