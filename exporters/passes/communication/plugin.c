/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/strobe-plugin.h>

#include "communication.h"

static const StrobeKind *const kinds[] = {&strobe_kind_communication_time,
                                          &strobe_kind_communication_bandwidth,
                                          &strobe_kind_communication_matrix};
static const char *const wants[] = {"comm_op", "comm_task", "step_range", NULL};

static const StrobeComponent component = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_PASS,
    .name = "communication",
    .summary = "Time, bandwidth and links of communication operations.",
    .kinds = kinds,
    .n_kinds = sizeof kinds / sizeof kinds[0],
    .wants = wants,
    .ops = &communication_ops,
};

STROBE_PLUGIN(component, .name = "communication", .version = STROBE_PLUGIN_VERSION,
              .summary = "Time, bandwidth and links of communication operations.",
              .license = "Apache-2.0", .vendor = "Strobe");
