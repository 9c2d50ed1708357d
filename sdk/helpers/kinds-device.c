/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptions of the kinds in kinds-device.h. */
#include <strobe/kinds-device.h>

#include "kind-macros.h"

static const StrobeField api_call_fields[] = {
    FIELD("level", STRING, "",
          "Layer of the interface, such as acl, runtime, node, model, communication, opencl."),
    FIELD("mode", STRING, "", "Type of call within its level, such as ACL_OP, launch."),
    FIELD("item", STRING, "", "Subject of the call, such as the operator that it launches."),
    FIELD("connection", LINK, "", "Id that this call shares with the tasks that it caused."),
    FIELD("exact_us", F64, "us", "Duration in the source, if it is not a whole number of ns."),
};
KIND(api_call, "api_call", SPAN, api_call_fields,
     "One call into a driver, runtime or library interface.");

static const StrobeField task_queue_fields[] = {
    FIELD("correlation", LINK, "", "Id that both sides share."),
    FIELD("is_dequeue", BOOL, "", "0: enqueued; 1: dequeued and run."),
};
KIND(task_queue, "task_queue", SPAN, task_queue_fields,
     "One side of the framework's task queue: enqueue or dequeue of a task.");

static const StrobeField python_call_fields[] = {
    FIELD("id", LINK, "", "Id of the call in its thread."),
    FIELD("parent", LINK, "", "Id of the enclosing call, 0: none."),
    FIELD("module", I64, "", "Number of the nn.Module instance of its class, absent: no module."),
};
KIND(python_call, "python_call", SPAN, python_call_fields, "One call of a Python function.");

static const StrobeField device_task_fields[] = {
    FIELD("task", LINK, "", "Id of the task in the capture."),
    FIELD("connection", LINK, "", "Id of the call that caused it, absent: none."),
    FIELD("batch", U32, "", "Batch of task ids."),
    FIELD("task_id", U32, "", "Task id in its stream."),
    FIELD("stream", U32, "", "Stream on the device."),
    FIELD("context", U32, "", "Sub-task of a fused task, absent: none."),
    FIELD("model", U32, "", "Model, absent: none."),
    FIELD("block_num", U32, "", "Cores used."),
    FIELD("mix_block_num", U32, "", "Cores used on the other side of a mixed task."),
    FIELD("task_type", STRING, "", "Task type in the device's terms."),
    FIELD("host_type", STRING, "", "Task type in the host's terms."),
    FIELD("core", STRING, "", "Core type, such as AI_CORE, AI_VECTOR_CORE, MIX_AIC, AI_CPU."),
    FIELD("op_type", STRING, "", "Operator type."),
    FIELD("op_state", STRING, "", "static or dynamic."),
    FIELD("hf32", STRING, "", "YES or NO: may use HF32."),
    FIELD("input_shapes", STRING, "", "Shapes, joined by semicolons, with the source's quotes."),
    FIELD("input_types", STRING, "", "Data types, joined by semicolons."),
    FIELD("input_formats", STRING, "", "Formats, joined by semicolons."),
    FIELD("output_shapes", STRING, "", "Shapes, joined by semicolons, with the source's quotes."),
    FIELD("output_types", STRING, "", "Data types, joined by semicolons."),
    FIELD("output_formats", STRING, "", "Formats, joined by semicolons."),
    FIELD("attributes", STRING, "", "Attributes of the operator."),
    FIELD("grid_dim", STRING, "", "Grid of a SIMT kernel."),
    FIELD("block_dim", STRING, "", "Block of a SIMT kernel."),
    FIELD("copy_bytes", U64, "B", "Size of a copy."),
    FIELD("copy_direction", STRING, "", "Direction of a copy, such as host to device."),
    FIELD("copy_bandwidth", F64, "GB/s", "Bandwidth of a copy."),
    FIELD("is_kernel", BOOL, "",
          "Has operator information: it is a kernel, not a copy or an event."),
    FIELD("exact_us", F64, "us", "Duration in the source, if it is not a whole number of ns."),
};
KIND(device_task, "device_task", SPAN, device_task_fields, "One task on a device.");

static const StrobeField device_pmu_fields[] = {
    FIELD("task", LINK, "", "Task that the metrics belong to."),
    FIELD("metrics", STRING, "", "Names of the values, joined by semicolons; times in ns."),
    FIELD("frequency", U32, "MHz", "Clock of the cores, absent: unknown."),
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
    VALUE("value_40"),
    VALUE("value_41"),
    VALUE("value_42"),
    VALUE("value_43"),
    VALUE("value_44"),
    VALUE("value_45"),
    VALUE("value_46"),
    VALUE("value_47"),
};
KIND(device_pmu, "device_pmu", SPAN, device_pmu_fields,
     "Metrics that a device counted during one task.");

