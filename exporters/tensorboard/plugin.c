/* SPDX-License-Identifier: Apache-2.0 */
#include <gzip-file.h>
#include <strobe/strobe-plugin.h>

#include "tensorboard.h"

static const StrobeOption options[] = {
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_STRING,
        .name = "worker",
        .default_value = "",
        .summary = "Worker in the file's name; empty: host and process.",
    },
    GZIP_OPTION,
};

static const char *const wants[] = {"*", "operator_link", NULL};

static const StrobeComponent component = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_EXPORTER,
    .name = "tensorboard",
    .summary = "A trace as PyTorch's profiler writes it, for TensorBoard's profiler plugin.",
    .options = options,
    .n_options = G_N_ELEMENTS(options),
    .wants = wants,
    .ops = &tensorboard_ops,
};

static const StrobeComponent *const components[] = {&component};

STROBE_PLUGIN_EXPORT const StrobePlugin strobe_plugin_1 = {
    .struct_size = sizeof(StrobePlugin),
    .abi_minor = 0,
    .record_version = STROBE_RECORD_VERSION,
    .n_components = 1,
    .name = "tensorboard",
    .version = "0.1.0",
    .summary = "Traces for TensorBoard.",
    .license = "Apache-2.0",
    .vendor = "Strobe",
    .url = "",
    .components = components,
};
