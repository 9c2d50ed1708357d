/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/strobe-plugin.h>

#include "function.h"

static const StrobeKind *const kinds[] = {&strobe_kind_function};
static const char *const wants[] = {"cpu_sample", "python_call", "heap_path", NULL};

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

static const StrobeComponent *const components[] = {&component};

STROBE_PLUGIN_EXPORT const StrobePlugin strobe_plugin_1 = {
    .struct_size = sizeof(StrobePlugin),
    .abi_minor = 0,
    .record_version = STROBE_RECORD_VERSION,
    .n_components = 1,
    .name = "function",
    .version = "0.1.0",
    .summary = "Time and memory by function.",
    .license = "Apache-2.0",
    .vendor = "Strobe",
    .url = "",
    .components = components,
};