static const StrobeField comm_op_fields[] = {
    FIELD("op", LINK, "", "Id of the operation in the capture."),
    FIELD("connection", LINK, "", "Id of the call that caused it, absent: none."),
    FIELD("count", U64, "", "Elements."),
    FIELD("model", U32, "", "Model, absent: none."),
    FIELD("rank_size", U32, "", "Ranks in the group, absent: unknown."),
    FIELD("relay", U32, "", "1: relayed; absent: unknown."),
    FIELD("retry", U32, "", "1: repeated; absent: unknown."),
    FIELD("group", STRING, "", "Name of the communicator."),
    FIELD("op_type", STRING, "", "Operator type, such as hcom_allReduce_."),
    FIELD("algorithm", STRING, "", "Algorithm, such as MESH-RING."),
    FIELD("data_type", STRING, "", "Data type."),
    FIELD("exact_us", F64, "us", "Duration in the source, if it is not a whole number of ns."),
};
KIND(comm_op, "comm_op", SPAN, comm_op_fields, "One communication operation.");

static const StrobeField comm_task_fields[] = {
    FIELD("op", LINK, "", "Operation that it belongs to."),
    FIELD("task", LINK, "", "Device task that carries it out, absent: none."),
    FIELD("connection", LINK, "", "Id of the call that caused it, absent: none."),
    FIELD("size", U64, "B", "Bytes moved."),
    FIELD("notify", STRING, "", "Notification that is sent or awaited."),
    FIELD("estimated", F64, "us", "Estimated duration."),
    FIELD("bandwidth", F64, "GB/s", "Bytes over time."),
    FIELD("plane", U32, "", "Communication plane."),
    FIELD("stream", U32, "", "Stream on the device."),
    FIELD("task_id", U32, "", "Task id in its stream."),
    FIELD("context", U32, "", "Sub-task of a fused task, absent: none."),
    FIELD("batch", U32, "", "Batch of task ids."),
    FIELD("model", U32, "", "Model, absent: none."),
    FIELD("source_rank", U32, "", "Sender, absent: none."),
    FIELD("target_rank", U32, "", "Receiver, absent: none."),
    FIELD("is_master", U32, "", "1: on the plane whose times are used; absent: unknown."),
    FIELD("group", STRING, "", "Name of the communicator."),
    FIELD("transport", STRING, "", "Transport, such as SDMA, RDMA."),
    FIELD("link_type", STRING, "", "Link, such as HCCS_SW, ON_CHIP."),
    FIELD("rdma_type", STRING, "", "Type of RDMA task."),
    FIELD("data_type", STRING, "", "Data type."),
    FIELD("exact_us", F64, "us", "Duration in the source, if it is not a whole number of ns."),
};
KIND(comm_task, "comm_task", SPAN, comm_task_fields,
     "One transfer or wait of a communication operation.");

static const StrobeField memory_event_fields[] = {
    FIELD("address", U64, "", "Address, absent: unknown."),
    FIELD("size", I64, "B", "Bytes taken, negative: given back; absent: unknown."),
    FIELD("total_allocated", I64, "B", "Allocated after the event."),
    FIELD("total_reserved", I64, "B", "Reserved after the event."),
    FIELD("total_active", I64, "B", "Active after the event."),
    FIELD("stream", U64, "", "Stream's address, absent: none."),
    FIELD("action", U32, "", "0 allocation, 1 release, 2 release of the block, 3 state only."),
    FIELD("device", I32, "", "Device, -1: the host."),
    FIELD("component", STRING, "", "Allocator: PTA, GE, WORKSPACE ..."),
    FIELD("block", LINK, "", "Id of the allocation, absent: the address is the id."),
};
KIND(memory_event, "memory_event", MEMORY, memory_event_fields,
     "One allocation or release of device memory.");

static const StrobeField memory_usage_fields[] = {
    FIELD("ddr", I64, "B", "DDR in use."),
    FIELD("hbm", I64, "B", "HBM in use."),
    FIELD("device", I32, "", "Device, -1: the host."),
};
KIND(memory_usage, "memory_usage", COUNTER, memory_usage_fields, "Memory in use on a device.");

static const StrobeField module_memory_fields[] = {
    FIELD("reserved", I64, "B", "Reserved bytes; negative: the device did not report them."),
    FIELD("module", U32, "", "Number of the part, absent: unknown."),
    FIELD("device", I32, "", "Device, -1: the host."),
};
KIND(module_memory, "module_memory", COUNTER, module_memory_fields,
     "Memory that one part of the system reserved on a device.");

