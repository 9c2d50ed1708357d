/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/strobe-plugin.h>

#include "call-path.h"

static const StrobeKind *const kinds[] = {&strobe_kind_call_path};
static const char *const wants[] = {"cpu_sample", NULL};

static const StrobeComponent component = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_PASS,
    .name = "call_path",
    .summary = "Processor time by call path.",
    .kinds = kinds,
    .n_kinds = 1,
    .wants = wants,
    .ops = &call_path_ops,
};

static const StrobeComponent *const components[] = {&component};

STROBE_PLUGIN_EXPORT const StrobePlugin strobe_plugin_1 = {
    .struct_size = sizeof(StrobePlugin),
    .abi_minor = 0,
    .record_version = STROBE_RECORD_VERSION,
    .n_components = 1,
    .name = "call_path",
    .version = "0.1.0",
    .summary = "Processor time by call path.",
    .license = "Apache-2.0",
    .vendor = "Strobe",
    .url = "",
    .components = components,
};
