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

STROBE_PLUGIN(component, .name = "memory_total", .version = STROBE_PLUGIN_VERSION,
              .summary = "Memory of a device by allocator and in sum.", .license = "Apache-2.0",
              .vendor = "Strobe");
