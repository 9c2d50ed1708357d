/* SPDX-License-Identifier: Apache-2.0 */
/* Reads tables that Strobe's own exporter writes for standard kinds for which the profiler has no
 * table. */
#ifndef STROBE_ASCEND_DB_STANDARD_TABLE_H
#define STROBE_ASCEND_DB_STANDARD_TABLE_H

#include "ascend-db-emit.h"

void standard_tables_import(Import *import);

#endif
