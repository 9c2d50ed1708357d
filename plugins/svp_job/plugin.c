/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/plugin.h>

#include "svp_job.h"

static const StrobeComponent importer = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_IMPORTER,
    .name = "svp_job",
    .summary = "Reads JOB directories of camera boards (SVP NPU): calls, layers, counters.",
    .kinds = svp_job_kinds,
    .n_kinds = SVP_JOB_KINDS,
    .ops = &svp_job_ops,
};

STROBE_PLUGIN(importer, .name = "svp_job", .version = STROBE_PLUGIN_VERSION,
              .summary = "JOB directories of camera boards", .license = "Apache-2.0",
              .vendor = "Strobe");
