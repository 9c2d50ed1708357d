/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/strobe-plugin.h>

#include "kernel-detail.h"

static const StrobeKind *const kinds[] = {&strobe_kind_kernel_detail};
static const char *const wants[] = {"device_task", "device_pmu", "comm_op", "step_range", NULL};

static const StrobeComponent component = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_PASS,
    .name = "kernel_detail",
    .summary = "Kernels and communication operations with step, wait time and metrics.",
    .kinds = kinds,
    .n_kinds = sizeof kinds / sizeof kinds[0],
    .wants = wants,
    .ops = &kernel_detail_ops,
};

STROBE_PLUGIN(component, .name = "kernel_detail", .version = STROBE_PLUGIN_VERSION,
              .summary = "Kernels and communication operations with step, wait time and metrics.",
              .license = "Apache-2.0", .vendor = "Strobe");
