/* SPDX-License-Identifier: Apache-2.0 */
#include <gzip-file.h>
#include <strobe/strobe-plugin.h>

#include "chrome-trace.h"

static const char *const origins[] = {"auto", "epoch", "start", NULL};

static const StrobeOption options[] = {
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_PATH,
        .name = "file",
        .default_value = "trace_view.json",
        .summary = "Name of the file in the result directory.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_KINDS,
        .name = "also",
        .default_value = "",
        .summary = "Draw these derived kinds too, such as head_overhead.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_ENUM,
        .name = "origin",
        .default_value = "auto",
        .choices = origins,
        .summary = "Origin of times: the epoch, or the start of the window, with which viewers "
                   "show times exactly. auto: epoch if there are data of Ascend devices.",
    },
    GZIP_OPTION,
};

static const char *const wants[] = {"*", "operator_link", "kernel_link", "overlap", NULL};

static const StrobeComponent component = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_EXPORTER,
    .name = "chrome_trace",
    .summary = "trace_view.json for Perfetto, speedscope, MindStudio Insight and chrome://tracing.",
    .options = options,
    .n_options = G_N_ELEMENTS(options),
    .wants = wants,
    .ops = &chrome_trace_ops,
};

STROBE_PLUGIN(component, .name = "chrome_trace", .version = STROBE_PLUGIN_VERSION,
              .summary = "Trace in the Chrome trace event format.", .license = "Apache-2.0",
              .vendor = "Strobe");
