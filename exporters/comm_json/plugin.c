/* SPDX-License-Identifier: Apache-2.0 */
#include <gzip-file.h>
#include <strobe/strobe-plugin.h>

#include "comm-json.h"

static const StrobeOption options[] = {GZIP_OPTION};

static const char *const wants[] = {"communication_time", "communication_bandwidth",
                                    "communication_matrix", NULL};

static const StrobeComponent component = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_EXPORTER,
    .name = "comm_json",
    .summary = "communication.json and communication_matrix.json.",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .wants = wants,
    .ops = &comm_json_ops,
};

STROBE_PLUGIN(component, .name = "comm_json", .version = STROBE_PLUGIN_VERSION,
              .summary = "Communication of each step as JSON.", .license = "Apache-2.0",
              .vendor = "Strobe");
