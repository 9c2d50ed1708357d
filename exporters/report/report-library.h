/* SPDX-License-Identifier: Apache-2.0 */
/* Files that become part of the page: the library of charts, its licence, a comparison. */
#ifndef STROBE_REPORT_LIBRARY_H
#define STROBE_REPORT_LIBRARY_H

#include <glib.h>

#define REPORT_FILE_MAX 768000u /* bytes */

/* Returns the file's contents, or NULL with the reason in *problem. The caller frees both. */
char *report_file_read(const char *path, gsize *length, char **problem);

/* Whether the text can be a script in a page: nothing in it ends the element. */
gboolean report_script_is_safe(const char *text);

#endif
