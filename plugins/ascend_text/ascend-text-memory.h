/* SPDX-License-Identifier: Apache-2.0 */
/* Reads memory_record.csv, which has states of allocators, and operator_memory.csv, which has the
 * allocations and releases that led to them. */
#ifndef STROBE_ASCEND_TEXT_MEMORY_H
#define STROBE_ASCEND_TEXT_MEMORY_H

#include "ascend-text-import.h"

/* For a file that does not exist, pass -1 and the name NULL. Keeps 24 bytes in memory for each
 * event of operator_memory.csv. */
void text_memory_import(Import *import, int records, const char *records_name, int blocks,
                        const char *blocks_name);

#endif
