/* SPDX-License-Identifier: Apache-2.0 */
/* Layers and arguments of trace_view.json as data, with one row for each. */
#include "ascend-trace.h"

#include <string.h>

const AscendLayer ascend_layers[] = {
    {ASCEND_LAYER_PYTHON, "Python", ASCEND_ALL, 0, 0, 0},
    {ASCEND_LAYER_GC, "Python GC", ASCEND_ALL, 0, 1, 1},
    {ASCEND_LAYER_MSTX, NULL, ASCEND_ALL, 0, 6, 6},
    {ASCEND_LAYER_CANN, "CANN", ASCEND_ALL, 0, 7, 7},
    {ASCEND_LAYER_COUNTERS, "CPU Usage", ASCEND_G3, 0, 9, -1},
    {ASCEND_LAYER_COUNTERS, "Memory Usage", ASCEND_G3, 0, 10, -1},
    {ASCEND_LAYER_COUNTERS, "Network Usage", ASCEND_G3, 0, 11, -1},
    {ASCEND_LAYER_COUNTERS, "Disk Usage", ASCEND_G3, 0, 12, -1},
    {ASCEND_LAYER_OS_CALL, "OS Runtime API", ASCEND_G3, 0, 13, -1},
    {ASCEND_LAYER_HARDWARE, "Ascend Hardware", ASCEND_ALL, 1, 14, 13},
    {ASCEND_LAYER_COUNTERS, "AI Core Freq", ASCEND_ALL, 1, 15, 14},
    {ASCEND_LAYER_COMMUNICATION, "HCCL", ASCEND_G12, 1, 16, 15},
    {ASCEND_LAYER_COMMUNICATION, "Communication", ASCEND_G3, 1, 16, 15},
    {ASCEND_LAYER_COUNTERS, "NPU MEM", ASCEND_ALL, 1, 17, 19},
    {ASCEND_LAYER_COUNTERS, "DDR", ASCEND_ALL, 1, 18, -1},
    {ASCEND_LAYER_COUNTERS, "Acc PMU", ASCEND_ALL, 1, 19, 21},
    {ASCEND_LAYER_COUNTERS, "HCCS", ASCEND_ALL, 1, 20, -1},
    {ASCEND_LAYER_COUNTERS, "NIC", ASCEND_ALL, 1, 21, -1},
    {ASCEND_LAYER_COUNTERS, "RoCE", ASCEND_ALL, 1, 22, -1},
    {ASCEND_LAYER_COUNTERS, "PCIe", ASCEND_ALL, 1, 23, -1},
    {ASCEND_LAYER_COUNTERS, "HBM", ASCEND_ALL, 1, 24, 17},
    {ASCEND_LAYER_COUNTERS, "Stars Soc Info", ASCEND_ALL, 1, 25, 20},
    {ASCEND_LAYER_COUNTERS, "Stars Chip Trans", ASCEND_ALL, 1, 26, -1},
    {ASCEND_LAYER_COUNTERS, "LLC", ASCEND_ALL, 1, 27, 18},
    {ASCEND_LAYER_COUNTERS, "SIO", ASCEND_ALL, 1, 28, -1},
    {ASCEND_LAYER_COUNTERS, "QoS", ASCEND_ALL, 1, 29, 22},
    {ASCEND_LAYER_OTHER, "CCU", ASCEND_G3, 1, 30, -1},
    {ASCEND_LAYER_OVERLAP, "Overlap Analysis", ASCEND_ALL, 1, 31, 23},
    {ASCEND_LAYER_OTHER, "Biu Perf", ASCEND_ALL, 1, 32, -1},
    {ASCEND_LAYER_OTHER, "Ub", ASCEND_G3, 1, 33, -1},
    {ASCEND_LAYER_OTHER, "Block Detail", ASCEND_G3, 1, 34, -1},
    {ASCEND_LAYER_OTHER, "Fusion Task", ASCEND_G3, 1, 35, -1},
};
const uint32_t n_ascend_layers = sizeof ascend_layers / sizeof ascend_layers[0];

