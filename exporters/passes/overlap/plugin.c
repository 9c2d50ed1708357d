/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/strobe-plugin.h>

#include "overlap.h"

static const StrobeKind *const kinds[] = {&strobe_kind_overlap};
static const char *const wants[] = {"device_task", "comm_op", "cpu_op", NULL};

static const StrobeComponent component = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_PASS,
    .name = "overlap",
    .summary = "Where each device computes, communicates, does both or neither.",
    .kinds = kinds,
    .n_kinds = sizeof kinds / sizeof kinds[0],
    .wants = wants,
    .ops = &overlap_ops,
};

STROBE_PLUGIN(component, .name = "overlap", .version = STROBE_PLUGIN_VERSION,
              .summary = "Where each device computes, communicates, does both or neither.",
              .license = "Apache-2.0", .vendor = "Strobe");
