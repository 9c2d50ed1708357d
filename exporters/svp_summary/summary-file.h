/* SPDX-License-Identifier: Apache-2.0 */
/* A table as CSV or as JSON (an array of objects with the titles as keys). It appears complete
 * or not at all. */
#ifndef STROBE_SVP_SUMMARY_FILE_H
#define STROBE_SVP_SUMMARY_FILE_H

#include <glib.h>

typedef struct SummaryFile SummaryFile;

/* `titles` ends with NULL and must stay valid. Returns NULL with errno set on failure. */
SummaryFile *summary_file_new(int directory, const char *name, const char *const *titles,
                              gboolean is_json);
/* Cells come row after row. A number is a JSON number too, except "N/A" and "-". */
void summary_file_text(SummaryFile *file, const char *bytes, gsize length);
void summary_file_number(SummaryFile *file, const char *text);
void summary_file_uint(SummaryFile *file, guint64 value);
/* 0 or an errno value; frees. */
int summary_file_finish(SummaryFile *file);

#endif
