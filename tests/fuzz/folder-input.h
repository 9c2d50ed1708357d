/* SPDX-License-Identifier: Apache-2.0 */
/* An input that is a folder: for each file its number (one byte), its length (four, little-endian)
 * and its bytes. */
#ifndef STROBE_TESTS_FUZZ_FOLDER_INPUT_H
#define STROBE_TESTS_FUZZ_FOLDER_INPUT_H

#include <glib.h>

/* Makes the folder, with the files named so by their numbers; a name may have folders in it. Freed,
 * and removed, by folder_input_clear. */
char *folder_input_make(const guint8 *bytes, gsize n, const char *const *names, guint n_names);
void folder_input_clear(char *folder, const char *const *names, guint n_names);

#endif
