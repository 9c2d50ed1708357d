/* SPDX-License-Identifier: Apache-2.0 */
/* Tables that Strobe's own exporter wrote for standard kinds that the original has no table for. */
#ifndef STROBE_ASCEND_DB_STANDARD_TABLE_H
#define STROBE_ASCEND_DB_STANDARD_TABLE_H

#include "ascend-db-emit.h"

void standard_tables_import(Import *import);

#endif
