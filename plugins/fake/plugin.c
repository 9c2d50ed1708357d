/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/plugin.h>

#include "fake-kinds.h"
#include "fake.h"

static const char *const kind_choices[] = {"marker", "all", NULL};
static const char *const name_choices[] = {"plain", "hostile", NULL};
static const char *const clock_choices[] = {"host", "monotonic", "realtime", NULL};
static const char *const fail_choices[] = {"none", "open", "warm", "start", "stop", "flush", NULL};

static const StrobeOption options[] = {
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_INT,
        .name = "seed",
        .default_value = "1",
        .min = -9e15,
        .max = 9e15,
        .summary = "Same seed, same records, apart from times and link ids.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_INT,
        .name = "records",
        .default_value = "1000",
        .min = 0,
        .max = 1e9,
        .summary = "Records of one window, spread over its threads.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_INT,
        .name = "threads",
        .default_value = "1",
        .min = 0,
        .max = 64,
        .summary = "Threads of its own that record; 0: the controlling thread, in start.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_DURATION,
        .name = "interval",
        .default_value = "0ns",
        .min = 0,
        .max = 6e10,
        .summary = "Pause of each thread between two records; stop ends the pauses.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_INT,
        .name = "depth",
        .default_value = "1",
        .min = 1,
        .max = 4096,
        .summary = "Markers that lie one inside the other.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_ENUM,
        .name = "kind",
        .default_value = "marker",
        .choices = kind_choices,
        .summary = "marker, or every standard raw kind and the collector's own in turn.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_ENUM,
        .name = "names",
        .default_value = "plain",
        .choices = name_choices,
        .summary = "Harmless names, or quotes, newlines, invalid UTF-8 and 100 KB.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_BOOL,
        .name = "track",
        .default_value = "false",
        .summary = "Record on a device stream's track instead of the threads.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_ENUM,
        .name = "clock",
        .default_value = "host",
        .choices = clock_choices,
        .summary = "Clock of that track.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_BOOL,
        .name = "bulk",
        .default_value = "false",
        .summary = "Emit markers by reserve_bulk, 64 at a time, on the threads.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_INT,
        .name = "late",
        .default_value = "0",
        .min = 0,
        .max = 1e9,
        .summary = "Further records of each window that come in flush.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_DURATION,
        .name = "drain",
        .default_value = "0s",
        .min = 0,
        .max = 6e10,
        .summary = "How long after the window the last of these come.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_INT,
        .name = "loss",
        .default_value = "0",
        .min = 0,
        .max = 1e15,
        .summary = "Records that each window reports as lost.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_INT,
        .name = "unfinished",
        .default_value = "0",
        .min = 0,
        .max = 4096,
        .summary = "Further spans of each window that are begun and left open.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_DURATION,
        .name = "sample",
        .default_value = "0ns",
        .min = 0,
        .max = 6e10,
        .summary = "Interval at which a counter fake.sample is recorded; 0ns: never.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_DURATION,
        .name = "busy",
        .default_value = "0ns",
        .min = 0,
        .max = 6e10,
        .summary = "Time that each such sample takes.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_ENUM,
        .name = "fail",
        .default_value = "none",
        .choices = fail_choices,
        .summary = "The call that fails.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_INT,
        .name = "again",
        .default_value = "0",
        .min = 0,
        .max = 1e6,
        .summary = "How often open answers that it is to be asked again.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_DURATION,
        .name = "opening",
        .default_value = "0s",
        .min = 0,
        .max = 6e10,
        .summary = "How long open takes, as that of a library does which hangs.",
    },
};

/* With kind=all cpu_op carries the further field fake.extra. */
static const StrobeKind *const kinds[] = {
    &strobe_kind_step,
    &strobe_kind_cpu_op,
    &strobe_kind_gc,
    &strobe_kind_marker,
    &strobe_kind_marker_instant,
    &strobe_kind_counter,
    &strobe_kind_host_cpu,
    &strobe_kind_host_mem,
    &strobe_kind_metadata,
    &strobe_kind_loss,
    &strobe_kind_collector_call,
    &strobe_kind_diagnostic,
    &fake_kind_pulse,
    &fake_kind_block,
    &fake_kind_pair,
};

static const StrobeComponent collector = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_COLLECTOR,
    .flags = STROBE_COMPONENT_ANY_PROCESS | STROBE_COMPONENT_SIMULATED | STROBE_COMPONENT_INSIDE,
    .name = "fake",
    .summary = "Simulated records, the same for the same seed; for tests.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .kinds = kinds,
    .n_kinds = sizeof kinds / sizeof *kinds,
    .ops = &strobe_fake_ops,
};

static const StrobeComponent *const components[] = {&collector};

STROBE_PLUGIN_EXPORT const StrobePlugin strobe_plugin_1 = {
    .struct_size = sizeof(StrobePlugin),
    .abi_minor = 0,
    .record_version = STROBE_RECORD_VERSION,
    .name = "fake",
    .version = STROBE_PLUGIN_VERSION,
    .summary = "Simulated records for tests",
    .license = "Apache-2.0",
    .vendor = "Strobe",
    .url = "",
    .components = components,
    .n_components = 1,
};
