/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptions of the kinds in kinds-derived.h. */
#include <strobe/kinds-derived.h>

#include "kind-macros.h"

static const StrobeField kernel_detail_fields[] = {
    FIELD("task", LINK, "", "Id of the task in the capture, absent: a communication operation."),
    FIELD("step", I64, "", "Step in which it begins, absent: none."),
    FIELD("wait", F64, "ns", "Gap after the end of the previous row, absent: unknown."),
    FIELD("device", I32, "", "Device, -1: the host."),
    FIELD("task_id", U32, "", "Task id in its stream."),
    FIELD("stream", U32, "", "Stream on the device."),
    FIELD("model", U32, "", "Model, absent: none."),
    FIELD("context", U32, "", "Sub-task of a fused task, absent: none."),
    FIELD("block_num", U32, "", "Cores used."),
    FIELD("mix_block_num", U32, "", "Cores used on the other side."),
    FIELD("core", STRING, "", "Core type."),
    FIELD("op_type", STRING, "", "Operator type."),
    FIELD("op_state", STRING, "", "static or dynamic."),
    FIELD("hf32", STRING, "", "YES or NO."),
    FIELD("input_shapes", STRING, "", "Shapes."),
    FIELD("input_types", STRING, "", "Data types."),
    FIELD("input_formats", STRING, "", "Formats."),
    FIELD("output_shapes", STRING, "", "Shapes."),
    FIELD("output_types", STRING, "", "Data types."),
    FIELD("output_formats", STRING, "", "Formats."),
    FIELD("metrics", STRING, "", "Names of the values, joined by semicolons; times in ns."),
    FIELD("is_communication", BOOL, "", "1: a communication operation."),
    FIELD("exact_us", F64, "us", "Duration in the source, if it is not a whole number of ns."),
    VALUE("value_00"),
    VALUE("value_01"),
    VALUE("value_02"),
    VALUE("value_03"),
    VALUE("value_04"),
    VALUE("value_05"),
    VALUE("value_06"),
    VALUE("value_07"),
    VALUE("value_08"),
    VALUE("value_09"),
    VALUE("value_10"),
    VALUE("value_11"),
    VALUE("value_12"),
    VALUE("value_13"),
    VALUE("value_14"),
    VALUE("value_15"),
    VALUE("value_16"),
    VALUE("value_17"),
    VALUE("value_18"),
    VALUE("value_19"),
    VALUE("value_20"),
    VALUE("value_21"),
    VALUE("value_22"),
    VALUE("value_23"),
    VALUE("value_24"),
    VALUE("value_25"),
    VALUE("value_26"),
    VALUE("value_27"),
    VALUE("value_28"),
    VALUE("value_29"),
    VALUE("value_30"),
    VALUE("value_31"),
    VALUE("value_32"),
    VALUE("value_33"),
    VALUE("value_34"),
    VALUE("value_35"),
    VALUE("value_36"),
    VALUE("value_37"),
    VALUE("value_38"),
    VALUE("value_39"),
};
KIND(kernel_detail, "kernel_detail", SPAN, kernel_detail_fields,
     "One kernel or communication operation, with its step and the wait before it.");

static const StrobeField operator_device_fields[] = {
    FIELD("host_self", I64, "ns", "Duration minus that of the direct children."),
    FIELD("host_total", I64, "ns", "Duration."),
    FIELD("device_self", F64, "us", "Kernels of the operator itself, absent: none."),
    FIELD("device_total", F64, "us", "Kernels of the operator and its children, absent: none."),
    FIELD("device_self_aicore", F64, "us", "Kernels on AI cores, absent: none."),
    FIELD("device_total_aicore", F64, "us", "Kernels on AI cores, absent: none."),
    FIELD("shapes", STRING, "", "Input shapes."),
    FIELD("types", STRING, "", "Input types."),
    FIELD("stack", STACK, "", "Python call stack."),
};
KIND(operator_device, "operator_device", SPAN, operator_device_fields,
     "One occurrence of an operator with the time of its kernels.");

static const StrobeField kernel_link_fields[] = {
    FIELD("task", LINK, "", "The kernel."),
    FIELD("to_begin", I64, "ns", "Start of the kernel, since the epoch."),
    FIELD("to_track", TRACK, "", "Track of the kernel."),
};
KIND(kernel_link, "kernel_link", LINK, kernel_link_fields,
     "An operator and a kernel that it launched.");

