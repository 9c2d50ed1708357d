/* SPDX-License-Identifier: Apache-2.0 */
/* Reads each table that formats/ does not know as its own kind "ascend_db.<table>". */
#ifndef STROBE_ASCEND_DB_GENERIC_TABLE_H
#define STROBE_ASCEND_DB_GENERIC_TABLE_H

#include "row-reader.h"

/* Reads every table of the file that no other part of the importer has read. The kind's summary is
 * the table's name, and a field's summary is its column's name, so that an exporter can write the
 * same table. */
void generic_tables_import(Import *import, DbFile *file);

#endif
