/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the tables that Strobe's exporter writes for those standard kinds for which the profiler
 * has no table. */
#ifndef STROBE_ASCEND_DB_STANDARD_TABLE_H
#define STROBE_ASCEND_DB_STANDARD_TABLE_H

#include "ascend-db-emit.h"

void standard_tables_import(Import *import);

#endif
