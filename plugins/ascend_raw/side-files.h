/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the side files of the raw files: profiler_info, profiler_metadata, and the start of the
 * collection. */
#ifndef STROBE_ASCEND_RAW_SIDE_FILES_H
#define STROBE_ASCEND_RAW_SIDE_FILES_H

#include "ascend-raw-emit.h"

/* Sets the clock from the side files, and passes the files to the host. */
void side_files_import(Raw *raw);

#endif