static const AscendArg cpu_op[] = {
    {"Sequence number", "sequence", ASCEND_ARG_INT, ASCEND_ALL},
    {"Fwd thread id", "forward_thread", ASCEND_ARG_INT, ASCEND_ALL},
    {"Input Dims", "shapes", ASCEND_ARG_LIST, ASCEND_ALL, 1},
    {"Input type", "types", ASCEND_ARG_LIST, ASCEND_ALL, 1},
    {"Call stack", "stack", ASCEND_ARG_STACK, ASCEND_ALL, 1},
    {"Module Hierarchy", "ascend.modules", ASCEND_ARG_TEXT, ASCEND_ALL, 1},
    {"flops", "ascend.flops", ASCEND_ARG_TEXT, ASCEND_ALL, 1},
};

static const AscendArg task_queue[] = {
    {"correlation_id", "correlation", ASCEND_ARG_INT, ASCEND_ALL},
};

static const AscendArg python_call[] = {
    {"Python id", "id", ASCEND_ARG_INT, ASCEND_ALL},
    {"Python parent id", "parent", ASCEND_ARG_INT, ASCEND_ALL},
    {"Python module id", "module", ASCEND_ARG_INT, ASCEND_ALL, 1},
};

/* The arguments "id" and "Thread Id" are not in this list, because code derives them from the name
 * and the track. */
static const AscendArg api_call[] = {
    {"Thread Id", STROBE_COLUMN_TRACK, ASCEND_ARG_INT, ASCEND_ALL},
    {"Mode", "mode", ASCEND_ARG_TEXT, ASCEND_ALL},
    {"level", "level", ASCEND_ARG_TEXT, ASCEND_ALL},
    {"id", NULL, ASCEND_ARG_TEXT, ASCEND_ALL},
    {"item_id", "item", ASCEND_ARG_TEXT, ASCEND_ALL, 0, "0"},
    {"connection_id", "connection", ASCEND_ARG_INT, ASCEND_ALL, 0, "4294967295"},
};

static const AscendArg device_task[] = {
    {"Model Id", "model", ASCEND_ARG_INT, ASCEND_ALL, 0, "4294967295"},
    {"Task Type", "task_type", ASCEND_ARG_TEXT, ASCEND_ALL},
    {"Physic Stream Id", "stream", ASCEND_ARG_INT, ASCEND_ALL},
    {"Task Id", "task_id", ASCEND_ARG_INT, ASCEND_ALL},
    {"Batch Id", "batch", ASCEND_ARG_INT, ASCEND_ALL},
    {"Subtask Id", "context", ASCEND_ARG_INT, ASCEND_ALL, 0, "4294967295"},
    {"connection_id", "connection", ASCEND_ARG_INT, ASCEND_ALL, 0, "4294967295"},
    {"data size(Byte)", "copy_bytes", ASCEND_ARG_INT, ASCEND_G12, 1},
    {"memcpy direction", "copy_direction", ASCEND_ARG_TEXT, ASCEND_G12, 1},
    {"size(B)", "copy_bytes", ASCEND_ARG_INT, ASCEND_G3, 1},
    {"bandwidth(GB/s)", "copy_bandwidth", ASCEND_ARG_FLOAT, ASCEND_G3, 1},
    {"operation", "copy_direction", ASCEND_ARG_TEXT, ASCEND_G3, 1},
    {"Grid Dim", "grid_dim", ASCEND_ARG_TEXT, ASCEND_G3, 1},
    {"Block Dim", "block_dim", ASCEND_ARG_TEXT, ASCEND_G3, 1},
};

static const AscendArg comm_op[] = {
    {"rank_size", "rank_size", ASCEND_ARG_INT, ASCEND_G3},
    {"connection_id", "connection", ASCEND_ARG_INT, ASCEND_ALL, 0, "4294967295"},
    {"model id", "model", ASCEND_ARG_INT, ASCEND_ALL, 0, "4294967295"},
    {"data_type", "data_type", ASCEND_ARG_TEXT, ASCEND_ALL},
    {"alg_type", "algorithm", ASCEND_ARG_TEXT, ASCEND_ALL},
    {"count", "count", ASCEND_ARG_INT, ASCEND_ALL},
    {"relay", "relay", ASCEND_ARG_YES_NO, ASCEND_G3},
    {"retry", "retry", ASCEND_ARG_YES_NO, ASCEND_G3},
};

