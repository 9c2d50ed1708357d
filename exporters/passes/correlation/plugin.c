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
    .summary = "Counts what causes and effects found each other, and checks their order.",
    .kinds = kinds,
    .n_kinds = sizeof kinds / sizeof kinds[0],
    .wants = wants,
    .ops = &correlation_ops,
};

static const StrobeComponent *const components[] = {&component};

STROBE_PLUGIN_EXPORT const StrobePlugin strobe_plugin_1 = {
    .struct_size = sizeof(StrobePlugin),
    .abi_minor = 0,
    .record_version = STROBE_RECORD_VERSION,
    .n_components = 1,
    .name = "correlation",
    .version = "0.1.0",
    .summary = "Who caused what, counted and checked.",
    .license = "Apache-2.0",
    .vendor = "Strobe",
    .url = "",
    .components = components,
};
