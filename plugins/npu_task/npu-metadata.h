/* SPDX-License-Identifier: Apache-2.0 */
/* What the collector says of itself in the result. */
#ifndef STROBE_PLUGINS_NPU_TASK_METADATA_H
#define STROBE_PLUGINS_NPU_TASK_METADATA_H

#include <strobe/collector.h>

/* A record of the kind "metadata", whose id is given. Nothing where no window records. */
void npu_metadata_entry_record(const StrobeHost *host, StrobeInstance *self, StrobeKindId metadata,
                               const char *key, const char *text);

/* What is missing in this result, in words, if a window records. */
void npu_diagnostic_record(const StrobeHost *host, StrobeInstance *self, StrobeKindId diagnostic,
                           const char *text);

#endif
