/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/kinds.h>
#include <strobe/plugin.h>

#include <strobe/helpers/sampler.h>
#include "osrt.h"

static const char *const sources[] = {"auto", "perf", NULL};

static const StrobeOption options[] = {
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_DURATION,
        .name = "threshold",
        .default_value = "1us",
        .min = 0,
        .max = 6e10,
        .summary = "Calls that take less time are not recorded.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_ENUM,
        .name = "source",
        .default_value = "auto",
        .choices = sources,
        .summary = "Source of calls: perf, the kernel's trace points of system calls, which need "
                   "CAP_PERFMON; auto, the library that \"strobe run\" preloads, without it perf.",
    },
    STROBE_SAMPLER_INTERVAL,
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_PATH,
        .name = "proc_root",
        .default_value = "/proc",
        .summary = "Where the process file system is.",
    },
    STROBE_SAMPLER_SYS_ROOT("Where sysfs is, with the trace points."),
};

/* The environment variables that preload the library, which must be loaded when the process
 * starts. */
static const StrobeVariable variables[] = {
    {
        .struct_size = sizeof(StrobeVariable),
        .how = STROBE_VARIABLE_PREPEND,
        .name = "LD_PRELOAD",
        .value = "{folder}/osrt-preload.so",
    },
};

static const StrobeKind *const kinds[] = {&strobe_kind_os_call};

/* STROBE_COMPONENT_INSIDE: the preloaded library calls the plugin in the same process, and the
 * trace points can be read only by the process that opened them. */
static const StrobeComponent collector = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_COLLECTOR,
    .flags = STROBE_COMPONENT_ANY_PROCESS | STROBE_COMPONENT_INSIDE,
    .name = "osrt",
    .summary = "Calls of the C library that may wait, on the thread that made them.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .kinds = kinds,
    .n_kinds = 1,
    .variables = variables,
    .n_variables = 1,
    .ops = &strobe_osrt_ops,
};

STROBE_PLUGIN(collector, .name = "osrt", .version = STROBE_PLUGIN_VERSION,
              .summary = "Calls of the C library that may wait", .license = "Apache-2.0",
              .vendor = "Strobe");