static const StrobeField port_fields[] = {
    FIELD("bandwidth", F64, "B/s", "Bandwidth of the port."),
    FIELD("rx_packet_rate", F64, "1/s", "Received packets a second."),
    FIELD("rx_byte_rate", F64, "B/s", "Received bytes a second."),
    FIELD("rx_packets", U64, "", "Received packets."),
    FIELD("rx_bytes", U64, "B", "Received bytes."),
    FIELD("rx_errors", U64, "", "Received with an error."),
    FIELD("rx_dropped", U64, "", "Received and dropped."),
    FIELD("rx_efficiency", F64, "%", "Use of the bandwidth."),
    FIELD("rx_error_rate", F64, "%", "Share with an error."),
    FIELD("rx_dropped_rate", F64, "%", "Share dropped."),
    FIELD("tx_packet_rate", F64, "1/s", "Sent packets a second."),
    FIELD("tx_byte_rate", F64, "B/s", "Sent bytes a second."),
    FIELD("tx_packets", U64, "", "Sent packets."),
    FIELD("tx_bytes", U64, "B", "Sent bytes."),
    FIELD("tx_errors", U64, "", "Sent with an error."),
    FIELD("tx_dropped", U64, "", "Sent and dropped."),
    FIELD("tx_efficiency", F64, "%", "Use of the bandwidth."),
    FIELD("tx_error_rate", F64, "%", "Share with an error."),
    FIELD("tx_dropped_rate", F64, "%", "Share dropped."),
    FIELD("port", U32, "", "Number of the port."),
    FIELD("device", I32, "", "Device, -1: the host."),
};
KIND(nic, "nic", COUNTER, port_fields, "Traffic of a port of a device's network interface.");

KIND(roce, "roce", COUNTER, port_fields, "Traffic of a RoCE port of a device.");

static const StrobeField mac_fields[] = {
    FIELD("mac_tx_pfc_packets", U64, "", "Pause frames sent."),
    FIELD("mac_rx_pfc_packets", U64, "", "Pause frames received."),
    FIELD("mac_tx_bytes", U64, "B", "Bytes sent."),
    FIELD("mac_tx_bandwidth", F64, "B/s", "Bytes sent a second."),
    FIELD("mac_rx_bytes", U64, "B", "Bytes received."),
    FIELD("mac_rx_bandwidth", F64, "B/s", "Bytes received a second."),
    FIELD("mac_tx_bad_bytes", U64, "B", "Bad bytes sent."),
    FIELD("mac_rx_bad_bytes", U64, "B", "Bad bytes received."),
    FIELD("roce_tx_packets", U64, "", "RoCE packets sent."),
    FIELD("roce_rx_packets", U64, "", "RoCE packets received."),
    FIELD("roce_tx_errors", U64, "", "RoCE packets sent with an error."),
    FIELD("roce_rx_errors", U64, "", "RoCE packets received with an error."),
    FIELD("roce_tx_cnp", U64, "", "Congestion notices sent."),
    FIELD("roce_rx_cnp", U64, "", "Congestion notices received."),
    FIELD("roce_retries", U64, "", "RoCE packets repeated."),
    FIELD("nic_tx_bytes", U64, "B", "Bytes sent by the interface."),
    FIELD("nic_tx_bandwidth", F64, "B/s", "Bytes sent a second by the interface."),
    FIELD("nic_rx_bytes", U64, "B", "Bytes received by the interface."),
    FIELD("nic_rx_bandwidth", F64, "B/s", "Bytes received a second by the interface."),
    FIELD("device", I32, "", "Device, -1: the host."),
};
KIND(mac, "mac", COUNTER, mac_fields, "Counters of a device's network card, by layer.");

