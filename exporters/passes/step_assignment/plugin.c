/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/strobe-plugin.h>

#include "step-assignment.h"

static const StrobeKind *const kinds[] = {&strobe_kind_step_summary};
static const char *const wants[] = {"step", "gc", "marker", "marker_instant", "operator_detail",
                                    NULL};

static const StrobeComponent component = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_PASS,
    .name = "step_assignment",
    .summary = "What happened in each step: operators, collections, markers.",
    .kinds = kinds,
    .n_kinds = 1,
    .wants = wants,
    .ops = &step_assignment_ops,
};

STROBE_PLUGIN(component, .name = "step_assignment", .version = STROBE_PLUGIN_VERSION,
              .summary = "Records by step.", .license = "Apache-2.0", .vendor = "Strobe");
