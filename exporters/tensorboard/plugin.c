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

STROBE_PLUGIN(component, .name = "tensorboard", .version = STROBE_PLUGIN_VERSION,
              .summary = "Traces for TensorBoard.", .license = "Apache-2.0", .vendor = "Strobe");
