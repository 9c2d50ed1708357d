/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/strobe-plugin.h>

#include "function.h"

static const StrobeKind *const kinds[] = {&strobe_kind_function};
static const char *const wants[] = {"cpu_sample", "python_call", "heap_path", "cpu_sample.wait",
                                    NULL};

static const StrobeComponent component = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_PASS,
    .name = "function",
    .summary = "Time and memory by function.",
    .kinds = kinds,
    .n_kinds = 1,
    .wants = wants,
    .ops = &function_ops,
};

STROBE_PLUGIN(component, .name = "function", .version = STROBE_PLUGIN_VERSION,
              .summary = "Time and memory by function.", .license = "Apache-2.0",
              .vendor = "Strobe");
