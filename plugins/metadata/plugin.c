/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/kinds.h>
#include <strobe/plugin.h>

#include "metadata.h"

static const StrobeOption options[] = {
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_LIST,
        .name = "env",
        .default_value = "",
        .summary = "Names of environment variables to record besides the standard ones.",
    },
};

static const StrobeKind *const kinds[] = {&strobe_kind_metadata};

static const StrobeComponent collector = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_COLLECTOR,
    .flags = STROBE_COMPONENT_ANY_PROCESS,
    .name = "metadata",
    .summary = "Facts about the run: chosen environment variables, command line, versions, host.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .kinds = kinds,
    .n_kinds = sizeof kinds / sizeof *kinds,
    .ops = &strobe_metadata_ops,
};

STROBE_PLUGIN(collector, .name = "metadata", .version = STROBE_PLUGIN_VERSION,
              .summary = "Facts about the run", .license = "Apache-2.0", .vendor = "Strobe");
