/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptions of the kinds in kinds-derived.h. */
#include <strobe/kinds-derived.h>

#include "kind-macros.h"

static const StrobeField kernel_detail_fields[] = {
    FIELD("task", LINK, "", "Id of the task in the capture, absent: a communication operation."),
    FIELD("step", I64, "", "Step that holds its begin, absent: none."),
    FIELD("wait", F64, "ns", "Gap since the end of the row before, absent: not known."),
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
    FIELD("exact_us", F64, "us",
          "Duration as the source states it, where that is no whole number of ns."),
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
    FIELD("host_self", I64, "ns", "Duration less that of the direct children."),
    FIELD("host_total", I64, "ns", "Duration."),
    FIELD("device_self", F64, "us", "Kernels of the operator itself, absent: none."),
    FIELD("device_total", F64, "us", "Kernels of it and what it called, absent: none."),
    FIELD("device_self_aicore", F64, "us", "Those on AI cores, absent: none."),
    FIELD("device_total_aicore", F64, "us", "Those on AI cores, absent: none."),
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
    FIELD("overlapped", F64, "us", "Computing and communication at once."),
    FIELD("communication", F64, "us", "Communication."),
    FIELD("free", F64, "us", "Neither."),
    FIELD("stage", F64, "us", "From first to last, less waiting for a neighbour."),
    FIELD("bubble", F64, "us", "Waiting for a neighbour."),
    FIELD("communication_exclude_receive", F64, "us",
          "Communication alone, less waiting for a neighbour."),
    FIELD("preparing", F64, "us", "From the start of the step to the first task."),
    FIELD("device", I32, "", "Device, -1: the host."),
    FIELD("is_exact", BOOL, "",
          "1: from integer ns (the database); 0: from the trace's microseconds."),
};
KIND(step_trace, "step_trace", SPAN, step_trace_fields,
     "Where the time of one step went on one device.");

static const StrobeField overlap_fields[] = {
    FIELD("type", U32, "", "0 computing, 1 communication, 2 communication alone, 3 free."),
    FIELD("device", I32, "", "Device, -1: the host."),
};
KIND(overlap, "overlap", SPAN, overlap_fields,
     "A stretch of computing, communication or neither on a device.");

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
    FIELD("elapse", F64, "ms", "From first to last."),
    FIELD("transit", F64, "ms", "Moving data."),
    FIELD("wait", F64, "ms", "Waiting for notifications."),
    FIELD("synchronization", F64, "ms", "Waiting before the first transfer."),
    FIELD("idle", F64, "ms", "The rest."),
    FIELD("is_total", BOOL, "", "1: the sum of the operations of a step and type."),
    FIELD("device", I32, "", "Device, -1: the host."),
};
KIND(communication_time, "communication_time", INSTANT, communication_time_fields,
     "Where the time of one communication operation went.");

static const StrobeField communication_bandwidth_fields[] = {
    FIELD("step", I64, "", "Number of the step, absent: no steps."),
    FIELD("group", STRING, "", "Hash of the communicator's name, decimal."),
    FIELD("type", STRING, "", "collective or p2p."),
    FIELD("transport", STRING, "", "RDMA, HCCS, PCIE, SDMA or SIO."),
    FIELD("transit_size", F64, "MB", "Moved in all."),
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
     "What one communication operation moved over one transport.");

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
    FIELD("op_name", STRING, "", "Operation that the numbers are of, 0: a total."),
    FIELD("device", I32, "", "Device, -1: the host."),
};
KIND(communication_matrix, "communication_matrix", INSTANT, communication_matrix_fields,
     "What went over one link between two ranks.");

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
    FIELD("allocated", I64, "B", "Allocated, absent: not told."),
    FIELD("reserved", I64, "B", "Reserved."),
    FIELD("active", I64, "B", "Active, absent: not told."),
    FIELD("stream", U64, "", "Stream's address, absent: none."),
    FIELD("device", I32, "", "Device, -1: the host."),
};
KIND(memory_total, "memory_total", COUNTER, memory_total_fields,
     "Memory of a device by allocator and in sum.");

