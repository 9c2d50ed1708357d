/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/strobe-plugin.h>

#include "memory-total.h"

static const StrobeKind *const kinds[] = {&strobe_kind_memory_total};
static const char *const wants[] = {"memory_event", "memory_usage", NULL};

static const StrobeComponent component = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_PASS,
    .name = "memory_total",
    .summary = "Memory of a device by allocator and in sum.",
    .kinds = kinds,
    .n_kinds = sizeof kinds / sizeof kinds[0],
    .wants = wants,
    .ops = &memory_total_ops,
};

static const StrobeComponent *const components[] = {&component};

STROBE_PLUGIN_EXPORT const StrobePlugin strobe_plugin_1 = {
    .struct_size = sizeof(StrobePlugin),
    .abi_minor = 0,
    .record_version = STROBE_RECORD_VERSION,
    .n_components = 1,
    .name = "memory_total",
    .version = "0.1.0",
    .summary = "Memory of a device by allocator and in sum.",
    .license = "Apache-2.0",
    .vendor = "Strobe",
    .url = "",
    .components = components,
};
