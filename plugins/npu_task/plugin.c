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

#define HEAD(type_, name_, default_, summary_)                                                     \
    .struct_size = sizeof(StrobeOption), .type = STROBE_OPTION_##type_, .name = name_,             \
    .default_value = default_, .summary = summary_
#define OPTION(type_, name_, default_, summary_) {HEAD(type_, name_, default_, summary_)}
#define SWITCH(name_, summary_) OPTION(BOOL, name_, "false", summary_)
#define NUMBER(type_, name_, default_, min_, max_, summary_)                                       \
    {HEAD(type_, name_, default_, summary_), .min = min_, .max = max_}
#define CHOICE(name_, default_, choices_, summary_)                                                \
    {HEAD(ENUM, name_, default_, summary_), .choices = choices_}
#define LIST(name_, choices_, summary_) {HEAD(LIST, name_, "", summary_), .choices = choices_}

static const StrobeOption options[] = {
    CHOICE("backend", "mspti", backend_choices,
           "Source of records: MSPTI, or CANN's own profiling (aclprof), whose files are joined "
           "when the result is analysed; auto: aclprof if an option needs what only it records."),
    CHOICE("profiler_level", "Level1", level_choices,
           "Level0: kernels, communication, launches, marks; Level1: calls of AscendCL too; "
           "Level2: calls of the runtime too; Level_none: marks only."),
    LIST("activities", activity_choices,
         "What is recorded, in place of the choice of profiler_level. hccl, memory, memset and "
         "memcpy need strobe run --preload libmspti.so."),
    SWITCH("external_ids",
           "Record the ids that the program pushes to MSPTI. Useless if more "
           "than one thread launches: MSPTI keeps the ids of all threads on one stack."),
    OPTION(PATH, "library", "",
           "The file to load as the backend; without it, lib64/libmspti.so or "
           "lib64/libmsprofiler.so of ASCEND_HOME_PATH, once the program has loaded CANN."),
    NUMBER(BYTES, "buffer_size", "4MB", 65536, 268435456,
           "Size of a buffer that MSPTI fills; the first session of a process decides."),
    NUMBER(INT, "buffers", "16", 2, 1024,
           "Number of buffers; the first session of a process decides."),
    NUMBER(DURATION, "flush_interval", "1s", 1e7, 6e10,
           "How often records are fetched from MSPTI's buffers that are not full."),
    LIST("details", detail_choices,
         "Data for the result that only aclprof records, so auto selects aclprof; "
         "module_memory is the same as task_memory=true, the others need Level1 or Level2."),
    CHOICE("aic_metrics", "level", metric_choices,
           "aclprof: metrics of the cores, at Level1 and Level2 only; level: PipeUtilization at "
           "these levels."),
    SWITCH("l2_cache", "aclprof: hits and misses of the L2 cache."),
    SWITCH("op_attr", "aclprof: attributes of operators."),
    SWITCH("task_memory", "aclprof: memory of operators, modules and the device."),
    NUMBER(INT, "hardware_mem_freq", "50", 1, 10000,
           "aclprof, with task_memory: samples of memory a second."),
    SWITCH("msproftx", "aclprof: marks of the program; always on at Level_none."),
    SWITCH("sys_io", "aclprof: traffic of network ports."),
    NUMBER(INT, "sys_io_freq", "100", 1, 100, "aclprof: samples of network ports a second."),
    SWITCH("sys_interconnection", "aclprof: traffic of HCCS and PCIe."),
    NUMBER(INT, "sys_interconnection_freq", "50", 1, 50,
           "aclprof: samples of HCCS and PCIe a second."),
    NUMBER(INT, "dvpp_freq", "0", 0, 100, "aclprof: samples of the image units a second, 0: none."),
    NUMBER(INT, "low_power_freq", "0", 0, 100,
           "aclprof: samples of the power state a second, 0: none."),
    NUMBER(INT, "sys_cpu_freq", "0", 0, 50,
           "aclprof: samples of the device's processors a second, 0: none."),
    CHOICE("llc_mode", "none", llc_choices,
           "aclprof: use of the last level cache, by reads or by writes."),
    LIST("host_sys", host_sys_choices,
         "aclprof: CANN's samples of the host; the collector host_sys samples it without CANN."),
    LIST("host_sys_usage", host_usage_choices,
         "aclprof: use of the host's processors and memory by all processes."),
    NUMBER(INT, "host_sys_usage_freq", "50", 1, 50, "aclprof: samples of host_sys_usage a second."),
    NUMBER(
        BYTES, "storage_limit", "0B", 0, 4503599626321920,
        "aclprof: CANN removes the oldest files above this size of PROF_*; 0: no limit; at least "
        "200MB."),
    SWITCH("synchronize",
           "aclprof: wait for the devices before the profiling ends, so that what "
           "still runs is recorded; the program then waits at the end of the window."),
};

static const StrobeKind *const kinds[] = {
    &strobe_kind_device_task,  &npu_comm_kind,        &strobe_kind_api_call,
    &strobe_kind_memory_event, &npu_copy_kind,        &npu_set_kind,
    &npu_external_kind,        &npu_range_kind,       &npu_instant_kind,
    &strobe_kind_clock_sync,   &strobe_kind_metadata, &strobe_kind_diagnostic,
};

static const StrobeComponent collector = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_COLLECTOR,
    .flags = STROBE_COMPONENT_LATE_LIBRARY | STROBE_COMPONENT_INSIDE,
    .name = "npu_task",
    .summary = "Kernels, communication, calls and marks of Ascend NPUs, as CANN reports them.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .kinds = kinds,
    .n_kinds = sizeof kinds / sizeof *kinds,
    .ops = &strobe_npu_task_ops,
};

STROBE_PLUGIN(collector, .name = "npu_task", .version = STROBE_PLUGIN_VERSION,
              .summary = "Tasks of Ascend NPUs", .license = "Apache-2.0", .vendor = "Strobe");
