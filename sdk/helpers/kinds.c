/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Descriptions of the standard kinds. The fields are in the order of the struct's members;
 * padding members ("reserved") are not fields, because natural alignment leaves room for them.
 */
#include <string.h>
#include <strobe/kinds.h>

#include "kind-macros.h"

static const StrobeField step_fields[] = {
    FIELD("number", I64, "", "Number of the step."),
    FIELD("thread", U64, "", "Kernel id of the thread that announced the step."),
};
KIND(step, "step", SPAN, step_fields, "One iteration that the program announced.");

static const StrobeField cpu_op_fields[] = {
    FIELD("sequence", I64, "", "Autograd sequence number, -1 if there is none."),
    FIELD("forward_thread", U64, "",
          "Framework's id of the thread that ran the forward operator, 0 outside backward."),
    FIELD("shapes", STRING, "", "Input shapes, one entry per input, joined by ';'."),
    FIELD("types", STRING, "", "Input types, one entry per input, joined by ';'."),
    FIELD("stack", STACK, "", "Python call stack."),
    FIELD("scope", U8, "", "Record scope of the framework: 0 function, 1 backward, 7 user range."),
    FIELD("is_async", BOOL, "", "Ended on another thread; ignored in the nesting of operators."),
    FIELD("logical_thread", U64, "",
          "Framework's id of the thread that ran the operator, as in forward_thread; 0: unknown."),
};
KIND(cpu_op, "cpu_op", SPAN, cpu_op_fields, "One operator that the framework ran.");

static const StrobeField gc_fields[] = {
    FIELD("generation", U32, "", "Generation that was collected."),
    FIELD("collected", U64, "", "Objects that were freed."),
    FIELD("uncollectable", U64, "", "Objects that could not be freed."),
};
KIND(gc, "gc", SPAN, gc_fields, "One collection of the interpreter's garbage collector.");

static const StrobeField marker_fields[] = {
    FIELD("argument", U64, "", "Number passed with the mark."),
};
KIND(marker, "marker", SPAN, marker_fields, "A range that the program marked.");
KIND(marker_instant, "marker_instant", INSTANT, marker_fields,
     "An instant that the program marked.");

static const StrobeField counter_fields[] = {
    FIELD("value", F64, "", "Value at this moment."),
};
KIND(counter, "counter", COUNTER, counter_fields, "A value that the program reported.");

static const StrobeField host_cpu_fields[] = {
    FIELD("usage", F64, "%",
          "Processor use since the previous sample, in percent of one processor."),
    FIELD("user", F64, "%", "Share in user mode."),
    FIELD("system", F64, "%", "Share in the kernel."),
    FIELD("processors", U32, "", "Processors that the process may use."),
    FIELD("threads", U32, "", "Threads of the process."),
    FIELD("wait", F64, "%",
          "Time in which ready threads waited for a processor, in percent of one processor; "
          "absent: unknown for some thread."),
};
KIND(host_cpu, "host_cpu", COUNTER, host_cpu_fields, "Processor use of the process.");

static const StrobeField host_mem_fields[] = {
    FIELD("usage", F64, "%", "Resident set as a share of the machine's memory."),
    FIELD("resident", U64, "B", "Resident set."),
    FIELD("virtual_size", U64, "B", "Address space."),
    FIELD("shared", U64, "B", "Resident memory that is shared or backed by files."),
    FIELD("swap", U64, "B", "Memory of the process that is paged out."),
    FIELD(
        "pss", U64, "B",
        "Resident memory, each shared page divided by its number of users; absent: not requested."),
    FIELD("minor_faults", U64, "", "Page faults without input since the previous sample."),
    FIELD("major_faults", U64, "", "Page faults with input since the previous sample."),
    FIELD("cgroup_usage", U64, "B", "Memory of the process's control group."),
    FIELD("cgroup_limit", U64, "B", "Limit of the control group, absent: none."),
    FIELD("available", U64, "B", "Memory of the machine that is available without paging out."),
};
KIND(host_mem, "host_mem", COUNTER, host_mem_fields, "Memory of the process.");

static const StrobeField metadata_fields[] = {
    FIELD("value", STRING, "", "The value, as text or as JSON."),
    FIELD("is_json", BOOL, "", "The value is JSON."),
};
KIND(metadata, "metadata", INSTANT, metadata_fields,
     "One metadata value of the run, named by its key.");

static const StrobeField loss_fields[] = {
    FIELD("count", U64, "", "Records that were lost."),
    FIELD("cause", U32, "", "Why the records were lost, STROBE_LOSS_*."),
    FIELD("thread", TRACK, "", "Track of the thread that lost the records."),
};
KIND(loss, "loss", SPAN, loss_fields, "Records that were lost, by cause and thread.");

static const StrobeField collector_call_fields[] = {
    FIELD("status", I64, "", "Status that the call returned."),
};
KIND(collector_call, "collector_call", SPAN, collector_call_fields,
     "Cost of Strobe itself: one call into a collector, or work of the writer.");

