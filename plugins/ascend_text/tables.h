/* SPDX-License-Identifier: Apache-2.0 */
/* Reads CSV files in which every row becomes a record: the files that formats/ascend-csv-columns.c
 * describes, and unknown files. */
#ifndef STROBE_ASCEND_TEXT_TABLES_H
#define STROBE_ASCEND_TEXT_TABLES_H

#include "ascend-text-kernels.h"

/* Reads a file. A row without a time gets the time of the kernel with its stream and task. If there
 * is none, the row gets the begin of the session. `kernels` may be NULL. `name` is for messages. */
void table_import(Import *import, int descriptor, const char *name, const AscendFile *file,
                  Kernels *kernels);

/* Reads an unknown table as the kind ascend_text.<name>, in which every cell is a text. */
void table_import_generic(Import *import, int descriptor, const char *name);

#endif
