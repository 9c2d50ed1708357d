/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/kinds.h>
#include <strobe/plugin.h>

#include "npu_task.h"
#include "records.h"

static const char *const backend_choices[] = {"mspti", "auto", "aclprof", NULL};
static const char *const level_choices[] = {"Level_none", "Level0", "Level1", "Level2", NULL};
static const char *const activity_choices[] = {
    "kernel", "communication", "hccl",   "node_api", "acl_api", "runtime_api",
    "memory", "memset",        "memcpy", "marker",   NULL,
};

static const StrobeOption options[] = {
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_ENUM,
        .name = "backend",
        .default_value = "mspti",
        .choices = backend_choices,
        .summary = "Who tells: MSPTI. aclprof is not part of this version and refused; auto is "
                   "mspti.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_ENUM,
        .name = "profiler_level",
        .default_value = "Level1",
        .choices = level_choices,
        .summary = "Level0: kernels, communication, launches, marks; Level1: calls of AscendCL "
                   "too; Level2: calls of the runtime too; Level_none: marks only.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_LIST,
        .name = "activities",
        .default_value = "",
        .choices = activity_choices,
        .summary = "What is recorded, instead of what profiler_level says. hccl, memory, memset "
                   "and memcpy need LD_PRELOAD=libmspti.so.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_BOOL,
        .name = "external_ids",
        .default_value = "false",
        .summary = "Record the ids that the program pushes to MSPTI. Of no use where more than "
                   "one thread launches: MSPTI keeps them on one stack for all.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_PATH,
        .name = "library",
        .default_value = "",
        .summary = "The file to load as MSPTI; without it, lib64/libmspti.so of "
                   "ASCEND_HOME_PATH, once the program has loaded CANN.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_BYTES,
        .name = "buffer_size",
        .default_value = "4MB",
        .min = 65536,
        .max = 268435456,
        .summary = "Size of a buffer that MSPTI fills; the first session of a process decides.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_INT,
        .name = "buffers",
        .default_value = "16",
        .min = 2,
        .max = 1024,
        .summary = "Number of buffers; the first session of a process decides.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_DURATION,
        .name = "flush_interval",
        .default_value = "1s",
        .min = 1e7,
        .max = 6e10,
        .summary = "How often MSPTI is asked for what lies in a buffer that is not full.",
    },
};

static const StrobeKind *const kinds[] = {
    &strobe_kind_device_task,  &strobe_kind_comm_op,  &strobe_kind_api_call,
    &strobe_kind_memory_event, &npu_copy_kind,        &npu_set_kind,
    &npu_external_kind,        &npu_range_kind,       &npu_instant_kind,
    &strobe_kind_clock_sync,   &strobe_kind_metadata,
};

static const StrobeComponent collector = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_COLLECTOR,
    .name = "npu_task",
    .summary = "Kernels, communication, calls and marks of Ascend NPUs, as MSPTI tells them.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .kinds = kinds,
    .n_kinds = sizeof kinds / sizeof *kinds,
    .ops = &strobe_npu_task_ops,
};

static const StrobeComponent *const components[] = {&collector};

STROBE_PLUGIN_EXPORT const StrobePlugin strobe_plugin_1 = {
    .struct_size = sizeof(StrobePlugin),
    .abi_minor = 0,
    .record_version = STROBE_RECORD_VERSION,
    .name = "npu_task",
    .version = STROBE_PLUGIN_VERSION,
    .summary = "Tasks of Ascend NPUs",
    .license = "Apache-2.0",
    .vendor = "Strobe",
    .url = "",
    .components = components,
    .n_components = 1,
};
