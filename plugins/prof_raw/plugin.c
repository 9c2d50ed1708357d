/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/plugin.h>

#include "prof_raw.h"

static const StrobeOption options[] = {
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_PATH,
        .name = "msprof",
        .default_value = "",
        .summary =
            "CANN's program that exports the raw data of a recorded result when it is analysed: "
            "an absolute path; "
            "without it, msprof on PATH, then in bin of ASCEND_HOME_PATH.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_DURATION,
        .name = "export_limit",
        .default_value = "3600s",
        .min = 0,
        .max = 1e15,
        .summary = "How long that program may take; 0s: as long as it takes.",
    },
};

static const StrobeComponent importer = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_IMPORTER,
    .name = "prof_raw",
    .summary = "Reads counters in the raw data of CANN (PROF_*): links, L2 cache, the host.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .kinds = prof_raw_kinds,
    .n_kinds = PROF_RAW_KINDS,
    .ops = &prof_raw_ops,
};

STROBE_PLUGIN(importer, .name = "prof_raw", .version = STROBE_PLUGIN_VERSION,
              .summary = "Raw data of CANN", .license = "Apache-2.0", .vendor = "Strobe");