static const AscendArg comm_task[] = {
    {"notify_id", "notify", ASCEND_ARG_TEXT, ASCEND_ALL},
    {"duration estimated(us)", "estimated", ASCEND_ARG_SHORT, ASCEND_ALL},
    {"stream id", "stream", ASCEND_ARG_INT, ASCEND_ALL},
    {"task id", "task_id", ASCEND_ARG_INT, ASCEND_ALL},
    {"context id", "context", ASCEND_ARG_INT, ASCEND_ALL, 0, "4294967295"},
    {"task type", STROBE_COLUMN_NAME, ASCEND_ARG_TEXT, ASCEND_ALL},
    {"src rank", "source_rank", ASCEND_ARG_INT, ASCEND_ALL, 0, "4294967295"},
    {"dst rank", "target_rank", ASCEND_ARG_INT, ASCEND_ALL, 0, "4294967295"},
    {"transport type", "transport", ASCEND_ARG_TEXT, ASCEND_ALL},
    {"size(Byte)", "size", ASCEND_ARG_INT, ASCEND_ALL},
    {"data type", "data_type", ASCEND_ARG_TEXT, ASCEND_ALL},
    {"link type", "link_type", ASCEND_ARG_TEXT, ASCEND_ALL},
    {"bandwidth(GB/s)", "bandwidth", ASCEND_ARG_FLOAT, ASCEND_ALL},
    {"model id", "model", ASCEND_ARG_INT, ASCEND_ALL, 0, "4294967295"},
};

#define ARGS(args_) args_, sizeof(args_) / sizeof((args_)[0])

const AscendEvents ascend_events[] = {
    {ASCEND_LAYER_PYTHON, "cpu_op", "cpu_op", ARGS(cpu_op)},
    {ASCEND_LAYER_PYTHON, "task_queue", "enqueue", ARGS(task_queue)},
    {ASCEND_LAYER_PYTHON, "task_queue", "dequeue", ARGS(task_queue)},
    {ASCEND_LAYER_PYTHON, "python_call", "python_function", ARGS(python_call)},
    {ASCEND_LAYER_GC, "gc", "GC", NULL, 0},
    {ASCEND_LAYER_CANN, "api_call", NULL, ARGS(api_call)},
    {ASCEND_LAYER_HARDWARE, "device_task", NULL, ARGS(device_task)},
    {ASCEND_LAYER_COMMUNICATION, "comm_op", NULL, ARGS(comm_op)},
    {ASCEND_LAYER_COMMUNICATION, "comm_task", "", ARGS(comm_task)}, /* on the rows of the planes */
    {ASCEND_LAYER_OVERLAP, "overlap", NULL, NULL, 0},
    {ASCEND_LAYER_OS_CALL, "os_call", NULL, NULL, 0},
};
const uint32_t n_ascend_events = sizeof ascend_events / sizeof ascend_events[0];

