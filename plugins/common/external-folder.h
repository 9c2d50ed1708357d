/* SPDX-License-Identifier: Apache-2.0 */
/* Access to untrusted folders: follows no symbolic link and opens only regular files. */
#ifndef STROBE_COMMON_EXTERNAL_FOLDER_H
#define STROBE_COMMON_EXTERNAL_FOLDER_H

#include <glib.h>

#define EXTERNAL_NAMES_MAX 10000u

/* Names of the entries, sorted; hidden ones left out. Free with g_ptr_array_unref. */
GPtrArray *external_folder_names(int folder);

/* -1: errno. */
int external_folder_open(int at, const char *name);
int external_folder_open_file(int at, const char *name);

/* All of a file of at most `max` bytes, with a NUL behind it; NULL: errno. */
char *external_folder_read(int at, const char *name, gsize max, gsize *length);

/* The first regular file whose name begins so, and is not a mark that it is done; NULL: none. */
const char *external_folder_find(const GPtrArray *names, int folder, const char *prefix);

#endif
