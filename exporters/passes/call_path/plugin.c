/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/strobe-plugin.h>

#include "call-path.h"

static const StrobeKind *const kinds[] = {&strobe_kind_call_path};
static const char *const wants[] = {"cpu_sample", "cpu_sample.wait", "python_call", NULL};

static const StrobeComponent component = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_PASS,
    .name = "call_path",
    .summary = "Time by call path: processor samples, waiting, calls of Python.",
    .kinds = kinds,
    .n_kinds = 1,
    .wants = wants,
    .ops = &call_path_ops,
};

STROBE_PLUGIN(component, .name = "call_path", .version = STROBE_PLUGIN_VERSION,
              .summary = "Time by call path: processor samples, waiting, calls of Python.",
              .license = "Apache-2.0", .vendor = "Strobe");
