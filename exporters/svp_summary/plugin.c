/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/strobe-plugin.h>
#include <svp-rows.h>

#include "svp_summary.h"

static const char *const formats[] = {"csv", "json", NULL};

static const StrobeOption options[] = {
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_ENUM,
        .name = "format",
        .default_value = "csv",
        .choices = formats,
        .summary = "Form of the tables.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_BOOL,
        .name = "per_iter",
        .default_value = "false",
        .summary = "Statistics of the calls for each captured inference.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_BOOL,
        .name = "details",
        .default_value = "false",
        .summary = "Also the tables captures and frequency.",
    },
};

static const char *const wants[] = {"device_task", "device_pmu",    "svp.layer", "svp.capture",
                                    "api_call",    "svp.frequency", NULL};

static const StrobeComponent component = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_EXPORTER,
    .name = "svp_summary",
    .summary = "Tables of camera boards: op_summary_*, op_statistic_*, acl_statistic_*.",
    .options = options,
    .n_options = G_N_ELEMENTS(options),
    .wants = wants,
    .ops = &svp_summary_ops,
};

STROBE_PLUGIN(component, .name = "svp_summary", .version = STROBE_PLUGIN_VERSION,
              .summary = "Tables of camera boards.", .license = "Apache-2.0", .vendor = "Strobe");
