/* SPDX-License-Identifier: Apache-2.0 */
/* memory_record.csv and operator_memory.csv: states of allocators, and which allocation and
 * releases they are of. */
#ifndef STROBE_ASCEND_TEXT_MEMORY_H
#define STROBE_ASCEND_TEXT_MEMORY_H

#include "ascend-text-import.h"

/* Each may be -1 with the name NULL: no such file. Of operator_memory.csv 24 bytes an event are
 * kept. */
void text_memory_import(Import *import, int records, const char *records_name, int blocks,
                        const char *blocks_name);

#endif
