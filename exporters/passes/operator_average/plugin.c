/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/strobe-plugin.h>

#include "operator-average.h"

static const StrobeOption options[] = {
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_BOOL,
        .name = "group_by_shapes",
        .default_value = "false",
        .summary = "Keep operators of one name apart by their input shapes.",
    },
};

static const StrobeKind *const kinds[] = {&strobe_kind_operator_average};
static const char *const wants[] = {"operator_detail", NULL};

static const StrobeComponent component = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_PASS,
    .name = "operator_average",
    .summary = "Totals of all operators of one name.",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .kinds = kinds,
    .n_kinds = 1,
    .wants = wants,
    .ops = &operator_average_ops,
};

STROBE_PLUGIN(component, .name = "operator_average", .version = STROBE_PLUGIN_VERSION,
              .summary = "Totals of operators by name.", .license = "Apache-2.0",
              .vendor = "Strobe");
