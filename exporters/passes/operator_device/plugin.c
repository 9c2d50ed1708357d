/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/strobe-plugin.h>

#include "operator-device.h"

static const StrobeKind *const kinds[] = {&strobe_kind_operator_device, &strobe_kind_kernel_link,
                                          &strobe_kind_step_range};
static const char *const wants[] = {"cpu_op",  "task_queue", "api_call", "device_task",
                                    "comm_op", "flow_point", "step",     NULL};

static const StrobeComponent component = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_PASS,
    .name = "operator_device",
    .summary = "Time of the kernels that each operator launched, and the steps they belong to.",
    .kinds = kinds,
    .n_kinds = sizeof kinds / sizeof kinds[0],
    .wants = wants,
    .ops = &operator_device_ops,
};

STROBE_PLUGIN(
    component, .name = "operator_device", .version = STROBE_PLUGIN_VERSION,
    .summary = "Time of the kernels that each operator launched, and the steps they belong to.",
    .license = "Apache-2.0", .vendor = "Strobe");
