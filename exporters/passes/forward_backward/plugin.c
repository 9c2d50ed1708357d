/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/strobe-plugin.h>

#include "forward-backward.h"

static const StrobeKind *const kinds[] = {&strobe_kind_operator_link};
static const char *const wants[] = {"cpu_op", NULL};

static const StrobeComponent component = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_PASS,
    .name = "forward_backward",
    .summary = "Links each forward operator with the backward operator it caused.",
    .kinds = kinds,
    .n_kinds = 1,
    .wants = wants,
    .ops = &forward_backward_ops,
};

STROBE_PLUGIN(component, .name = "forward_backward", .version = STROBE_PLUGIN_VERSION,
              .summary = "Forward to backward links.", .license = "Apache-2.0", .vendor = "Strobe");