static const StrobeField correlation_fields[] = {
    FIELD("source", STRING, "", "Collector or importer whose ids these are, 0: not known."),
    FIELD("linked", U64, "", "Effects with the one cause that their id names."),
    FIELD("orphan_cause", U64, "", "Causes whose id no effect has."),
    FIELD("orphan_effect", U64, "", "Effects without an id, or with one that no cause has."),
    FIELD("ambiguous", U64, "", "Effects whose id several causes have."),
    FIELD("violations", U64, "", "Of linked: begun before their cause beyond the clocks' error."),
    FIELD("worst", I64, "ns", "The most by which one did, absent: none did."),
    FIELD("error", U64, "ns", "Error of the clocks that was allowed for, absent: not known."),
    FIELD("unchecked", U64, "", "Of linked: no clock says which came first."),
    FIELD("forgotten", U64, "", "Causes and effects that there was no room to remember."),
};
KIND(correlation, "correlation", INSTANT, correlation_fields,
     "How many causes and effects of one type found each other.");

static const StrobeField device_clock_fields[] = {
    FIELD("pairs", U64, "", "Moments in both clocks, 0: its times have no place on the host's."),
    FIELD("knots", U64, "", "Of these, used."),
    FIELD("error", U64, "ns", "No time outside of jumps is off by more, absent: not known."),
    FIELD("host_error", U64, "ns", "Of a time of the host, absent: not known."),
    FIELD("width", U64, "ns", "The widest reading that was used, absent: none."),
    FIELD("residual", U64, "ns",
          "The most by which a pair lies off the line through its neighbours."),
    FIELD("broken", U64, "ns", "Between the pairs around jumps."),
    FIELD("jumps", U32, "", "Of the clock."),
    FIELD("drift", F64, "ppm", "Device time per host time less 1, absent: not known."),
};
KIND(device_clock, "device_clock", INSTANT, device_clock_fields,
     "How a device's clock was placed on the host's.");

static const StrobeField head_overhead_fields[] = {
    FIELD("step", I64, "", "Number of the step, absent: none."),
    FIELD("framework", I64, "ns", "From the entry to the inference: framework or platform."),
    FIELD("platform", I64, "ns",
          "From the step or the inference before to the entry, in no sum; absent: no step around "
          "the entry."),
    FIELD("torchair", I64, "ns", "From the inference to the call of GE, absent: no such call."),
    FIELD("python", I64, "ns", "Of torchair: up to the C++ side, absent: its begin is not marked."),
    FIELD("cpp", I64, "ns", "Of torchair: the rest, absent: its begin is not marked."),
    FIELD("ge", I64, "ns", "From the call of GE to the end, absent: no such call."),
    FIELD("ge_to_first_kernel", I64, "ns",
          "From the call of GE to its first kernel, absent: not known."),
    FIELD("total", I64, "ns", "From the entry to the end; of a nested inference its duration."),
    FIELD("to_first_kernel", I64, "ns", "From the entry to the first kernel, absent: not known."),
    FIELD("framework_share", F64, "%", "Of the total."),
    FIELD("torchair_share", F64, "%", "Of the total."),
    FIELD("python_share", F64, "%", "Of the total."),
    FIELD("cpp_share", F64, "%", "Of the total."),
    FIELD("ge_share", F64, "%", "Of the total."),
    FIELD("python_build", I64, "ns",
          "Of python: operators that make tensors of scalars and lists."),
    FIELD("python_contiguous", I64, "ns",
          "Of python: operators that make tensors contiguous, and copies."),
    FIELD("python_aten", I64, "ns", "Of python: other ATen operators."),
    FIELD("python_rest", I64, "ns", "Of python: the rest, Python itself."),
    FIELD("cpp_inputs", I64, "ns", "Of cpp: AssembleInputs."),
    FIELD("cpp_outputs", I64, "ns", "Of cpp: AssembleOutputs."),
    FIELD("cpp_load", I64, "ns", "Of cpp: LoadGraph."),
    FIELD("cpp_rest", I64, "ns", "Of cpp: the rest, such as arguments and the stream."),
    FIELD("ge_execute", I64, "ns", "Of ge: the call itself."),
    FIELD("ge_refresh", I64, "ns", "Of ge: taking over its outputs."),
    FIELD("ge_rest", I64, "ns", "Of ge: the rest."),
    FIELD("lookup", I64, "ns", "Cache lookups of the compiler from the entry to the inference."),
    FIELD("pid", U64, "", "Process."),
    FIELD("thread", U64, "", "Thread."),
    FIELD("graph", U32, "", "Place among the inferences of its step, from 1; 0: nested."),
    FIELD("mode", STRING, "", "Ge, aclgraph, eager or unknown."),
    FIELD("marker", STRING, "", "Inference, or cache where only the cached entry is marked."),
    FIELD("entry_source", STRING, "",
          "What the entry was told by: pattern, cache, lookup, region, frame, step, previous, "
          "thread."),
    FIELD("error", STRING, "", "Parts that do not fit together, in words; 0: none."),
    FIELD("is_upper_bound", BOOL, "",
          "1: the entry is no later than told, so that framework may be too long."),
    FIELD("is_compile", BOOL, "", "1: it compiled, loaded or captured a graph."),
    FIELD("is_nested", BOOL, "", "1: inside another inference: only its duration is told."),
};
KIND(head_overhead, "head_overhead", SPAN, head_overhead_fields,
     "One inference of a graph: framework, TorchAir (Python and C++) and GE before the first "
     "kernel.");

