/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/strobe-plugin.h>

#include "csv.h"

static const StrobeOption options[] = {
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_KINDS,
        .name = "kinds",
        .default_value = "",
        .summary = "Write only these kinds; empty: the usual ones.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_KINDS,
        .name = "also",
        .default_value = "",
        .summary = "Write these kinds besides the usual ones.",
    },
};

static const char *const wants[] = {"*", "operator_detail", "operator_average", "step_summary",
                                    NULL};

static const StrobeComponent component = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_EXPORTER,
    .name = "csv",
    .summary = "operator_details.csv, and a table of every kind that has none of its own.",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .wants = wants,
    .ops = &csv_ops,
};

static const StrobeComponent *const components[] = {&component};

STROBE_PLUGIN_EXPORT const StrobePlugin strobe_plugin_1 = {
    .struct_size = sizeof(StrobePlugin),
    .abi_minor = 0,
    .record_version = STROBE_RECORD_VERSION,
    .n_components = 1,
    .name = "csv",
    .version = "0.1.0",
    .summary = "Tables as CSV files.",
    .license = "Apache-2.0",
    .vendor = "Strobe",
    .url = "",
    .components = components,
};
