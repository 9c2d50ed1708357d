/* SPDX-License-Identifier: Apache-2.0 */
/* Convert the framework's files to records: one function for each file or pair of files. */
#ifndef STROBE_ASCEND_RAW_FRAMEWORK_FILES_H
#define STROBE_ASCEND_RAW_FRAMEWORK_FILES_H

#include "ascend-raw-emit.h"

/* Each function reads its file, if there is one. A function that fails sets is_full. */
void operators_import(Raw *raw);
void queue_marks_import(Raw *raw);
void memory_usage_import(Raw *raw);
void python_calls_import(Raw *raw);
void parameters_import(Raw *raw);
void collections_import(Raw *raw);

#endif
