/* SPDX-License-Identifier: Apache-2.0 */
/* Reads files that become part of the page: the library of charts, its licence, and a
 * comparison. */
#ifndef STROBE_REPORT_LIBRARY_H
#define STROBE_REPORT_LIBRARY_H

#include <glib.h>

#define REPORT_FILE_MAX 768000u /* bytes */

/* Returns the file's contents; on failure returns NULL and sets *problem to the reason. The caller
 * frees the contents or the reason. */
char *report_file_read(const char *path, gsize *length, char **problem);

/* Returns whether the text can be a script in a page: whether it contains nothing that ends the
 * script element. */
gboolean report_script_is_safe(const char *text);

#endif