static const StrobeField step_range_fields[] = {
    FIELD("number", I64, "", "Number of the step."),
    FIELD("host_begin", I64, "ns", "Start of the step on the host, since the epoch."),
    FIELD("device", I32, "", "Device, -1: the host."),
};
KIND(step_range, "step_range", SPAN, step_range_fields,
     "A step with the device time that belongs to it.");

static const StrobeField step_trace_fields[] = {
    FIELD("step", I64, "", "Number of the step, absent: no steps."),
    FIELD("computing", F64, "us", "Computing."),
    FIELD("communication_not_overlapped", F64, "us", "Communication alone."),
    FIELD("overlapped", F64, "us", "Computing and communication at the same time."),
    FIELD("communication", F64, "us", "Communication."),
    FIELD("free", F64, "us", "Neither computing nor communication."),
    FIELD("stage", F64, "us", "From the first to the last task, minus the wait for a neighbour."),
    FIELD("bubble", F64, "us", "Waiting for a neighbour."),
    FIELD("communication_exclude_receive", F64, "us",
          "Communication alone, minus the wait for a neighbour."),
    FIELD("preparing", F64, "us", "From the start of the step to the first task."),
    FIELD("device", I32, "", "Device, -1: the host."),
    FIELD("is_exact", BOOL, "",
          "1: computed from integer ns (the database); 0: from microseconds (the trace)."),
};
KIND(step_trace, "step_trace", SPAN, step_trace_fields,
     "Parts of the time of one step on one device.");

static const StrobeField overlap_fields[] = {
    FIELD("type", U32, "", "0 computing, 1 communication, 2 communication alone, 3 free."),
    FIELD("device", I32, "", "Device, -1: the host."),
};
KIND(overlap, "overlap", SPAN, overlap_fields,
     "A stretch of computing, communication or neither computing nor communication on a device.");

static const StrobeField op_statistic_fields[] = {
    FIELD("count", U64, "", "Kernels."),
    FIELD("total", F64, "ns", "Sum of the durations."),
    FIELD("min", F64, "ns", "Shortest."),
    FIELD("avg", F64, "ns", "Mean."),
    FIELD("max", F64, "ns", "Longest."),
    FIELD("ratio", F64, "%", "Share of all kernels of the device."),
    FIELD("core", STRING, "", "Core type."),
    FIELD("device", I32, "", "Device, -1: the host."),
};
KIND(op_statistic, "op_statistic", INSTANT, op_statistic_fields,
     "Totals of the kernels of one operator type and core.");

static const StrobeField api_statistic_fields[] = {
    FIELD("count", U64, "", "Calls."),
    FIELD("total", F64, "us", "Sum of the durations."),
    FIELD("avg", F64, "us", "Mean."),
    FIELD("min", F64, "us", "Shortest."),
    FIELD("max", F64, "us", "Longest."),
    FIELD("variance", F64, "", "Variance of the durations in microseconds."),
    FIELD("level", STRING, "", "Layer of the interface."),
};
KIND(api_statistic, "api_statistic", INSTANT, api_statistic_fields,
     "Totals of the calls of one interface function.");

static const StrobeField communication_time_fields[] = {
    FIELD("step", I64, "", "Number of the step, absent: no steps."),
    FIELD("group", STRING, "", "Hash of the communicator's name, decimal."),
    FIELD("type", STRING, "", "collective or p2p."),
    FIELD("start", F64, "us", "Start of the first task."),
    FIELD("elapse", F64, "ms", "From the first to the last task."),
    FIELD("transit", F64, "ms", "Moving data."),
    FIELD("wait", F64, "ms", "Waiting for notifications."),
    FIELD("synchronization", F64, "ms", "Waiting before the first transfer."),
    FIELD("idle", F64, "ms", "The rest."),
    FIELD("is_total", BOOL, "", "1: the sum of the operations of a step and type."),
    FIELD("device", I32, "", "Device, -1: the host."),
};
KIND(communication_time, "communication_time", INSTANT, communication_time_fields,
     "Parts of the time of one communication operation.");

