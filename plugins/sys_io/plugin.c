/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/helpers/dcmi-source.h>
#include <strobe/helpers/sampler.h>
#include <strobe/kinds.h>
#include <strobe/plugin.h>

#include "sys_io.h"

static const StrobeOption options[] = {
    STROBE_SAMPLER_INTERVAL,
    STROBE_SAMPLER_SYS_ROOT("Where sysfs is; another folder is read as a recording."),
    STROBE_DCMI_OPTION_LIBRARY("only the host's own ports are sampled."),
    STROBE_DCMI_OPTION_DEADLINE,
};

static const StrobeKind *const kinds[] = {&strobe_kind_nic, &strobe_kind_roce, &strobe_kind_mac};

static const StrobeComponent collector = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_COLLECTOR,
    .flags = STROBE_COMPONENT_ANY_PROCESS,
    .name = "sys_io",
    .summary = "Network, RoCE and MAC counters of the system, by port.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .kinds = kinds,
    .n_kinds = sizeof kinds / sizeof *kinds,
    .ops = &strobe_sys_io_ops,
};

STROBE_PLUGIN(collector, .name = "sys_io", .version = STROBE_PLUGIN_VERSION,
              .summary = "Network, RoCE and MAC counters of the system, by port",
              .license = "Apache-2.0", .vendor = "Strobe");
