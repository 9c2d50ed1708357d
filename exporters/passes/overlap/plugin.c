/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/strobe-plugin.h>

#include "overlap.h"

static const StrobeKind *const kinds[] = {&strobe_kind_overlap};
static const char *const wants[] = {"device_task", "comm_op", NULL};

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

static const StrobeComponent *const components[] = {&component};

STROBE_PLUGIN_EXPORT const StrobePlugin strobe_plugin_1 = {
    .struct_size = sizeof(StrobePlugin),
    .abi_minor = 0,
    .record_version = STROBE_RECORD_VERSION,
    .n_components = 1,
    .name = "overlap",
    .version = "0.1.0",
    .summary = "Where each device computes, communicates, does both or neither.",
    .license = "Apache-2.0",
    .vendor = "Strobe",
    .url = "",
    .components = components,
};
