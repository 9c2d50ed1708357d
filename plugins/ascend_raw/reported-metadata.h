/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about the run from profiler_info, profiler_metadata and the name of the result
 * directory. */
#ifndef STROBE_ASCEND_RAW_REPORTED_METADATA_H
#define STROBE_ASCEND_RAW_REPORTED_METADATA_H

#include <strobe/importer.h>

/* Tells the facts, and emits the metadata. `top` is the result directory, `path` its name, `pid`
 * the process that was profiled, `begin_ns` when the session began by the clock of the records (0:
 * as the files tell, whose end is in another clock). Its rank; -1: not told. */
int32_t reported_metadata_import(const StrobeImporterHost *host, StrobeInstance *self, int top,
                                 const char *path, int64_t pid, int64_t begin_ns);

#endif
