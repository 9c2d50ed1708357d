/* SPDX-License-Identifier: Apache-2.0 */
/* Reads metadata of the run from profiler_info, profiler_metadata and the name of the result
 * directory. */
#ifndef STROBE_ASCEND_RAW_REPORTED_METADATA_H
#define STROBE_ASCEND_RAW_REPORTED_METADATA_H

#include <strobe/importer.h>

/* Passes the metadata to the host and emits the metadata records. `top`: the result directory;
 * `path`: its name; `pid`: the profiled process; `begin_ns`: the begin of the session in the clock
 * of the records; 0: use the begin in the files. Returns the rank; -1: unknown. */
int32_t reported_metadata_import(const StrobeImporterHost *host, StrobeInstance *self, int top,
                                 const char *path, int64_t pid, int64_t begin_ns);

#endif