const AscendCounter ascend_counters[] = {
    {"AI Core Freq", "AI Core Freq", "core_frequency", NULL, NULL, "MHz", "frequency",
     ASCEND_ARG_INT, ASCEND_ALL, "die"},
    {"AI Core Freq", "AI Core Freq Die %i", "core_frequency", NULL, "die", "MHz", "frequency",
     ASCEND_ARG_INT, ASCEND_ALL},
    {"NPU MEM", "APP/DDR", "memory_usage", "app", NULL, "KB", "ddr", ASCEND_ARG_KB, ASCEND_ALL},
    {"NPU MEM", "APP/HBM", "memory_usage", "app", NULL, "KB", "hbm", ASCEND_ARG_KB, ASCEND_ALL},
    {"NPU MEM", "APP/Memory", "memory_usage", "app", NULL, "KB", NULL, ASCEND_ARG_KB, ASCEND_ALL},
    {"NPU MEM", "Device/DDR", "memory_usage", "device", NULL, "KB", "ddr", ASCEND_ARG_KB,
     ASCEND_ALL},
    {"NPU MEM", "Device/HBM", "memory_usage", "device", NULL, "KB", "hbm", ASCEND_ARG_KB,
     ASCEND_ALL},
    {"NPU MEM", "Device/Memory", "memory_usage", "device", NULL, "KB", NULL, ASCEND_ARG_KB,
     ASCEND_ALL},
    {"HBM", "HBM %i/Read", "hbm", "read", "id", "Read(MB/s)", "bandwidth", ASCEND_ARG_MB,
     ASCEND_ALL},
    {"HBM", "HBM %i/Write", "hbm", "write", "id", "Write(MB/s)", "bandwidth", ASCEND_ARG_MB,
     ASCEND_ALL},
    {"DDR", "DDR/Read", "ddr", NULL, NULL, "Read(MB/s)", "read", ASCEND_ARG_MB, ASCEND_ALL},
    {"DDR", "DDR/Write", "ddr", NULL, NULL, "Write(MB/s)", "write", ASCEND_ARG_MB, ASCEND_ALL},
    {"LLC", "LLC %i Read/Throughput", "llc", "read", "id", "Throughput(MB/s)", "throughput",
     ASCEND_ARG_MB, ASCEND_ALL},
    {"LLC", "LLC %i Read/Hit Rate", "llc", "read", "id", "Hit Rate(%)", "hit_rate",
     ASCEND_ARG_PERCENT, ASCEND_ALL},
    {"LLC", "LLC %i Write/Throughput", "llc", "write", "id", "Throughput(MB/s)", "throughput",
     ASCEND_ARG_MB, ASCEND_ALL},
    {"LLC", "LLC %i Write/Hit Rate", "llc", "write", "id", "Hit Rate(%)", "hit_rate",
     ASCEND_ARG_PERCENT, ASCEND_ALL},
    {"QoS", "QoS %n", "qos", NULL, NULL, "value", "bandwidth", ASCEND_ARG_WHOLE_MB, ASCEND_ALL,
     "die"},
    {"QoS", "QoS %n", "qos", NULL, "die", "die %i", "bandwidth", ASCEND_ARG_WHOLE_MB, ASCEND_G3},
    {"Acc PMU", "read_bandwidth", "acc_pmu", NULL, "id", "value", "read_bandwidth", ASCEND_ARG_INT,
     ASCEND_G12},
    {"Acc PMU", "read_bandwidth", "acc_pmu", NULL, "id", "acc_id", "id", ASCEND_ARG_INT,
     ASCEND_G12},
    {"Acc PMU", "write_band_width", "acc_pmu", NULL, "id", "value", "write_bandwidth",
     ASCEND_ARG_INT, ASCEND_G12},
    {"Acc PMU", "write_band_width", "acc_pmu", NULL, "id", "acc_id", "id", ASCEND_ARG_INT,
     ASCEND_G12},
    {"Acc PMU", "read_ost", "acc_pmu", NULL, "id", "value", "read_ost", ASCEND_ARG_INT, ASCEND_G12},
    {"Acc PMU", "read_ost", "acc_pmu", NULL, "id", "acc_id", "id", ASCEND_ARG_INT, ASCEND_G12},
    {"Acc PMU", "write_ost", "acc_pmu", NULL, "id", "value", "write_ost", ASCEND_ARG_INT,
     ASCEND_G12},
    {"Acc PMU", "write_ost", "acc_pmu", NULL, "id", "acc_id", "id", ASCEND_ARG_INT, ASCEND_G12},
    /* The greatest level of all units; the value is not that of a single unit. */
    {"Acc PMU", "read_bandwidth", "acc_pmu", NULL, NULL, "value", "read_bandwidth", ASCEND_ARG_INT,
     ASCEND_G3},
    {"Acc PMU", "read_ost", "acc_pmu", NULL, NULL, "value", "read_ost", ASCEND_ARG_INT, ASCEND_G3},
    {"Acc PMU", "write_bandwidth", "acc_pmu", NULL, NULL, "value", "write_bandwidth",
     ASCEND_ARG_INT, ASCEND_G3},
    {"Acc PMU", "write_ost", "acc_pmu", NULL, NULL, "value", "write_ost", ASCEND_ARG_INT,
     ASCEND_G3},
    {"Stars Soc Info", "Mata Bw Level", "soc_bandwidth", NULL, NULL, "Mata Bw Level", "mata",
     ASCEND_ARG_INT, ASCEND_ALL},
    {"Stars Soc Info", "L2 Buffer Bw Level", "soc_bandwidth", NULL, NULL, "L2 Buffer Bw Level",
     "l2_buffer", ASCEND_ARG_INT, ASCEND_ALL},
    {"HCCS", "Rx", "hccs", NULL, NULL, "Rx(MB/s)", "rx", ASCEND_ARG_MB, ASCEND_ALL},
    {"HCCS", "Tx", "hccs", NULL, NULL, "Tx(MB/s)", "tx", ASCEND_ARG_MB, ASCEND_ALL},
    {"NIC", "Port %i/Rx", "nic", NULL, "port", "Rx Dropped Rate", "rx_dropped_rate",
     ASCEND_ARG_FLOAT, ASCEND_ALL},
    {"NIC", "Port %i/Rx", "nic", NULL, "port", "Rx Error Rate", "rx_error_rate", ASCEND_ARG_FLOAT,
     ASCEND_ALL},
    {"NIC", "Port %i/Rx", "nic", NULL, "port", "Rx Packets", "rx_packets", ASCEND_ARG_INT,
     ASCEND_ALL},
    {"NIC", "Port %i/Rx", "nic", NULL, "port", "Rx Bandwidth Efficiency", "rx_efficiency",
     ASCEND_ARG_FLOAT, ASCEND_ALL},
    {"NIC", "Port %i/Tx", "nic", NULL, "port", "Tx Dropped Rate", "tx_dropped_rate",
     ASCEND_ARG_FLOAT, ASCEND_ALL},
    {"NIC", "Port %i/Tx", "nic", NULL, "port", "Tx Error Rate", "tx_error_rate", ASCEND_ARG_FLOAT,
     ASCEND_ALL},
    {"NIC", "Port %i/Tx", "nic", NULL, "port", "Tx Packets", "tx_packets", ASCEND_ARG_INT,
     ASCEND_ALL},
    {"NIC", "Port %i/Tx", "nic", NULL, "port", "Tx Bandwidth Efficiency", "tx_efficiency",
     ASCEND_ARG_FLOAT, ASCEND_ALL},
    {"RoCE", "Port %i/Rx", "roce", NULL, "port", "Rx Dropped Rate", "rx_dropped_rate",
     ASCEND_ARG_FLOAT, ASCEND_ALL},
    {"RoCE", "Port %i/Rx", "roce", NULL, "port", "Rx Error Rate", "rx_error_rate", ASCEND_ARG_FLOAT,
     ASCEND_ALL},
    {"RoCE", "Port %i/Rx", "roce", NULL, "port", "Rx Packets", "rx_packets", ASCEND_ARG_INT,
     ASCEND_ALL},
    {"RoCE", "Port %i/Rx", "roce", NULL, "port", "Rx Bandwidth Efficiency", "rx_efficiency",
     ASCEND_ARG_FLOAT, ASCEND_ALL},
    {"RoCE", "Port %i/Tx", "roce", NULL, "port", "Tx Dropped Rate", "tx_dropped_rate",
     ASCEND_ARG_FLOAT, ASCEND_ALL},
    {"RoCE", "Port %i/Tx", "roce", NULL, "port", "Tx Error Rate", "tx_error_rate", ASCEND_ARG_FLOAT,
     ASCEND_ALL},
    {"RoCE", "Port %i/Tx", "roce", NULL, "port", "Tx Packets", "tx_packets", ASCEND_ARG_INT,
     ASCEND_ALL},
    {"RoCE", "Port %i/Tx", "roce", NULL, "port", "Tx Bandwidth Efficiency", "tx_efficiency",
     ASCEND_ARG_FLOAT, ASCEND_ALL},
    {"PCIe", "PCIe_cpl", "pcie", NULL, NULL, "Tx", "tx_cpl_avg", ASCEND_ARG_MB, ASCEND_ALL},
    {"PCIe", "PCIe_cpl", "pcie", NULL, NULL, "Rx", "rx_cpl_avg", ASCEND_ARG_MB, ASCEND_ALL},
    {"PCIe", "PCIe_nonpost", "pcie", NULL, NULL, "Tx", "tx_nonpost_avg", ASCEND_ARG_MB, ASCEND_ALL},
    {"PCIe", "PCIe_nonpost", "pcie", NULL, NULL, "Rx", "rx_nonpost_avg", ASCEND_ARG_MB, ASCEND_ALL},
    {"PCIe", "PCIe_nonpost_latency", "pcie", NULL, NULL, "Tx", "tx_nonpost_latency_avg",
     ASCEND_ARG_US, ASCEND_ALL},
    {"PCIe", "PCIe_nonpost_latency", "pcie", NULL, NULL, "Rx", NULL, ASCEND_ARG_ZERO, ASCEND_ALL},
    {"PCIe", "PCIe_post", "pcie", NULL, NULL, "Tx", "tx_post_avg", ASCEND_ARG_MB, ASCEND_ALL},
    {"PCIe", "PCIe_post", "pcie", NULL, NULL, "Rx", "rx_post_avg", ASCEND_ARG_MB, ASCEND_ALL},
    {"SIO", "req_rx", "sio", NULL, NULL, "%n", "rx_req", ASCEND_ARG_MB, ASCEND_ALL},
    {"SIO", "rsp_rx", "sio", NULL, NULL, "%n", "rx_rsp", ASCEND_ARG_MB, ASCEND_ALL},
    {"SIO", "snp_rx", "sio", NULL, NULL, "%n", "rx_snp", ASCEND_ARG_MB, ASCEND_ALL},
    {"SIO", "dat_rx", "sio", NULL, NULL, "%n", "rx_dat", ASCEND_ARG_MB, ASCEND_ALL},
    {"SIO", "req_tx", "sio", NULL, NULL, "%n", "tx_req", ASCEND_ARG_MB, ASCEND_ALL},
    {"SIO", "rsp_tx", "sio", NULL, NULL, "%n", "tx_rsp", ASCEND_ARG_MB, ASCEND_ALL},
    {"SIO", "snp_tx", "sio", NULL, NULL, "%n", "tx_snp", ASCEND_ARG_MB, ASCEND_ALL},
    {"SIO", "dat_tx", "sio", NULL, NULL, "%n", "tx_dat", ASCEND_ARG_MB, ASCEND_ALL},
    {"CPU Usage", "CPU %i", "usage", NULL, "processor", "Usage(%)", "usage", ASCEND_ARG_FLOAT,
     ASCEND_G3},
    {"Memory Usage", "Memory Usage", "usage", "Memory", NULL, "Usage(%)", "usage", ASCEND_ARG_FLOAT,
     ASCEND_G3},
    {"Network Usage", "Network Usage", "usage", "Network", NULL, "Usage(%)", "usage",
     ASCEND_ARG_FLOAT, ASCEND_G3},
    {"Disk Usage", "Disk Usage", "usage", "Disk", NULL, "Usage(%)", "usage", ASCEND_ARG_FLOAT,
     ASCEND_G3},
};
const uint32_t n_ascend_counters = sizeof ascend_counters / sizeof ascend_counters[0];

