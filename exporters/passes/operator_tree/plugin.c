/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/strobe-plugin.h>

#include "operator-tree.h"

static const StrobeKind *const kinds[] = {&strobe_kind_operator_detail};
static const char *const wants[] = {"cpu_op", NULL};

static const StrobeComponent component = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_PASS,
    .name = "operator_tree",
    .summary = "Self time and nesting of every operator, thread by thread.",
    .kinds = kinds,
    .n_kinds = 1,
    .wants = wants,
    .ops = &operator_tree_ops,
};

STROBE_PLUGIN(component, .name = "operator_tree", .version = STROBE_PLUGIN_VERSION,
              .summary = "Self time and nesting of operators.", .license = "Apache-2.0",
              .vendor = "Strobe");
