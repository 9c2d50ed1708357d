/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/kinds.h>
#include <strobe/plugin.h>

#include "ascend_text.h"
#include "ascend-text-import.h"

static const StrobeComponent importer = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_IMPORTER,
    .name = "ascend_text",
    .summary = "Reads result directories of the Ascend PyTorch Profiler: trace and CSV files.",
    .kinds = ascend_text_kinds,
    .n_kinds = ASCEND_TEXT_KINDS,
    .ops = &ascend_text_ops,
};

STROBE_PLUGIN(importer, .name = "ascend_text", .version = STROBE_PLUGIN_VERSION,
              .summary = "Results of an Ascend host as text", .license = "Apache-2.0",
              .vendor = "Strobe");
