/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/strobe-plugin.h>

#include "db.h"

static const StrobeOption options[] = {
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_KINDS,
        .name = "also",
        .default_value = "",
        .summary = "Write these derived kinds too, each to a table with its name.",
    },
};

static const char *const wants[] = {
    "*",
    "overlap",
    "memory_total",
    "memory_block",
    "step_trace",
    "communication_time",
    "communication_bandwidth",
    "communication_matrix",
    "head_overhead",
    "head_overhead_step",
    "head_overhead_summary",
    "head_overhead_advice",
    NULL,
};

static const StrobeComponent component = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_EXPORTER,
    .name = "db",
    .summary = "ascend_pytorch_profiler.db and analysis.db, for MindStudio Insight and SQL.",
    .options = options,
    .n_options = G_N_ELEMENTS(options),
    .wants = wants,
    .ops = &db_ops,
};

STROBE_PLUGIN(component, .name = "db", .version = STROBE_PLUGIN_VERSION,
              .summary = "Databases of the Ascend PyTorch Profiler.", .license = "Apache-2.0",
              .vendor = "Strobe");
