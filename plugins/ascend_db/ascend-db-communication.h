/* SPDX-License-Identifier: Apache-2.0 */
/* Reads COMMUNICATION_OP and COMMUNICATION_TASK_INFO. */
#ifndef STROBE_ASCEND_DB_COMMUNICATION_H
#define STROBE_ASCEND_DB_COMMUNICATION_H

#include "row-reader.h"

void communication_import(Import *import);

#endif