static const StrobeField diagnostic_fields[] = {
    FIELD("text", STRING, "", "A failure or limitation."),
    FIELD("level", U32, "", "Severity: 1 error, 2 warning, 3 information, 4 debugging."),
};
KIND(diagnostic, "diagnostic", INSTANT, diagnostic_fields,
     "A failure or limitation in this result, named by the component.");

static const StrobeField operator_detail_fields[] = {
    FIELD("host_total", I64, "ns", "Duration of the operator."),
    FIELD("host_self", I64, "ns", "Duration minus that of the direct children."),
    FIELD("sequence", I64, "", "Autograd sequence number, -1 if there is none."),
    FIELD("forward_thread", U64, "",
          "Framework's id of the thread that ran the forward operator, 0 outside backward."),
    FIELD("shapes", STRING, "", "Input shapes, one entry per input, joined by ';'."),
    FIELD("types", STRING, "", "Input types, one entry per input, joined by ';'."),
    FIELD("stack", STACK, "", "Python call stack."),
    FIELD("children", U32, "", "Direct children."),
    FIELD("scope", U8, "", "Record scope of the framework: 0 function, 1 backward, 7 user range."),
    FIELD("is_async", BOOL, "", "Ended on another thread; ignored in the nesting of operators."),
    FIELD("is_top", BOOL, "", "No operator of its thread encloses it."),
};
KIND(operator_detail, "operator_detail", SPAN, operator_detail_fields,
     "One occurrence of an operator with its self time.");

static const StrobeField operator_link_fields[] = {
    FIELD("sequence", I64, "", "Autograd sequence number that both operators carry."),
    FIELD("to_begin", I64, "ns", "Start of the backward operator, since the epoch."),
    FIELD("to_track", TRACK, "", "Track of the backward operator."),
};
KIND(operator_link, "operator_link", LINK, operator_link_fields,
     "A forward operator and the backward operator that it caused.");

static const StrobeField operator_average_fields[] = {
    FIELD("calls", U64, "", "Occurrences."),
    FIELD("host_self", I64, "ns", "Sum of the self times."),
    FIELD("host_total", I64, "ns", "Sum of the durations."),
    FIELD("host_min", I64, "ns", "Shortest duration."),
    FIELD("host_max", I64, "ns", "Longest duration."),
    FIELD("host_average", F64, "ns", "Mean duration."),
    FIELD("self_share", F64, "%", "Share of the self time of all operators."),
    FIELD("shapes", STRING, "", "Input shapes, when grouped by shape."),
};
KIND(operator_average, "operator_average", INSTANT, operator_average_fields,
     "Totals of all operators of one name.");

static const StrobeField step_summary_fields[] = {
    FIELD("number", I64, "", "Number of the step, -1: outside every step."),
    FIELD("duration", I64, "ns", "Duration of the step."),
    FIELD("operators", U64, "", "Operators that began in the step."),
    FIELD("operator_self", I64, "ns", "Self time of these operators, all threads."),
    FIELD("gc", I64, "ns", "Time of the garbage collections that began in the step."),
    FIELD("markers", U64, "", "Markers that began in the step."),
};
KIND(step_summary, "step_summary", SPAN, step_summary_fields, "Totals of one step.");

static const StrobeField stack_total_fields[] = {
    FIELD("host_self", I64, "ns", "Sum of the self times."),
    FIELD("calls", U64, "", "Occurrences."),
    FIELD("path", STACK, "", "The call path, innermost first."),
    FIELD("device_self", F64, "us", "Kernels launched there, absent: none."),
};
KIND(stack_total, "stack_total", INSTANT, stack_total_fields, "Time by operator or call path.");

static const StrobeField function_fields[] = {
    FIELD("source", STRING, "",
          "Kind of the records in which it was found: cpu_sample, cpu_sample.wait, python_call, "
          "heap.block."),
    FIELD("location", STRING, "", "Source file and line where most of it was found."),
    FIELD("count", U64, "", "Samples, calls, or blocks, of the function itself."),
    FIELD("self", I64, "ns", "Time of the function itself; absent for heap.block."),
    FIELD("total", I64, "ns",
          "Time of the function and those that it called; absent for heap.block."),
    FIELD("self_bytes", I64, "B", "Allocated by the function itself; only for heap.block."),
    FIELD("total_bytes", I64, "B", "Allocated by the function and those that it called."),
    FIELD("self_share", F64, "%", "Share of the total of its source."),
    FIELD("total_share", F64, "%", "The same share, including called functions."),
};
KIND(function, "function", INSTANT, function_fields,
     "Time or memory of one function on all threads.");

static const StrobeField call_path_fields[] = {
    FIELD("source", STRING, "",
          "Kind of the records in which it was found: cpu_sample, cpu_sample.wait, python_call."),
    FIELD("path", STACK, "", "Functions, innermost first, then the thread's name (not for calls)."),
    FIELD("time", I64, "ns", "Time on the path; for calls: self time of the innermost function."),
    FIELD("count", U64, "", "Samples, waits, or calls."),
};
KIND(call_path, "call_path", INSTANT, call_path_fields, "Time on one path of functions.");

