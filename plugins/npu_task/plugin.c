/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/kinds.h>
#include <strobe/plugin.h>

#include "aclprof-config.h"
#include "npu_task.h"
#include "records.h"

static const char *const backend_choices[] = {"mspti", "auto", "aclprof", NULL};
static const char *const level_choices[] = {"Level_none", "Level0", "Level1", "Level2", NULL};
static const char *const activity_choices[] = {
    "kernel", "communication", "hccl",   "node_api", "acl_api", "runtime_api",
    "memory", "memset",        "memcpy", "marker",   NULL,
};
static const char *const detail_choices[] = {"shapes",     "block_counts",  "task_ids",
                                             "comm_tasks", "module_memory", NULL};
static const char *const metric_choices[] = {NPU_METRIC_NAMES, NULL};
static const char *const llc_choices[] = {"none", "read", "write", NULL};
static const char *const host_sys_choices[] = {"cpu",  "mem",  "disk", "network",
                                               "osrt", "numa", NULL};
static const char *const host_usage_choices[] = {"cpu", "mem", NULL};

static const StrobeOption options[] = {
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_ENUM,
        .name = "backend",
        .default_value = "mspti",
        .choices = backend_choices,
        .summary = "Who tells: MSPTI, or CANN's own profiling (aclprof), whose files are joined "
                   "when the result is analysed; auto: aclprof where an option asks for what only "
                   "that tells.",
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
        .summary = "The file to load as the backend; without it, lib64/libmspti.so or "
                   "lib64/libmsprofiler.so of ASCEND_HOME_PATH, once the program has loaded CANN.",
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
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_LIST,
        .name = "details",
        .default_value = "",
        .choices = detail_choices,
        .summary = "What the result is to have that only aclprof tells, so that auto takes that; "
                   "module_memory is task_memory=true, the others need Level1.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_ENUM,
        .name = "aic_metrics",
        .default_value = "level",
        .choices = metric_choices,
        .summary =
            "aclprof: metrics of the cores, of level 1 and 2; level: PipeUtilization at these.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_BOOL,
        .name = "l2_cache",
        .default_value = "false",
        .summary = "aclprof: hits and misses of the L2 cache.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_BOOL,
        .name = "op_attr",
        .default_value = "false",
        .summary = "aclprof: attributes of operators.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_BOOL,
        .name = "task_memory",
        .default_value = "false",
        .summary = "aclprof: memory of operators, modules and the device.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_INT,
        .name = "hardware_mem_freq",
        .default_value = "50",
        .min = 1,
        .max = 10000,
        .summary = "aclprof, with task_memory: samples of memory a second.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_BOOL,
        .name = "msproftx",
        .default_value = "false",
        .summary = "aclprof: marks of the program; always so at Level_none.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_BOOL,
        .name = "sys_io",
        .default_value = "false",
        .summary = "aclprof: traffic of network ports.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_INT,
        .name = "sys_io_freq",
        .default_value = "100",
        .min = 1,
        .max = 100,
        .summary = "aclprof: samples of network ports a second.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_BOOL,
        .name = "sys_interconnection",
        .default_value = "false",
        .summary = "aclprof: traffic of HCCS and PCIe.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_INT,
        .name = "sys_interconnection_freq",
        .default_value = "50",
        .min = 1,
        .max = 50,
        .summary = "aclprof: samples of HCCS and PCIe a second.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_INT,
        .name = "dvpp_freq",
        .default_value = "0",
        .min = 0,
        .max = 100,
        .summary = "aclprof: samples of the image units a second, 0: none.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_INT,
        .name = "low_power_freq",
        .default_value = "0",
        .min = 0,
        .max = 100,
        .summary = "aclprof: samples of the power state a second, 0: none.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_INT,
        .name = "sys_cpu_freq",
        .default_value = "0",
        .min = 0,
        .max = 50,
        .summary = "aclprof: samples of the device's processors a second, 0: none.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_ENUM,
        .name = "llc_mode",
        .default_value = "none",
        .choices = llc_choices,
        .summary = "aclprof: the last level cache, by reads or by writes.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_LIST,
        .name = "host_sys",
        .default_value = "",
        .choices = host_sys_choices,
        .summary =
            "aclprof: the host as CANN samples it; the collector host_sys does it without CANN.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_LIST,
        .name = "host_sys_usage",
        .default_value = "",
        .choices = host_usage_choices,
        .summary = "aclprof: use of the host's processors and memory by all processes.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_INT,
        .name = "host_sys_usage_freq",
        .default_value = "50",
        .min = 1,
        .max = 50,
        .summary = "aclprof: samples of host_sys_usage a second.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_BYTES,
        .name = "storage_limit",
        .default_value = "0B",
        .min = 0,
        .max = 4503599626321920,
        .summary = "aclprof: the oldest files go when PROF_* is larger than this; 0: none, else "
                   "200MB at least.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_BOOL,
        .name = "synchronize",
        .default_value = "false",
        .summary = "aclprof: wait for the devices before the profiling ends, so that what still "
                   "runs is recorded; the program then waits where the window ends.",
    },
};

static const StrobeKind *const kinds[] = {
    &strobe_kind_device_task,  &strobe_kind_comm_op,  &strobe_kind_api_call,
    &strobe_kind_memory_event, &npu_copy_kind,        &npu_set_kind,
    &npu_external_kind,        &npu_range_kind,       &npu_instant_kind,
    &strobe_kind_clock_sync,   &strobe_kind_metadata, &strobe_kind_diagnostic,
};

static const StrobeComponent collector = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_COLLECTOR,
    .flags = STROBE_COMPONENT_LATE_LIBRARY,
    .name = "npu_task",
    .summary = "Kernels, communication, calls and marks of Ascend NPUs, as CANN tells them.",
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
