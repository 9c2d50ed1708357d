/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/strobe-plugin.h>

#include "stack-total.h"

static const StrobeKind *const kinds[] = {&strobe_kind_stack_total};
static const char *const wants[] = {"cpu_op", "operator_device", NULL};

static const StrobeComponent component = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_PASS,
    .name = "stack_total",
    .summary = "Self time of operators by call path.",
    .kinds = kinds,
    .n_kinds = 1,
    .wants = wants,
    .ops = &stack_total_ops,
};

STROBE_PLUGIN(component, .name = "stack_total", .version = STROBE_PLUGIN_VERSION,
              .summary = "Time by call path.", .license = "Apache-2.0", .vendor = "Strobe");
