/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/strobe-plugin.h>

#include "svp_db.h"

static const char *const wants[] = {"device_task", "device_pmu",    "svp.layer", "svp.capture",
                                    "api_call",    "svp.frequency", NULL};

static const StrobeComponent component = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_EXPORTER,
    .name = "svp_db",
    .summary = "SQLite view of a camera board's profile: svp_profile.db.",
    .wants = wants,
    .ops = &svp_db_ops,
};

STROBE_PLUGIN(component, .name = "svp_db", .version = STROBE_PLUGIN_VERSION,
              .summary = "SQLite view of camera boards.", .license = "Apache-2.0",
              .vendor = "Strobe");
