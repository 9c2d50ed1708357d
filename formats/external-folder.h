/* SPDX-License-Identifier: Apache-2.0 */
/* Reads folders that other programs filled: follows no symbolic links, opens only regular files. */
#ifndef STROBE_FORMATS_EXTERNAL_FOLDER_H
#define STROBE_FORMATS_EXTERNAL_FOLDER_H

#include <glib.h>

#define EXTERNAL_NAMES_MAX 200000u

/* Returns the names of the folder's entries, sorted, without hidden entries (free with
 * g_ptr_array_unref). */
GPtrArray *external_folder_names(int folder);

/* external_folder_open opens a folder in the folder `at`, and external_folder_open_file opens a
 * file. Both return a descriptor, or -1 with errno. */
int external_folder_open(int at, const char *name);
int external_folder_open_file(int at, const char *name);

/* Returns the content of a file of at most `max` bytes, followed by a NUL; NULL on failure, with
 * errno. */
char *external_folder_read(int at, const char *name, gsize max, gsize *length);

/* Returns the first regular file whose name begins with `prefix` and does not end in ".done"; NULL
 * if there is none. */
const char *external_folder_find(const GPtrArray *names, int folder, const char *prefix);

#endif
