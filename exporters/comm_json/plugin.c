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

static const StrobeComponent *const components[] = {&component};

STROBE_PLUGIN_EXPORT const StrobePlugin strobe_plugin_1 = {
    .struct_size = sizeof(StrobePlugin),
    .abi_minor = 0,
    .record_version = STROBE_RECORD_VERSION,
    .n_components = 1,
    .name = "comm_json",
    .version = "0.1.0",
    .summary = "Communication of each step as JSON.",
    .license = "Apache-2.0",
    .vendor = "Strobe",
    .url = "",
    .components = components,
};
