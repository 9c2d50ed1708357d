/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/helpers/dcmi-source.h>
#include <strobe/helpers/sampler.h>
#include <strobe/kinds.h>
#include <strobe/plugin.h>

#include "interconnect.h"

static const StrobeOption options[] = {
    STROBE_SAMPLER_INTERVAL,
    STROBE_SAMPLER_SYS_ROOT(
        "Where the system file system is; another folder is read as a recording."),
    STROBE_DCMI_OPTION_LIBRARY("links are described, not sampled."),
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_DURATION,
        .name = "measuring",
        .default_value = "20ms",
        .min = 1e6,
        .max = 1e9,
        .summary =
            "How long the driver measures at a time where it keeps no totals: PCIe, and HCCS "
            "of some devices. No more readings come than that allows.",
    },
    STROBE_DCMI_OPTION_DEADLINE,
};

static const StrobeKind *const kinds[] = {&strobe_kind_hccs, &strobe_kind_pcie,
                                          &strobe_kind_metadata};

static const StrobeComponent collector = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_COLLECTOR,
    .flags = STROBE_COMPONENT_ANY_PROCESS,
    .name = "interconnect",
    .summary = "Traffic on the links between devices (HCCS), and between device and host (PCIe).",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .kinds = kinds,
    .n_kinds = sizeof kinds / sizeof *kinds,
    .ops = &strobe_interconnect_ops,
};

STROBE_PLUGIN(collector, .name = "interconnect", .version = STROBE_PLUGIN_VERSION,
              .summary = "Traffic on the links between devices, and between device and host",
              .license = "Apache-2.0", .vendor = "Strobe");