static const StrobeField pcie_fields[] = {
    FIELD("tx_post_min", F64, "B/s", "Least bandwidth in the interval."),
    FIELD("tx_post_max", F64, "B/s", "Greatest bandwidth in the interval."),
    FIELD("tx_post_avg", F64, "B/s", "Mean bandwidth in the interval."),
    FIELD("tx_nonpost_min", F64, "B/s", "Least bandwidth in the interval."),
    FIELD("tx_nonpost_max", F64, "B/s", "Greatest bandwidth in the interval."),
    FIELD("tx_nonpost_avg", F64, "B/s", "Mean bandwidth in the interval."),
    FIELD("tx_cpl_min", F64, "B/s", "Least bandwidth in the interval."),
    FIELD("tx_cpl_max", F64, "B/s", "Greatest bandwidth in the interval."),
    FIELD("tx_cpl_avg", F64, "B/s", "Mean bandwidth in the interval."),
    FIELD("tx_nonpost_latency_min", F64, "ns", "Least latency in the interval."),
    FIELD("tx_nonpost_latency_max", F64, "ns", "Greatest latency in the interval."),
    FIELD("tx_nonpost_latency_avg", F64, "ns", "Mean latency in the interval."),
    FIELD("rx_post_min", F64, "B/s", "Least bandwidth in the interval."),
    FIELD("rx_post_max", F64, "B/s", "Greatest bandwidth in the interval."),
    FIELD("rx_post_avg", F64, "B/s", "Mean bandwidth in the interval."),
    FIELD("rx_nonpost_min", F64, "B/s", "Least bandwidth in the interval."),
    FIELD("rx_nonpost_max", F64, "B/s", "Greatest bandwidth in the interval."),
    FIELD("rx_nonpost_avg", F64, "B/s", "Mean bandwidth in the interval."),
    FIELD("rx_cpl_min", F64, "B/s", "Least bandwidth in the interval."),
    FIELD("rx_cpl_max", F64, "B/s", "Greatest bandwidth in the interval."),
    FIELD("rx_cpl_avg", F64, "B/s", "Mean bandwidth in the interval."),
    FIELD("device", I32, "", "Device, -1: the host."),
    FIELD("resolution", F64, "B/s",
          "Step of the bandwidths: a lower bandwidth reads as 0; absent: unknown."),
};
KIND(pcie, "pcie", COUNTER, pcie_fields, "Traffic of a device on PCIe.");

static const StrobeField hccs_fields[] = {
    FIELD("tx", F64, "B/s", "Sent."),
    FIELD("rx", F64, "B/s", "Received."),
    FIELD("device", I32, "", "Device, -1: the host."),
};
KIND(hccs, "hccs", COUNTER, hccs_fields, "Traffic of a device on HCCS links.");

static const StrobeField hbm_fields[] = {
    FIELD("bandwidth", F64, "B/s", "Bandwidth."),
    FIELD("id", U32, "", "Number of the stack."),
    FIELD("device", I32, "", "Device, -1: the host."),
};
KIND(hbm, "hbm", COUNTER, hbm_fields, "Bandwidth of high-bandwidth memory.");

static const StrobeField ddr_fields[] = {
    FIELD("read", F64, "B/s", "Read."),
    FIELD("write", F64, "B/s", "Written."),
    FIELD("device", I32, "", "Device, -1: the host."),
};
KIND(ddr, "ddr", COUNTER, ddr_fields, "Bandwidth of a device's DDR memory.");

static const StrobeField llc_fields[] = {
    FIELD("hit_rate", F64, "%", "Hits."),
    FIELD("throughput", F64, "B/s", "Throughput."),
    FIELD("id", U32, "", "Number of the cache."),
    FIELD("device", I32, "", "Device, -1: the host."),
};
KIND(llc, "llc", COUNTER, llc_fields, "Last-level cache of a device.");

static const StrobeField qos_fields[] = {
    FIELD("bandwidth", F64, "B/s", "Bandwidth."),
    FIELD("die", I32, "", "Die, -1: not distinguished."),
    FIELD("device", I32, "", "Device, -1: the host."),
};
KIND(qos, "qos", COUNTER, qos_fields, "Bandwidth of one stream of a device's memory system.");

static const StrobeField sio_fields[] = {
    FIELD("rx_req", F64, "B/s", "Requests received."),
    FIELD("rx_rsp", F64, "B/s", "Responses received."),
    FIELD("rx_snp", F64, "B/s", "Snoops received."),
    FIELD("rx_dat", F64, "B/s", "Data received."),
    FIELD("tx_req", F64, "B/s", "Requests sent."),
    FIELD("tx_rsp", F64, "B/s", "Responses sent."),
    FIELD("tx_snp", F64, "B/s", "Snoops sent."),
    FIELD("tx_dat", F64, "B/s", "Data sent."),
    FIELD("device", I32, "", "Device, -1: the host."),
};
KIND(sio, "sio", COUNTER, sio_fields, "Traffic between the dies of a device.");

static const StrobeField core_frequency_fields[] = {
    FIELD("frequency", F64, "MHz", "Frequency."),
    FIELD("die", I32, "", "Die, -1: not distinguished."),
    FIELD("device", I32, "", "Device, -1: the host."),
};
KIND(core_frequency, "core_frequency", COUNTER, core_frequency_fields,
     "Clock of a device's cores.");

