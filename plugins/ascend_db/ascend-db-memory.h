/* SPDX-License-Identifier: Apache-2.0 */
/* Reads NPU_OP_MEM, and the rows of MEMORY_RECORD that cannot be computed from it. */
#ifndef STROBE_ASCEND_DB_MEMORY_H
#define STROBE_ASCEND_DB_MEMORY_H

#include "row-reader.h"

void memory_import(Import *import);

#endif
