/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/kinds.h>
#include <strobe/plugin.h>

#include <strobe/helpers/sampler.h>
#include "host_sys.h"

static const char *const items[] = {"cpu", "mem", "disk", "network", "pressure", "throttle", NULL};

static const StrobeOption options[] = {
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_LIST,
        .name = "items",
        .default_value = "cpu+mem",
        .choices = items,
        .summary =
            "What to sample: the process and its threads, its memory, its input and output and "
            "the devices', the network interfaces, what waited on the system, what the "
            "control group's limit held up.",
    },
    STROBE_SAMPLER_INTERVAL,
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_PATH,
        .name = "proc_root",
        .default_value = "/proc",
        .summary = "Where the process file system is; another folder is read as a recording.",
    },
    STROBE_SAMPLER_SYS_ROOT(
        "Where the system file system is, with the control groups in fs/cgroup."),
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_DURATION,
        .name = "pss_interval",
        .default_value = "0s",
        .min = 0,
        .max = 3.6e12,
        .summary = "Time between two readings of the proportional set size (PSS), which walks all "
                   "mappings of the process: 1s and more; 0s: none.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_BOOL,
        .name = "loopback",
        .default_value = "false",
        .summary = "Sample the loopback interface too.",
    },
};

static const StrobeKind *const kinds[] = {
    &strobe_kind_host_cpu,      &strobe_kind_host_thread,   &strobe_kind_host_core,
    &strobe_kind_host_mem,      &strobe_kind_host_disk,     &strobe_kind_host_net,
    &strobe_kind_host_pressure, &strobe_kind_host_throttle, &strobe_kind_usage,
};

static const StrobeComponent collector = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_COLLECTOR,
    .flags = STROBE_COMPONENT_ANY_PROCESS,
    .name = "host_sys",
    .summary = "What the process uses of the host, and how the host is.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .kinds = kinds,
    .n_kinds = sizeof kinds / sizeof *kinds,
    .ops = &strobe_host_sys_ops,
};

STROBE_PLUGIN(collector, .name = "host_sys", .version = STROBE_PLUGIN_VERSION,
              .summary = "What the process uses of the host, and how the host is",
              .license = "Apache-2.0", .vendor = "Strobe");