static const StrobeField communication_bandwidth_fields[] = {
    FIELD("step", I64, "", "Number of the step, absent: no steps."),
    FIELD("group", STRING, "", "Hash of the communicator's name, decimal."),
    FIELD("type", STRING, "", "collective or p2p."),
    FIELD("transport", STRING, "", "RDMA, HCCS, PCIE, SDMA or SIO."),
    FIELD("transit_size", F64, "MB", "Total size."),
    FIELD("transit_time", F64, "ms", "Moving data."),
    FIELD("bandwidth", F64, "GB/s", "Size over time."),
    FIELD("large_ratio", F64, "", "Share of large packets."),
    FIELD("package_size", F64, "MB", "Size of the packets counted here, absent: no packets."),
    FIELD("package_count", U64, "", "Packets of this size."),
    FIELD("package_time", F64, "ms", "Time of the packets of this size."),
    FIELD("is_total", BOOL, "", "1: the sum of the operations of a step and type."),
    FIELD("device", I32, "", "Device, -1: the host."),
};
KIND(communication_bandwidth, "communication_bandwidth", INSTANT, communication_bandwidth_fields,
     "Data that one communication operation moved over one transport.");

static const StrobeField communication_matrix_fields[] = {
    FIELD("step", I64, "", "Number of the step, absent: no steps."),
    FIELD("group", STRING, "", "Hash of the communicator's name, decimal."),
    FIELD("type", STRING, "", "collective or p2p."),
    FIELD("source", STRING, "", "Rank of the sender."),
    FIELD("target", STRING, "", "Rank of the receiver."),
    FIELD("transport", STRING, "", "Transport."),
    FIELD("transit_size", F64, "MB", "Moved."),
    FIELD("transit_time", F64, "ms", "Moving data."),
    FIELD("bandwidth", F64, "GB/s", "Size over time."),
    FIELD("op_name", STRING, "", "Operation, 0: the total."),
    FIELD("device", I32, "", "Device, -1: the host."),
};
KIND(communication_matrix, "communication_matrix", INSTANT, communication_matrix_fields,
     "Data between two ranks over one link.");

static const StrobeField memory_block_fields[] = {
    FIELD("size", I64, "B", "Bytes."),
    FIELD("release_time", I64, "ns", "Release, absent: none."),
    FIELD("active_release_time", I64, "ns", "Release of the block, absent: none."),
    FIELD("duration", I64, "ns", "Until the release, absent: none."),
    FIELD("active_duration", I64, "ns", "Until the release of the block, absent: none."),
    FIELD("allocation_allocated", I64, "B", "Allocated after the allocation."),
    FIELD("allocation_reserved", I64, "B", "Reserved after the allocation."),
    FIELD("allocation_active", I64, "B", "Active after the allocation."),
    FIELD("release_allocated", I64, "B", "Allocated after the release."),
    FIELD("release_reserved", I64, "B", "Reserved after the release."),
    FIELD("release_active", I64, "B", "Active after the release."),
    FIELD("stream", U64, "", "Stream's address, absent: none."),
    FIELD("device", I32, "", "Device, -1: the host."),
    FIELD("component", STRING, "", "Allocator."),
};
KIND(memory_block, "memory_block", SPAN, memory_block_fields,
     "One block of device memory from allocation to release.");

static const StrobeField memory_total_fields[] = {
    FIELD("allocated", I64, "B", "Allocated, absent: not reported."),
    FIELD("reserved", I64, "B", "Reserved."),
    FIELD("active", I64, "B", "Active, absent: not reported."),
    FIELD("stream", U64, "", "Stream's address, absent: none."),
    FIELD("device", I32, "", "Device, -1: the host."),
};
KIND(memory_total, "memory_total", COUNTER, memory_total_fields,
     "Memory of a device by allocator and in sum.");

static const StrobeField correlation_fields[] = {
    FIELD("source", STRING, "", "Collector or importer that assigned the ids, 0: unknown."),
    FIELD("linked", U64, "", "Effects whose id has exactly one cause."),
    FIELD("orphan_cause", U64, "", "Causes without an effect."),
    FIELD("orphan_effect", U64, "", "Effects without an id or without a cause."),
    FIELD("ambiguous", U64, "", "Effects with several causes."),
    FIELD("violations", U64, "",
          "Linked effects that begin before their cause by more than the clock error."),
    FIELD("worst", I64, "ns", "Longest time from such an effect to its cause, absent: none."),
    FIELD("error", U64, "ns", "Clock error used for this check, absent: unknown."),
    FIELD("unchecked", U64, "", "Linked effects for which no clock gives the order."),
    FIELD("forgotten", U64, "", "Causes and effects that were dropped for lack of memory."),
};
KIND(correlation, "correlation", INSTANT, correlation_fields,
     "Number of linked causes and effects of one type.");

