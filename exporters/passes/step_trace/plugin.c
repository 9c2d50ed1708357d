/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/strobe-plugin.h>

#include "step-trace.h"

static const StrobeKind *const kinds[] = {&strobe_kind_step_trace};
static const char *const wants[] = {"overlap", "device_task", "comm_op",
                                    "cpu_op",  "step_range",  NULL};

static const StrobeComponent component = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_PASS,
    .name = "step_trace",
    .summary = "Where the time of each step went on each device.",
    .kinds = kinds,
    .n_kinds = sizeof kinds / sizeof kinds[0],
    .wants = wants,
    .ops = &step_trace_ops,
};

STROBE_PLUGIN(component, .name = "step_trace", .version = STROBE_PLUGIN_VERSION,
              .summary = "Where the time of each step went on each device.",
              .license = "Apache-2.0", .vendor = "Strobe");