const AscendLayer *ascend_layer_by_name(const char *name)
{
    for (uint32_t i = 0; i < n_ascend_layers; i++)
        if (ascend_layers[i].name && !strcmp(ascend_layers[i].name, name))
            return &ascend_layers[i];
    return NULL;
}

const AscendLayer *ascend_layer_in(const AscendLayer *layer, int32_t generation)
{
    if (layer->generations & ascend_generation_bit(generation))
        return layer;
    for (uint32_t i = 0; i < n_ascend_layers; i++)
        if (ascend_layers[i].sort_index == layer->sort_index &&
            (ascend_layers[i].generations & ascend_generation_bit(generation)))
            return &ascend_layers[i];
    return layer;
}

const AscendEvents *ascend_events_of(uint32_t layer, const char *category)
{
    for (uint32_t i = 0; i < n_ascend_events; i++) {
        const char *known = ascend_events[i].category;

        if (ascend_events[i].layer == layer &&
            (known == category || (known && category && !strcmp(known, category))))
            return &ascend_events[i];
    }
    return NULL;
}

const AscendArg *ascend_arg(const AscendEvents *events, const char *key)
{
    for (uint32_t i = 0; i < events->n_args; i++)
        if (!strcmp(events->args[i].key, key))
            return &events->args[i];
    return NULL;
}

const char *ascend_api_prefix(const char *level, int32_t generation)
{
    static const struct {
        const char *level, *prefix;
    } words[] = {{"acl", "AscendCL"}, {"runtime", "Runtime"}, {"model", "Model"}, {"node", "Node"}};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (!strcmp(words[i].level, level))
            return words[i].prefix;
    if (!strcmp(level, "hccl") || !strcmp(level, "communication"))
        return generation == 3 ? "Communication" : "Hccl";
    return NULL;
}