static const StrobeField acc_pmu_fields[] = {
    FIELD("read_bandwidth", I64, "", "Level of the reading bandwidth."),
    FIELD("write_bandwidth", I64, "", "Level of the writing bandwidth."),
    FIELD("read_ost", I64, "", "Level of outstanding reads."),
    FIELD("write_ost", I64, "", "Level of outstanding writes."),
    FIELD("id", U32, "", "Number of the unit."),
    FIELD("device", I32, "", "Device, -1: the host."),
};
KIND(acc_pmu, "acc_pmu", COUNTER, acc_pmu_fields, "Load of one accelerator unit of a device.");

static const StrobeField soc_bandwidth_fields[] = {
    FIELD("l2_buffer", I64, "", "Level of the L2 buffer."),
    FIELD("mata", I64, "", "Level of the memory access unit."),
    FIELD("device", I32, "", "Device, -1: the host."),
};
KIND(soc_bandwidth, "soc_bandwidth", COUNTER, soc_bandwidth_fields,
     "Load of a device's shared buffers.");

static const StrobeField l2_cache_fields[] = {
    FIELD("task", LINK, "", "Task that it belongs to, absent: unknown."),
    FIELD("hit_rate", F64, "", "Share of hits, absent: not counted."),
    FIELD("victim_rate", F64, "", "Share of evictions."),
    FIELD("stream", U32, "", "Stream on the device."),
    FIELD("task_id", U32, "", "Task id in its stream."),
};
KIND(l2_cache, "l2_cache", SPAN, l2_cache_fields, "Use of the L2 cache by one task.");

static const StrobeField soc_pmu_fields[] = {
    FIELD("task", LINK, "", "Task that it belongs to, absent: unknown."),
    FIELD("tlb_hit_rate", F64, "", "Share of hits."),
    FIELD("tlb_miss_rate", F64, "", "Share of misses."),
    FIELD("stream", U32, "", "Stream on the device."),
    FIELD("task_id", U32, "", "Task id in its stream."),
};
KIND(soc_pmu, "soc_pmu", SPAN, soc_pmu_fields, "Use of the address translation by one task.");

static const StrobeField aicpu_fields[] = {
    FIELD("compute", F64, "ns", "Computing."),
    FIELD("copy", F64, "ns", "Copying."),
    FIELD("task_time", F64, "ns", "Running the task."),
    FIELD("dispatch", F64, "ns", "Being dispatched."),
    FIELD("total", F64, "ns", "Sum of the above."),
    FIELD("stream", U32, "", "Stream on the device."),
    FIELD("task_id", U32, "", "Task id in its stream."),
    FIELD("device", I32, "", "Device, -1: the host."),
};
KIND(aicpu, "aicpu", SPAN, aicpu_fields, "One operator on a device's control processors.");

static const StrobeField usage_fields[] = {
    FIELD("usage", F64, "%", "Share in use."),
    FIELD("read_rate", F64, "B/s", "Read, only for a disk."),
    FIELD("write_rate", F64, "B/s", "Written, only for a disk."),
    FIELD("speed", F64, "B/s", "Speed of the link, only for a network."),
    FIELD("processor", U32, "", "Number of the processor, absent: not one processor."),
};
KIND(usage, "usage", COUNTER, usage_fields, "Use of one part of the host.");

static const StrobeField os_call_fields[] = {
    FIELD("status", I64, "", "Returned value, absent: unknown."),
};
KIND(os_call, "os_call", SPAN, os_call_fields,
     "One call of the operating system or the C library.");

static const StrobeField flow_point_fields[] = {
    FIELD("id", STRING, "", "Id that both ends share, as text."),
    FIELD("is_end", BOOL, "", "0: begin; 1: end."),
};
KIND(flow_point, "flow_point", INSTANT, flow_point_fields,
     "One end of a flow event of the source.");

static const StrobeField device_info_fields[] = {
    FIELD("device", I32, "", "Device, -1: the host."),
    FIELD("rank", I32, "", "Rank that used it, -1: unknown."),
};
KIND(device_info, "device_info", INSTANT, device_info_fields, "A device of the run.");

static const StrobeField clock_sync_fields[] = {
    FIELD("device_time", I64, "", "Time on the track's clock."),
    FIELD("host_time", I64, "ns", "CLOCK_MONOTONIC, in the middle of two readings."),
    FIELD("width_ns", U64, "ns", "Time between the two readings; the error is at most half of it."),
};
KIND(clock_sync, "clock_sync", INSTANT, clock_sync_fields, "One moment on two clocks.");
