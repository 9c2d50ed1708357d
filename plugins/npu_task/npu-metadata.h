/* SPDX-License-Identifier: Apache-2.0 */
/* Records metadata of the collector in the result. */
#ifndef STROBE_PLUGINS_NPU_TASK_METADATA_H
#define STROBE_PLUGINS_NPU_TASK_METADATA_H

#include <strobe/collector.h>

/* Records a text with a key. `metadata` is the id of the kind "metadata". Does nothing if no window
 * records. */
void npu_metadata_entry_record(const StrobeHost *host, StrobeInstance *self, StrobeKindId metadata,
                               const char *key, const char *text);

/* Records a text about missing data in this result, if a window records. */
void npu_diagnostic_record(const StrobeHost *host, StrobeInstance *self, StrobeKindId diagnostic,
                           const char *text);

#endif
