/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/plugin.h>

#include "ascend_raw.h"
#include "ascend-raw-emit.h"

static const StrobeOption options[] = {
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_BYTES,
        .name = "tensor_bytes",
        .default_value = "64MB",
        .min = 0,
        .max = 268435456,
        .summary = "Limit for metadata of operators' tensors; operators beyond it have none.",
    },
};

static const StrobeComponent importer = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_IMPORTER,
    .name = "ascend_raw",
    .summary = "Reads the raw files of torch_npu (FRAMEWORK), with what CANN exported beside them.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .kinds = ascend_raw_kinds,
    .n_kinds = ASCEND_RAW_KINDS,
    .ops = &ascend_raw_ops,
};

STROBE_PLUGIN(importer, .name = "ascend_raw", .version = STROBE_PLUGIN_VERSION,
              .summary = "Raw results of an Ascend host", .license = "Apache-2.0",
              .vendor = "Strobe");
