/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/kinds.h>
#include <strobe/plugin.h>

#include "marker.h"
#include "marker-marks.h"
#include "mstx.h"

static const char *const range_choices[] = {"communication", "dataloader", "save_checkpoint",
                                            "profiler_step", "forward",    "step",
                                            "flops",         NULL};
static const char *const chain_choices[] = {"auto", "on", "off", NULL};

static const StrobeOption options[] = {
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_LIST,
        .name = "domain_include",
        .default_value = "",
        .summary = "Only marks of these domains; \"default\" is that of marks without one.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_LIST,
        .name = "domain_exclude",
        .default_value = "",
        .summary = "Leave out marks of these domains; ignored with domain_include.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_LIST,
        .name = "ranges",
        .default_value = "communication+dataloader+save_checkpoint+profiler_step",
        .choices = range_choices,
        .summary = "Ranges that are marked in unchanged Python programs that use PyTorch.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_ENUM,
        .name = "chain",
        .default_value = "auto",
        .choices = chain_choices,
        .summary = "Hand mstx marks on to the vendor's own tool; auto: where its library is in "
                   "the process and its profiler does not run it.",
    },
};

#define VARIABLE(how_, name_, value_)                                                              \
    {.struct_size = sizeof(StrobeVariable),                                                        \
     .how = STROBE_VARIABLE_##how_,                                                                \
     .name = name_,                                                                                \
     .value = value_}
#define CHAIN(text_)                                                                               \
    {.struct_size = sizeof(StrobeVariable),                                                        \
     .how = STROBE_VARIABLE_UNLESS_SET,                                                            \
     .name = "STROBE_MSTX_CHAIN",                                                                  \
     .value = text_,                                                                               \
     .option = "chain",                                                                            \
     .text = text_}

static const StrobeVariable variables[] = {
    VARIABLE(UNLESS_SET, "MSTX_INJECTION_PATH", "{folder}/marker.so"),
    VARIABLE(UNLESS_SET, "NVTX_INJECTION64_PATH", "{folder}/marker.so"),
    VARIABLE(UNLESS_SET, "INTEL_LIBITTNOTIFY64", "{folder}/marker.so"),
    /* For programs that are linked with libms_tools_ext.so. APPEND: the loader finds the vendor's
     * library first, if there is one. */
    VARIABLE(APPEND, "LD_LIBRARY_PATH", "{folder}/mstx"),
    CHAIN("on"),
    CHAIN("off"),
};

static const StrobeKind *const kinds[] = {&mark_range_kind, &mark_instant_kind, &mark_thread_kind,
                                          &mstx_region_kind, &strobe_kind_counter};

static const StrobeComponent collector = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_COLLECTOR,
    .name = "marker",
    .summary = "Marks that programs make with mstx, NVTX and ITT.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .kinds = kinds,
    .n_kinds = sizeof kinds / sizeof *kinds,
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
    .ops = &strobe_marker_ops,
};

STROBE_PLUGIN(collector, .name = "marker", .version = STROBE_PLUGIN_VERSION,
              .summary = "Marks made with mstx, NVTX and ITT", .license = "Apache-2.0",
              .vendor = "Strobe");
