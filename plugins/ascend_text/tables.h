/* SPDX-License-Identifier: Apache-2.0 */
/* CSV files of which every row is a record, by the rows of formats/ascend-csv-columns.c; and those
 * that no row describes. */
#ifndef STROBE_ASCEND_TEXT_TABLES_H
#define STROBE_ASCEND_TEXT_TABLES_H

#include "ascend-text-kernels.h"

/* Reads a file through. Rows without a time of their own have that of the kernel that they name by
 * stream and task, or stand at the begin of the session; `kernels` may be NULL. `name` is for
 * messages. */
void table_import(Import *import, int descriptor, const char *name, const AscendFile *file,
                  Kernels *kernels);

/* A file of its own kind: ascend_text.<name>, every cell a text. */
void table_import_generic(Import *import, int descriptor, const char *name);

#endif