const StrobeKind *const strobe_standard_kinds[] = {
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
    &strobe_kind_sampling,
    &strobe_kind_api_call,
    &strobe_kind_task_queue,
    &strobe_kind_python_call,
    &strobe_kind_device_task,
    &strobe_kind_device_pmu,
    &strobe_kind_comm_op,
    &strobe_kind_comm_task,
    &strobe_kind_memory_event,
    &strobe_kind_memory_usage,
    &strobe_kind_module_memory,
    &strobe_kind_nic,
    &strobe_kind_roce,
    &strobe_kind_mac,
    &strobe_kind_pcie,
    &strobe_kind_hccs,
    &strobe_kind_hbm,
    &strobe_kind_ddr,
    &strobe_kind_llc,
    &strobe_kind_qos,
    &strobe_kind_sio,
    &strobe_kind_core_frequency,
    &strobe_kind_acc_pmu,
    &strobe_kind_soc_bandwidth,
    &strobe_kind_l2_cache,
    &strobe_kind_soc_pmu,
    &strobe_kind_aicpu,
    &strobe_kind_usage,
    &strobe_kind_os_call,
    &strobe_kind_flow_point,
    &strobe_kind_device_info,
    &strobe_kind_clock_sync,
    &strobe_kind_host_thread,
    &strobe_kind_host_core,
    &strobe_kind_host_disk,
    &strobe_kind_host_net,
    &strobe_kind_host_pressure,
    &strobe_kind_host_throttle,
    &strobe_kind_cpu_sample,
    &strobe_kind_operator_detail,
    &strobe_kind_operator_link,
    &strobe_kind_operator_average,
    &strobe_kind_step_summary,
    &strobe_kind_stack_total,
    &strobe_kind_function,
    &strobe_kind_call_path,
    &strobe_kind_kernel_detail,
    &strobe_kind_operator_device,
    &strobe_kind_kernel_link,
    &strobe_kind_step_range,
    &strobe_kind_step_trace,
    &strobe_kind_overlap,
    &strobe_kind_op_statistic,
    &strobe_kind_api_statistic,
    &strobe_kind_communication_time,
    &strobe_kind_communication_bandwidth,
    &strobe_kind_communication_matrix,
    &strobe_kind_memory_block,
    &strobe_kind_memory_total,
    &strobe_kind_correlation,
    &strobe_kind_device_clock,
    &strobe_kind_head_overhead,
    &strobe_kind_head_overhead_step,
    &strobe_kind_head_overhead_summary,
    &strobe_kind_head_overhead_advice,
    &strobe_kind_finding,
    &strobe_kind_step_part,
    NULL,
};

const char *strobe_loss_name(uint32_t cause)
{
    static const char *const names[STROBE_LOSS_CAUSES] = {
        [STROBE_LOSS_POOL_EMPTY] = "pool_empty",
        [STROBE_LOSS_DISK_FULL] = "disk_full",
        [STROBE_LOSS_TOO_LARGE] = "too_large",
        [STROBE_LOSS_NESTED] = "nested",
        [STROBE_LOSS_LATE] = "late",
        [STROBE_LOSS_COLLECTOR_FAILED] = "collector_failed",
        [STROBE_LOSS_NO_THREAD_BUFFER] = "no_thread_buffer",
        [STROBE_LOSS_SPAN_DEPTH] = "span_depth",
        [STROBE_LOSS_STRING_CUT] = "string_cut",
        [STROBE_LOSS_COLLECTOR_DROPPED] = "collector_dropped",
        [STROBE_LOSS_OVERWRITTEN] = "overwritten",
        [STROBE_LOSS_WRITER_GONE] = "writer_gone",
    };

    return cause < STROBE_LOSS_CAUSES ? names[cause] : NULL;
}

uint32_t strobe_kind_offset(const StrobeKind *kind, uint32_t index)
{
    uint32_t offset = 0;

    for (uint32_t i = 0; i < kind->n_fields; i++) {
        uint32_t size = strobe_field_size(kind->fields[i].type);

        if (!size)
            return UINT32_MAX;
        offset = (offset + size - 1) & ~(size - 1);
        if (i == index)
            return offset;
        offset += size;
    }
    return offset;
}

void strobe_field_put_absent(void *at, uint32_t type)
{
    static const int64_t least = STROBE_ABSENT_I64;
    static const int32_t least32 = STROBE_ABSENT_I32;
    const double nothing = STROBE_ABSENT_F64;

    switch (type) {
    case STROBE_FIELD_U64:
    case STROBE_FIELD_LINK:
    case STROBE_FIELD_U32:
        memset(at, 0xff, strobe_field_size(type));
        break;
    case STROBE_FIELD_I64:
        memcpy(at, &least, sizeof least);
        break;
    case STROBE_FIELD_I32:
        memcpy(at, &least32, sizeof least32);
        break;
    case STROBE_FIELD_F64:
        memcpy(at, &nothing, sizeof nothing);
        break;
    default:
        memset(at, 0, strobe_field_size(type));
    }
}
