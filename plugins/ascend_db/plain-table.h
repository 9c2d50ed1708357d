/* SPDX-License-Identifier: Apache-2.0 */
/* Reads tables in which each row becomes one record. */
#ifndef STROBE_ASCEND_DB_PLAIN_TABLE_H
#define STROBE_ASCEND_DB_PLAIN_TABLE_H

#include "row-reader.h"

/* Reads the table if the file has it. */
void plain_table_import(Import *import, DbFile *file, const AscendDbTable *format);

/* Reads all tables of the profiler's file that are neither derived nor read by another part of the
 * importer. */
void plain_tables_import(Import *import);

/* Reads the tables that the tools derived: OP_MEMORY, the overlap layer, memory totals, and
 * analysis.db. */
void derived_tables_import(Import *import);

#endif
