/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/strobe-plugin.h>

#include "memory-block.h"

static const StrobeKind *const kinds[] = {&strobe_kind_memory_block};
static const char *const wants[] = {"memory_event", "cpu_op", "task_queue", NULL};

static const StrobeComponent component = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_PASS,
    .name = "memory_block",
    .summary = "Allocations of memory matched to their releases and operators.",
    .kinds = kinds,
    .n_kinds = sizeof kinds / sizeof kinds[0],
    .wants = wants,
    .ops = &memory_block_ops,
};

STROBE_PLUGIN(component, .name = "memory_block", .version = STROBE_PLUGIN_VERSION,
              .summary = "Allocations of memory matched to their releases and operators.",
              .license = "Apache-2.0", .vendor = "Strobe");