static const StrobeField head_overhead_step_fields[] = {
    FIELD("step", I64, "", "Number of the step."),
    FIELD("graphs", U64, "", "Inferences, without nested ones."),
    FIELD("compiled", U64, "", "Of these, that compiled a graph."),
    FIELD("framework", I64, "ns", "Sum over the inferences."),
    FIELD("platform", I64, "ns", "Sum over the inferences, absent: not known of any."),
    FIELD("torchair", I64, "ns", "Sum over the inferences, absent: not known of any."),
    FIELD("python", I64, "ns", "Sum over the inferences, absent: not known of any."),
    FIELD("cpp", I64, "ns", "Sum over the inferences, absent: not known of any."),
    FIELD("ge", I64, "ns", "Sum over the inferences, absent: not known of any."),
    FIELD("total", I64, "ns", "Sum over the inferences."),
};
KIND(head_overhead_step, "head_overhead_step", SPAN, head_overhead_step_fields,
     "Head overhead of all inferences of one step.");

static const StrobeField head_overhead_summary_fields[] = {
    FIELD("count", U64, "", "Inferences of which the part is known."),
    FIELD("mean", F64, "ns", "Mean."),
    FIELD("median", F64, "ns", "Median."),
    FIELD("p95", F64, "ns", "95 % are no longer."),
    FIELD("min", F64, "ns", "Shortest."),
    FIELD("max", F64, "ns", "Longest."),
    FIELD("deviation", F64, "ns", "Standard deviation, absent: of fewer than two."),
};
KIND(head_overhead_summary, "head_overhead_summary", SPAN, head_overhead_summary_fields,
     "Statistics of one part of the head overhead.");

static const StrobeField head_overhead_advice_fields[] = {
    FIELD("part", STRING, "", "Part that it is about."),
    FIELD("share", F64, "%", "Of the sum of all totals; of a hint: of the part."),
    FIELD("mean", F64, "ns", "Mean of what it is about."),
    FIELD("text", STRING, "", "What to do, or whom to ask."),
};
KIND(head_overhead_advice, "head_overhead_advice", SPAN, head_overhead_advice_fields,
     "Who owns the parts of the head overhead, and what to do.");

static const StrobeField finding_fields[] = {
    FIELD("severity", STRING, "", "high, medium, low; unknown: it cannot be told."),
    FIELD("share", F64, "%", "Of the time of all steps, absent: not a share of time."),
    FIELD("confidence", F64, "%", "How sure it is."),
    FIELD("count", U64, "", "Records that it rests on."),
    FIELD("summary", STRING, "", "What was found, in one sentence."),
    FIELD("evidence", STRING, "", "The names or values that weigh most."),
    FIELD("table", STRING, "", "Kind of the records that it rests on."),
    FIELD("advice", STRING, "", "What to do."),
};
KIND(finding, "finding", SPAN, finding_fields, "What cost the program time, and what to do.");

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
     "Where the time of one step went on its thread.");