static const StrobeField device_clock_fields[] = {
    FIELD("pairs", U64, "",
          "Moments known on both clocks; 0: the device's times cannot be converted to host time."),
    FIELD("knots", U64, "", "Pairs that were used."),
    FIELD("error", U64, "ns", "Largest error of a time, except near jumps, absent: unknown."),
    FIELD("host_error", U64, "ns", "Largest error of a host time, absent: unknown."),
    FIELD("width", U64, "ns", "Widest reading that was used, absent: none."),
    FIELD("residual", U64, "ns",
          "Largest distance of a pair from the line through its neighbours."),
    FIELD("broken", U64, "ns", "Total time between the pairs around jumps."),
    FIELD("jumps", U32, "", "Jumps of the clock."),
    FIELD("drift", F64, "ppm", "Device time per host time minus 1, absent: unknown."),
};
KIND(device_clock, "device_clock", INSTANT, device_clock_fields,
     "Conversion of a device's clock to the host clock.");

static const StrobeField head_overhead_fields[] = {
    FIELD("step", I64, "", "Number of the step, absent: none."),
    FIELD("framework", I64, "ns", "From the entry to the inference (framework or platform)."),
    FIELD(
        "platform", I64, "ns",
        "From the step or the previous inference to the entry; not part of total; absent: no step "
        "around the entry."),
    FIELD("torchair", I64, "ns", "From the inference to the call of GE, absent: no such call."),
    FIELD("python", I64, "ns",
          "Part of torchair up to the C++ side, absent: its begin is not marked."),
    FIELD("cpp", I64, "ns", "Rest of torchair, absent: its begin is not marked."),
    FIELD("ge", I64, "ns", "From the call of GE to the end, absent: no such call."),
    FIELD("ge_to_first_kernel", I64, "ns",
          "From the call of GE to its first kernel, absent: unknown."),
    FIELD("total", I64, "ns", "From the entry to the end; for a nested inference: its duration."),
    FIELD("to_first_kernel", I64, "ns", "From the entry to the first kernel, absent: unknown."),
    FIELD("framework_share", F64, "%", "Share of the total."),
    FIELD("torchair_share", F64, "%", "Share of the total."),
    FIELD("python_share", F64, "%", "Share of the total."),
    FIELD("cpp_share", F64, "%", "Share of the total."),
    FIELD("ge_share", F64, "%", "Share of the total."),
    FIELD("python_build", I64, "ns",
          "Part of python: operators that make tensors from scalars and lists."),
    FIELD("python_contiguous", I64, "ns",
          "Part of python: operators that make tensors contiguous, and copies."),
    FIELD("python_aten", I64, "ns", "Part of python: other ATen operators."),
    FIELD("python_rest", I64, "ns", "Part of python: the rest, Python itself."),
    FIELD("cpp_inputs", I64, "ns", "Part of cpp: AssembleInputs."),
    FIELD("cpp_outputs", I64, "ns", "Part of cpp: AssembleOutputs."),
    FIELD("cpp_load", I64, "ns", "Part of cpp: LoadGraph."),
    FIELD("cpp_rest", I64, "ns", "Part of cpp: the rest, such as arguments and the stream."),
    FIELD("ge_execute", I64, "ns", "Part of ge: the call itself."),
    FIELD("ge_refresh", I64, "ns", "Part of ge: taking over its outputs."),
    FIELD("ge_rest", I64, "ns", "Part of ge: the rest."),
    FIELD("lookup", I64, "ns", "Cache lookups of the compiler from the entry to the inference."),
    FIELD("pid", U64, "", "Process."),
    FIELD("thread", U64, "", "Thread."),
    FIELD("graph", U32, "", "Number of the inference in its step, from 1; 0: nested."),
    FIELD("mode", STRING, "", "ge, aclgraph, eager or unknown."),
    FIELD("marker", STRING, "", "inference, or cache if only the cached entry is marked."),
    FIELD(
        "entry_source", STRING, "",
        "How the entry was found: pattern, cache, lookup, region, frame, step, previous, thread."),
    FIELD("error", STRING, "", "Parts that contradict each other, as text; 0: none."),
    FIELD("is_upper_bound", BOOL, "",
          "1: the entry may be later than given, so framework may be too long."),
    FIELD("is_compile", BOOL, "", "1: it compiled, loaded or captured a graph."),
    FIELD("is_nested", BOOL, "", "1: inside another inference; only its duration is known."),
};
KIND(head_overhead, "head_overhead", SPAN, head_overhead_fields,
     "One inference of a graph: framework, TorchAir (Python and C++) and GE before the first "
     "kernel.");

