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

STROBE_PLUGIN(component, .name = "heap_path", .version = STROBE_PLUGIN_VERSION,
              .summary = "Memory by call path.", .license = "Apache-2.0", .vendor = "Strobe");
