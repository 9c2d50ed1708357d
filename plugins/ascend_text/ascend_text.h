/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STROBE_ASCEND_TEXT_H
#define STROBE_ASCEND_TEXT_H

#include <strobe/importer.h>

extern const StrobeImporterOps ascend_text_ops;

/* Reads a folder as the importer does. `pid`: the profiled process; 0: use the value in the files.
 * `rank`: the rank of the process; -1: use the value in the files. */
StrobeStatus ascend_text_read(const StrobeImporterHost *host, StrobeInstance *self,
                              const StrobeSource *source, int64_t pid, int32_t rank);

#endif