static const StrobeField head_overhead_step_fields[] = {
    FIELD("step", I64, "", "Number of the step."),
    FIELD("graphs", U64, "", "Inferences, without nested ones."),
    FIELD("compiled", U64, "", "Inferences that compiled a graph."),
    FIELD("framework", I64, "ns", "Sum over the inferences."),
    FIELD("platform", I64, "ns", "Sum over the inferences, absent: unknown for all."),
    FIELD("torchair", I64, "ns", "Sum over the inferences, absent: unknown for all."),
    FIELD("python", I64, "ns", "Sum over the inferences, absent: unknown for all."),
    FIELD("cpp", I64, "ns", "Sum over the inferences, absent: unknown for all."),
    FIELD("ge", I64, "ns", "Sum over the inferences, absent: unknown for all."),
    FIELD("total", I64, "ns", "Sum over the inferences."),
};
KIND(head_overhead_step, "head_overhead_step", SPAN, head_overhead_step_fields,
     "Head overhead of all inferences of one step.");

static const StrobeField head_overhead_summary_fields[] = {
    FIELD("count", U64, "", "Inferences for which the part is known."),
    FIELD("mean", F64, "ns", "Mean."),
    FIELD("median", F64, "ns", "Median."),
    FIELD("p95", F64, "ns", "95th percentile."),
    FIELD("min", F64, "ns", "Shortest."),
    FIELD("max", F64, "ns", "Longest."),
    FIELD("deviation", F64, "ns", "Standard deviation, absent for fewer than two."),
};
KIND(head_overhead_summary, "head_overhead_summary", SPAN, head_overhead_summary_fields,
     "Statistics of one part of the head overhead.");

static const StrobeField head_overhead_advice_fields[] = {
    FIELD("part", STRING, "", "Part of the head overhead."),
    FIELD("share", F64, "%", "Share of the sum of all totals; for a hint: share of the part."),
    FIELD("mean", F64, "ns", "Mean time."),
    FIELD("text", STRING, "", "Advice, or the team to ask."),
};
KIND(head_overhead_advice, "head_overhead_advice", SPAN, head_overhead_advice_fields,
     "Owners of the parts of the head overhead, and advice.");

static const StrobeField finding_fields[] = {
    FIELD("severity", STRING, "", "high, medium, low, or unknown."),
    FIELD("share", F64, "%", "Share of the time of all steps, absent: not a share of time."),
    FIELD("confidence", F64, "%", "Confidence in the finding."),
    FIELD("count", U64, "", "Number of records that support it."),
    FIELD("summary", STRING, "", "What was found, in one sentence."),
    FIELD("evidence", STRING, "", "The most important names or values."),
    FIELD("table", STRING, "", "Kind of the records that support it."),
    FIELD("advice", STRING, "", "What to do."),
};
KIND(finding, "finding", SPAN, finding_fields, "A cause of lost time, with advice.");

static const StrobeField step_part_fields[] = {
    FIELD("number", I64, "", "Number of the step, -1: the whole window."),
    FIELD("duration", I64, "ns", "Duration of the step."),
    FIELD("gc", I64, "ns", "Garbage collection, of any thread."),
    FIELD("data", I64, "ns", "Waiting for data."),
    FIELD("synchronization", I64, "ns", "Waiting for a device."),
    FIELD("compile", I64, "ns", "Compiling graphs or kernels."),
    FIELD("operators", I64, "ns", "Operators."),
    FIELD("python", I64, "ns", "Python functions, as far as calls were recorded."),
    FIELD("other", I64, "ns", "The rest."),
};
KIND(step_part, "step_part", SPAN, step_part_fields,
     "Parts of the time of one step on its thread.");
