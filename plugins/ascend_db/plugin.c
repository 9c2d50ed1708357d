/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/plugin.h>

#include "ascend_db.h"
#include "ascend-db-emit.h"

static const StrobeComponent importer = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_IMPORTER,
    .name = "ascend_db",
    .summary = "Reads databases of the Ascend PyTorch Profiler and of msprof.",
    .kinds = ascend_db_kinds,
    .n_kinds = ASCEND_DB_KINDS,
    .ops = &ascend_db_ops,
};

STROBE_PLUGIN(importer, .name = "ascend_db", .version = STROBE_PLUGIN_VERSION,
              .summary = "Results of an Ascend host as databases", .license = "Apache-2.0",
              .vendor = "Strobe");
