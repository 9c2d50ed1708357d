/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/strobe-plugin.h>

#include "heap-path.h"

static const StrobeKind *const kinds[] = {&heap_path_kind};
static const char *const wants[] = {"heap.block", NULL};

static const StrobeComponent component = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_PASS,
    .name = "heap_path",
    .summary = "Memory of C and C++ programs by call path.",
    .kinds = kinds,
    .n_kinds = 1,
    .wants = wants,
    .ops = &heap_path_ops,
};

static const StrobeComponent *const components[] = {&component};

STROBE_PLUGIN_EXPORT const StrobePlugin strobe_plugin_1 = {
    .struct_size = sizeof(StrobePlugin),
    .abi_minor = 0,
    .record_version = STROBE_RECORD_VERSION,
    .n_components = 1,
    .name = "heap_path",
    .version = "0.1.0",
    .summary = "Memory by call path.",
    .license = "Apache-2.0",
    .vendor = "Strobe",
    .url = "",
    .components = components,
};
