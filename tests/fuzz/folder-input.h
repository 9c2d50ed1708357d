/* SPDX-License-Identifier: Apache-2.0 */
/* An input that is a folder: for each file its number (one byte), its length (four, little-endian)
 * and its bytes. */
#ifndef STROBE_TESTS_FUZZ_FOLDER_INPUT_H
#define STROBE_TESTS_FUZZ_FOLDER_INPUT_H

#include <glib.h>

/* Imports the folder, with the files named so by their numbers: the importer of the program keeps
 * its contract, whatever is in them. A name may have folders in it. */
void folder_input_import(const guint8 *bytes, gsize n, const char *const *names, guint n_names);

#endif
