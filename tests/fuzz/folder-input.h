/* SPDX-License-Identifier: Apache-2.0 */
/* Converts an input to a folder: it has, for each file, its number (one byte), its length (four
 * bytes, little-endian) and its bytes. */
#ifndef STROBE_TESTS_FUZZ_FOLDER_INPUT_H
#define STROBE_TESTS_FUZZ_FOLDER_INPUT_H

#include <glib.h>

/* Imports the folder, whose files get the names of their numbers: the program's importer must
 * keep its contract, whatever the files contain. A name may contain folders. */
void folder_input_import(const guint8 *bytes, gsize n, const char *const *names, guint n_names);

#endif
