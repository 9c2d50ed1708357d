/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/plugin.h>

#include "svp_job.h"

static const StrobeOption options[] = {
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_PATH,
        .name = "msprof",
        .default_value = "",
        .summary =
            "The vendor's tool for boards (a program, or a .pyc that python3.7 runs), an absolute "
            "path: it makes the tables of a JOB that only it can read, in a copy; without it, "
            "toolkit/tools/profiler/profiler_tool/analysis/msprof/msprof.pyc in ASCEND_HOME_PATH.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_DURATION,
        .name = "export_limit",
        .default_value = "3600s",
        .min = 0,
        .max = 1e15,
        .summary = "How long each command of the tool may take; 0s: no limit.",
    },
};

static const StrobeComponent importer = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_IMPORTER,
    .name = "svp_job",
    .summary = "Reads JOB directories of camera boards (SVP NPU): calls, layers, counters.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .kinds = svp_job_kinds,
    .n_kinds = SVP_JOB_KINDS,
    .ops = &svp_job_ops,
};

STROBE_PLUGIN(importer, .name = "svp_job", .version = STROBE_PLUGIN_VERSION,
              .summary = "JOB directories of camera boards", .license = "Apache-2.0",
              .vendor = "Strobe");
