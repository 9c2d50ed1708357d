/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/strobe-plugin.h>

#include "svp_timeline.h"

static const char *const wants[] = {"device_task", "svp.capture", "api_call", NULL};

static const StrobeComponent component = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_EXPORTER,
    .name = "svp_timeline",
    .summary = "Timelines of camera boards: task_time_*.json, acl_*.json.",
    .wants = wants,
    .ops = &svp_timeline_ops,
};

STROBE_PLUGIN(component, .name = "svp_timeline", .version = STROBE_PLUGIN_VERSION,
              .summary = "Timelines of camera boards.", .license = "Apache-2.0",
              .vendor = "Strobe");
