/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/strobe-plugin.h>

#include "op-statistic.h"

static const StrobeKind *const kinds[] = {&strobe_kind_op_statistic};
static const char *const wants[] = {"device_task", NULL};

static const StrobeComponent component = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_PASS,
    .name = "op_statistic",
    .summary = "Totals of the kernels of one operator type and core.",
    .kinds = kinds,
    .n_kinds = sizeof kinds / sizeof kinds[0],
    .wants = wants,
    .ops = &op_statistic_ops,
};

STROBE_PLUGIN(component, .name = "op_statistic", .version = STROBE_PLUGIN_VERSION,
              .summary = "Totals of the kernels of one operator type and core.",
              .license = "Apache-2.0", .vendor = "Strobe");
