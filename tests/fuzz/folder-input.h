/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a folder from an input. The input has, for each file, its number (one byte), its length
 * (four bytes, little-endian) and its bytes. */
#ifndef STROBE_TESTS_FUZZ_FOLDER_INPUT_H
#define STROBE_TESTS_FUZZ_FOLDER_INPUT_H

#include <glib.h>

/* Makes the folder and imports it. A file with the number i gets the name names[i], which may
 * contain folders. Checks that the target's importer keeps its contract for these files. */
void folder_input_import(const guint8 *bytes, gsize n, const char *const *names, guint n_names);

#endif
