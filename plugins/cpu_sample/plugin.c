/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/kinds.h>
#include <strobe/plugin.h>

#include "cpu_sample.h"
#include "wait-samples.h"

static const char *const sources[] = {"perf", "timer", NULL};
static const char *const unwinders[] = {"fp", "dwarf", "none", NULL};
static const char *const children[] = {"all", "unrecorded", "none", NULL};
static const char *const events[] = {"auto", "clock", NULL};

static const StrobeOption options[] = {
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_ENUM,
        .name = "source",
        .default_value = "perf",
        .choices = sources,
        .summary = "What samples: perf, the kernel's events; timer, a timer of each thread, whose "
                   "signal is SIGPROF (strobe run takes it where perf is refused).",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_INT,
        .name = "frequency",
        .default_value = "999",
        .min = 1,
        .max = 100000,
        .summary = "Samples of each thread for each second of its processor time.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_ENUM,
        .name = "unwind",
        .default_value = "fp",
        .choices = unwinders,
        .summary = "How callers are found: fp, by frame pointers; dwarf, by the objects' tables "
                   "for unwinding, from a copy of the stack with each sample; none, the innermost "
                   "function alone is recorded.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_BYTES,
        .name = "stack_bytes",
        .default_value = "8KB",
        .min = 1024,
        .max = 61440,
        .summary = "With unwind=dwarf: how much of the stack is copied; callers beyond are not "
                   "found.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_BOOL,
        .name = "off_cpu",
        .default_value = "false",
        .summary = "Record where threads wait too, and for how long (kernel.perf_event_paranoid "
                   "of 1 and less, or CAP_PERFMON).",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_ENUM,
        .name = "event",
        .default_value = "auto",
        .choices = events,
        .summary = "What counts: auto, the processor's cycles where the kernel offers them, else "
                   "the clock; clock, processor time.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_BOOL,
        .name = "kernel",
        .default_value = "true",
        .summary = "Sample the kernel's work for the program too, where that is permitted.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_ENUM,
        .name = "children",
        .default_value = "all",
        .choices = children,
        .summary = "Which processes that the program starts are sampled with it: all; unrecorded, "
                   "those that have no result of their own (with strobe run --follow this is the "
                   "default); none.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_DURATION,
        .name = "interval",
        .default_value = "100ms",
        .min = 1e6,
        .max = 1e9,
        .summary = "Time between two readings of the kernel's buffers.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_BOOL,
        .name = "python",
        .default_value = "true",
        .summary = "Name Python functions (CPython 3.11 to 3.13) instead of the interpreter's own, "
                   "where the process's memory may be read; the kernel wakes a reader for each "
                   "sample.",
    },
};

static const StrobeVariable variables[] = {
    {
        .struct_size = sizeof(StrobeVariable),
        .how = STROBE_VARIABLE_PREPEND,
        .name = "LD_PRELOAD",
        .value = "{folder}/cpu_sample-preload.so",
        .option = "source",
        .text = "timer",
    },
};

static const StrobeKind *const kinds[] = {&strobe_kind_cpu_sample, &cpu_sample_kind_wait,
                                          &strobe_kind_metadata};

static const StrobeComponent collector = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_COLLECTOR,
    .flags = STROBE_COMPONENT_ANY_PROCESS | STROBE_COMPONENT_STAND_IN,
    .name = "cpu_sample",
    .summary = "Where the program's threads spend their processor time, by sampling.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .kinds = kinds,
    .n_kinds = sizeof kinds / sizeof *kinds,
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
    .ops = &strobe_cpu_sample_ops,
};

STROBE_PLUGIN(collector, .name = "cpu_sample", .version = STROBE_PLUGIN_VERSION,
              .summary = "Samples of what the processors do for the program",
              .license = "Apache-2.0", .vendor = "Strobe");
