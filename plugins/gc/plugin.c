/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/kinds.h>
#include <strobe/plugin.h>

#include "gc.h"

static const StrobeOption options[] = {
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_DURATION,
        .name = "threshold",
        .default_value = "0ms",
        .min = 0,
        .max = 3.6e12,
        .summary = "Collections shorter than this are not recorded; 0ms records every one.",
    },
};

static const StrobeKind *const kinds[] = {&strobe_kind_gc};

static const StrobeComponent collector = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_COLLECTOR,
    .flags = STROBE_COMPONENT_ASK_CALLER,
    .name = "gc",
    .summary = "Garbage collections of the Python interpreter.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .kinds = kinds,
    .n_kinds = sizeof kinds / sizeof *kinds,
    .ops = &strobe_gc_ops,
};

STROBE_PLUGIN(collector, .name = "gc", .version = STROBE_PLUGIN_VERSION,
              .summary = "Garbage collections of Python", .license = "Apache-2.0",
              .vendor = "Strobe");
