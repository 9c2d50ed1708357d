/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/strobe-plugin.h>

#include "finding.h"

static const StrobeKind *const kinds[] = {&strobe_kind_finding, &strobe_kind_step_part};
static const char *const wants[] = {"step",
                                    "cpu_op",
                                    "gc",
                                    "marker",
                                    "python_call",
                                    "api_call",
                                    "device_task",
                                    "host_pressure",
                                    "host_throttle",
                                    "host_cpu",
                                    "host_disk",
                                    "host_mem",
                                    "collector_call",
                                    "loss",
                                    "memory_event",
                                    "os_call",
                                    "cpu_sample.wait",
                                    "step_trace",
                                    NULL};

static const StrobeComponent component = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_PASS,
    .name = "finding",
    .summary = "What cost the program time, how sure that is, and what to do about it.",
    .kinds = kinds,
    .n_kinds = sizeof kinds / sizeof kinds[0],
    .wants = wants,
    .ops = &finding_ops,
};

STROBE_PLUGIN(component, .name = "finding", .version = STROBE_PLUGIN_VERSION,
              .summary = "What cost the program time, and what to do about it.",
              .license = "Apache-2.0", .vendor = "Strobe");
