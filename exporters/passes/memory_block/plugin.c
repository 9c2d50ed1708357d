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

static const StrobeComponent *const components[] = {&component};

STROBE_PLUGIN_EXPORT const StrobePlugin strobe_plugin_1 = {
    .struct_size = sizeof(StrobePlugin),
    .abi_minor = 0,
    .record_version = STROBE_RECORD_VERSION,
    .n_components = 1,
    .name = "memory_block",
    .version = "0.1.0",
    .summary = "Allocations of memory matched to their releases and operators.",
    .license = "Apache-2.0",
    .vendor = "Strobe",
    .url = "",
    .components = components,
};
