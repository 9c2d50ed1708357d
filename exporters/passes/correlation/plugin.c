/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/strobe-plugin.h>

#include "correlation.h"

static const StrobeKind *const kinds[] = {&strobe_kind_correlation, &strobe_kind_device_clock};
static const char *const wants[] = {
    "cpu_op", "api_call", "device_task", "comm_op", "task_queue", "marker", "marker_instant", NULL,
};

static const StrobeComponent component = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_PASS,
    .name = "correlation",
    .summary = "Counts linked and unlinked causes and effects, and checks their order.",
    .kinds = kinds,
    .n_kinds = sizeof kinds / sizeof kinds[0],
    .wants = wants,
    .ops = &correlation_ops,
};

STROBE_PLUGIN(component, .name = "correlation", .version = STROBE_PLUGIN_VERSION,
              .summary = "Links of causes and effects, counted and checked.",
              .license = "Apache-2.0", .vendor = "Strobe");
