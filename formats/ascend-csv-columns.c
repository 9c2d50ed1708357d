/* SPDX-License-Identifier: Apache-2.0 */
/* The CSV files as data, with one row for each column. A column that differs between generations
 * has one row for each form. */
#include "ascend.h"

static const AscendWord communication_core = {"HCCL", "COMMUNICATION", ASCEND_G1};
static const AscendWord communication_level = {"hccl", "communication", ASCEND_G12};

static const AscendColumn kernel_details[] = {
    {{"Step Id", "step", STROBE_CELL_INT}, 0, 0, ASCEND_COLUMN_OPTIONAL},
    {{"Device_id", "device", STROBE_CELL_INT}, ASCEND_G23},
    {{"Model ID", "model", STROBE_CELL_INT, "4294967295"}, 0, ASCEND_L12},
    {{"Task ID", "task_id", STROBE_CELL_INT, "N/A"}, 0, ASCEND_L12},
    {{"Stream ID", "stream", STROBE_CELL_INT, "N/A"}, 0, ASCEND_L12},
    {{"Name", STROBE_COLUMN_NAME, STROBE_CELL_TEXT}},
    {{"Type", "op_type", STROBE_CELL_TEXT, "N/A"}},
    {{"OP State", "op_state", STROBE_CELL_TEXT, "N/A"}, 0, ASCEND_L12},
    {{"Accelerator Core", "core", STROBE_CELL_TEXT, "N/A"}, .word = &communication_core},
    {{"Start Time(us)", STROBE_COLUMN_BEGIN, STROBE_CELL_US_TAB}},
    {{"Duration(us)", STROBE_COLUMN_EXACT, STROBE_CELL_ROUND3}, ASCEND_G1},
    {{"Duration(us)", STROBE_COLUMN_EXACT, STROBE_CELL_FIXED3}, ASCEND_G23},
    {{"Wait Time(us)", "wait", STROBE_CELL_US_REPR, "0"}, ASCEND_G1},
    {{"Wait Time(us)", "wait", STROBE_CELL_US_FIXED6, "0"}, ASCEND_G23},
    {{"Block Dim", "block_num", STROBE_CELL_INT, "0"}, ASCEND_G12},
    {{"Block Num", "block_num", STROBE_CELL_INT, "0"}, ASCEND_G3},
    {{"Mix Block Dim", "mix_block_num", STROBE_CELL_INT, "N/A"},
     ASCEND_G12,
     ASCEND_L12,
     ASCEND_COLUMN_OPTIONAL},
    {{"Mix Block Num", "mix_block_num", STROBE_CELL_INT, "N/A"},
     ASCEND_G3,
     ASCEND_L12,
     ASCEND_COLUMN_OPTIONAL},
    {{"HF32 Eligible", "hf32", STROBE_CELL_TEXT, "N/A"}, 0, ASCEND_L12},
    {{"Input Shapes", "input_shapes", STROBE_CELL_TEXT, "N/A"}, 0, ASCEND_L12},
    {{"Input Data Types", "input_types", STROBE_CELL_TEXT, "N/A"}, 0, ASCEND_L12},
    {{"Input Formats", "input_formats", STROBE_CELL_TEXT, "N/A"}, 0, ASCEND_L12},
    {{"Output Shapes", "output_shapes", STROBE_CELL_TEXT, "N/A"}, 0, ASCEND_L12},
    {{"Output Data Types", "output_types", STROBE_CELL_TEXT, "N/A"}, 0, ASCEND_L12},
    {{"Output Formats", "output_formats", STROBE_CELL_TEXT, "N/A"}, 0, ASCEND_L12},
    {{"Context ID", "context", STROBE_CELL_INT, "N/A"}, 0, ASCEND_L12, ASCEND_COLUMN_FOLLOWS},
    {{"Input Shapes", "input_shapes", STROBE_CELL_TEXT, "N/A"},
     ASCEND_G3,
     ASCEND_L0,
     ASCEND_COLUMN_OPTIONAL},
    {{"Input Data Types", "input_types", STROBE_CELL_TEXT, "N/A"},
     ASCEND_G3,
     ASCEND_L0,
     ASCEND_COLUMN_OPTIONAL},
    {{"Input Formats", "input_formats", STROBE_CELL_TEXT, "N/A"},
     ASCEND_G3,
     ASCEND_L0,
     ASCEND_COLUMN_OPTIONAL},
    {{"Output Shapes", "output_shapes", STROBE_CELL_TEXT, "N/A"},
     ASCEND_G3,
     ASCEND_L0,
     ASCEND_COLUMN_OPTIONAL},
    {{"Output Data Types", "output_types", STROBE_CELL_TEXT, "N/A"},
     ASCEND_G3,
     ASCEND_L0,
     ASCEND_COLUMN_OPTIONAL},
    {{"Output Formats", "output_formats", STROBE_CELL_TEXT, "N/A"},
     ASCEND_G3,
     ASCEND_L0,
     ASCEND_COLUMN_OPTIONAL},
    {{"", "metrics", STROBE_CELL_AUTO, "N/A"}, 0, ASCEND_L12, ASCEND_COLUMN_METRICS},
};

static const AscendColumn op_statistic[] = {
    {{"Device_id", "device", STROBE_CELL_INT}, ASCEND_G23},
    {{"OP Type", STROBE_COLUMN_NAME, STROBE_CELL_TEXT}},
    {{"Core Type", "core", STROBE_CELL_TEXT}},
    {{"Count", "count", STROBE_CELL_INT}},
    {{"Total Time(us)", "total", STROBE_CELL_US_REPR}, ASCEND_G1},
    {{"Total Time(us)", "total", STROBE_CELL_US_TRIM}, ASCEND_G23},
    {{"Min Time(us)", "min", STROBE_CELL_US_REPR}, ASCEND_G1},
    {{"Min Time(us)", "min", STROBE_CELL_US_TRIM}, ASCEND_G23},
    {{"Avg Time(us)", "avg", STROBE_CELL_US_REPR}, ASCEND_G1},
    {{"Avg Time(us)", "avg", STROBE_CELL_US_TRIM}, ASCEND_G23},
    {{"Max Time(us)", "max", STROBE_CELL_US_REPR}, ASCEND_G1},
    {{"Max Time(us)", "max", STROBE_CELL_US_TRIM}, ASCEND_G23},
    {{"Ratio(%)", "ratio", STROBE_CELL_ROUND3}, ASCEND_G1},
    {{"Ratio(%)", "ratio", STROBE_CELL_TRIM3}, ASCEND_G23},
};

static const AscendColumn api_statistic[] = {
    {{"Device_id", STROBE_COLUMN_NONE, STROBE_CELL_AUTO, "host"}, ASCEND_G23},
    {{"Level", "level", STROBE_CELL_TEXT}, .word = &communication_level},
    {{"API Name", STROBE_COLUMN_NAME, STROBE_CELL_TEXT}},
    {{"Time(us)", "total", STROBE_CELL_ROUND3}, ASCEND_G1},
    {{"Time(us)", "total", STROBE_CELL_TRIM3}, ASCEND_G23},
    {{"Count", "count", STROBE_CELL_INT}},
    {{"Avg(us)", "avg", STROBE_CELL_ROUND3}, ASCEND_G1},
    {{"Avg(us)", "avg", STROBE_CELL_TRIM3}, ASCEND_G23},
    {{"Min(us)", "min", STROBE_CELL_ROUND3}, ASCEND_G1},
    {{"Min(us)", "min", STROBE_CELL_TRIM3}, ASCEND_G23},
    {{"Max(us)", "max", STROBE_CELL_ROUND3}, ASCEND_G1},
    {{"Max(us)", "max", STROBE_CELL_TRIM3}, ASCEND_G23},
    {{"Variance", "variance", STROBE_CELL_ROUND3}, ASCEND_G1},
    {{"Variance", "variance", STROBE_CELL_TRIM3}, ASCEND_G23},
};

static const AscendColumn l2_cache[] = {
    {{"Device_id", STROBE_COLUMN_DEVICE, STROBE_CELL_INT}, ASCEND_G23},
    {{"Stream Id", "stream", STROBE_CELL_INT}},
    {{"Task Id", "task_id", STROBE_CELL_INT}},
    {{"Hit Rate", "hit_rate", STROBE_CELL_REPR, "N/A"}, ASCEND_G1},
    {{"Hit Rate", "hit_rate", STROBE_CELL_TRIM6, "N/A"}, ASCEND_G23},
    {{"Victim Rate", "victim_rate", STROBE_CELL_REPR, "N/A"}, ASCEND_G1},
    {{"Victim Rate", "victim_rate", STROBE_CELL_TRIM6, "N/A"}, ASCEND_G23},
    {{"Op Name", STROBE_COLUMN_NAME, STROBE_CELL_TEXT, "N/A"}},
};

static const AscendColumn soc_pmu[] = {
    {{"Device_id", STROBE_COLUMN_DEVICE, STROBE_CELL_INT}},
    {{"Stream Id", "stream", STROBE_CELL_INT}},
    {{"Task Id", "task_id", STROBE_CELL_INT}},
    {{"TLB Hit Rate", "tlb_hit_rate", STROBE_CELL_TRIM6, "N/A"}},
    {{"TLB Miss Rate", "tlb_miss_rate", STROBE_CELL_TRIM6, "N/A"}},
    {{"Op Name", STROBE_COLUMN_NAME, STROBE_CELL_TEXT, "N/A"}, 0, 0, ASCEND_COLUMN_OPTIONAL},
};

static const AscendColumn task_time[] = {
    {{"Device_id", STROBE_COLUMN_DEVICE, STROBE_CELL_INT}},
    {{"kernel_name", STROBE_COLUMN_NAME, STROBE_CELL_TEXT, "N/A"}},
    {{"kernel_type", "task_type", STROBE_CELL_TEXT, "N/A"}},
    {{"stream_id", "stream", STROBE_CELL_INT}},
    {{"task_id", "task_id", STROBE_CELL_INT}},
    {{"task_time(us)", STROBE_COLUMN_EXACT, STROBE_CELL_FIXED3}},
    {{"task_start(us)", STROBE_COLUMN_BEGIN, STROBE_CELL_US_TAB}},
    {{"task_stop(us)", STROBE_COLUMN_END, STROBE_CELL_US_TAB}},
};

static const AscendColumn memory_record[] = {
    {{"Component", STROBE_COLUMN_NAME, STROBE_CELL_TEXT}},
    {{"Timestamp(us)", STROBE_COLUMN_BEGIN, STROBE_CELL_US_TAB}},
    {{"Total Allocated(MB)", "allocated", STROBE_CELL_MB}},
    {{"Total Reserved(MB)", "reserved", STROBE_CELL_MB}},
    {{"Total Active(MB)", "active", STROBE_CELL_MB}},
    {{"Stream Ptr", "stream", STROBE_CELL_INT}},
    {{"Device Type", "device", STROBE_CELL_DEVICE}},
};

static const AscendColumn operator_memory[] = {
    {{"Name", STROBE_COLUMN_NAME, STROBE_CELL_TEXT}},
    {{"Size(KB)", "size", STROBE_CELL_KB}},
    {{"Allocation Time(us)", STROBE_COLUMN_BEGIN, STROBE_CELL_US_TAB}},
    {{"Release Time(us)", "release_time", STROBE_CELL_US_TAB}},
    {{"Active Release Time(us)", "active_release_time", STROBE_CELL_US_TAB}},
    {{"Duration(us)", "duration", STROBE_CELL_US_TAB}},
    {{"Active Duration(us)", "active_duration", STROBE_CELL_US_TAB}},
    {{"Allocation Total Allocated(MB)", "allocation_allocated", STROBE_CELL_MB}},
    {{"Allocation Total Reserved(MB)", "allocation_reserved", STROBE_CELL_MB}},
    {{"Allocation Total Active(MB)", "allocation_active", STROBE_CELL_MB}},
    {{"Release Total Allocated(MB)", "release_allocated", STROBE_CELL_MB}},
    {{"Release Total Reserved(MB)", "release_reserved", STROBE_CELL_MB}},
    {{"Release Total Active(MB)", "release_active", STROBE_CELL_MB}},
    {{"Stream Ptr", "stream", STROBE_CELL_INT}},
    {{"Device Type", "device", STROBE_CELL_DEVICE}},
};

static const AscendColumn operator_memory_ge[] = {
    {{"Name", STROBE_COLUMN_NAME, STROBE_CELL_TEXT}},
    {{"Size(KB)", "size", STROBE_CELL_KB}},
    {{"Allocation Time(us)", STROBE_COLUMN_BEGIN, STROBE_CELL_US_TAB}},
    {{"Release Time(us)", "release_time", STROBE_CELL_US_TAB}},
    {{"Active Release Time(us)", "active_release_time", STROBE_CELL_US_TAB}},
    {{"Duration(us)", "duration", STROBE_CELL_US_REPR}, ASCEND_G1},
    {{"Duration(us)", "duration", STROBE_CELL_US_TRIM}, ASCEND_G23},
    {{"Active Duration(us)", "active_duration", STROBE_CELL_US_TRIM}},
    {{"Allocation Total Allocated(MB)", "allocation_allocated", STROBE_CELL_MB}},
    {{"Allocation Total Reserved(MB)", "allocation_reserved", STROBE_CELL_MB}},
    {{"Allocation Total Active(MB)", "allocation_active", STROBE_CELL_MB}},
    {{"Release Total Allocated(MB)", "release_allocated", STROBE_CELL_MB}},
    {{"Release Total Reserved(MB)", "release_reserved", STROBE_CELL_MB}},
    {{"Release Total Active(MB)", "release_active", STROBE_CELL_MB}},
    {{"Stream Ptr", "stream", STROBE_CELL_INT}},
    {{"Device Type", "device", STROBE_CELL_DEVICE}},
};

static const AscendColumn npu_module_mem[] = {
    {{"Device_id", "device", STROBE_CELL_INT}, ASCEND_G23},
    {{"Component", STROBE_COLUMN_NAME, STROBE_CELL_TEXT}},
    {{"Timestamp(us)", STROBE_COLUMN_BEGIN, STROBE_CELL_US_TAB}},
    {{"Total Reserved(MB)", "reserved", STROBE_CELL_MB}},
    {{"Device", "device", STROBE_CELL_DEVICE}},
};

static const AscendColumn operator_details[] = {
    {{"Name", STROBE_COLUMN_NAME, STROBE_CELL_TEXT}},
    {{"Input Shapes", "shapes", STROBE_CELL_LIST}},
    {{"Call Stack", "stack", STROBE_CELL_LIST}},
    {{"Host Self Duration(us)", "host_self", STROBE_CELL_US_REPR}},
    {{"Host Total Duration(us)", "host_total", STROBE_CELL_US_REPR}},
    {{"Device Self Duration(us)", "device_self", STROBE_CELL_REPR, "0"}},
    {{"Device Total Duration(us)", "device_total", STROBE_CELL_REPR, "0"}},
    {{"Device Self Duration With AICore(us)", "device_self_aicore", STROBE_CELL_REPR, "0"}},
    {{"Device Total Duration With AICore(us)", "device_total_aicore", STROBE_CELL_REPR, "0"}},
};

/* The columns if nothing was recorded on a device. */
static const AscendColumn operator_details_host[] = {
    {{"Name", STROBE_COLUMN_NAME, STROBE_CELL_TEXT}},
    {{"Input Shapes", "shapes", STROBE_CELL_LIST}},
    {{"Call Stack", "stack", STROBE_CELL_LIST}},
    {{"Host Self Duration(us)", "host_self", STROBE_CELL_US_REPR}},
    {{"Host Total Duration(us)", "host_total", STROBE_CELL_US_REPR}},
    {{"Device Self Duration(us)", STROBE_COLUMN_NONE, STROBE_CELL_ZERO}},
    {{"Device Total Duration(us)", STROBE_COLUMN_NONE, STROBE_CELL_ZERO}},
    {{"Device Self Duration With AICore(us)", STROBE_COLUMN_NONE, STROBE_CELL_ZERO}},
    {{"Device Total Duration With AICore(us)", STROBE_COLUMN_NONE, STROBE_CELL_ZERO}},
};

static const AscendColumn step_trace_time[] = {
    {{"Device_id", "device", STROBE_CELL_INT}, ASCEND_G23},
    {{"Step", "step", STROBE_CELL_INT}},
    {{"Computing", "computing", STROBE_CELL_REPR, "0"}},
    {{"Communication(Not Overlapped)", "communication_not_overlapped", STROBE_CELL_REPR, "0"}},
    {{"Overlapped", "overlapped", STROBE_CELL_REPR, "0"}},
    {{"Communication", "communication", STROBE_CELL_REPR, "0"}},
    {{"Free", "free", STROBE_CELL_REPR, "0"}},
    {{"Stage", "stage", STROBE_CELL_REPR, "0"}},
    {{"Bubble", "bubble", STROBE_CELL_REPR, "0"}},
    {{"Communication(Not Overlapped and Exclude Receive)", "communication_exclude_receive",
      STROBE_CELL_REPR, "0"}},
    {{"Preparing", "preparing", STROBE_CELL_REPR, "0"}},
};

static const AscendColumn data_preprocess[] = {
    {{"Device_id", "device", STROBE_CELL_INT}, ASCEND_G23},
    {{"Timestamp(us)", STROBE_COLUMN_BEGIN, STROBE_CELL_US_TAB}},
    {{"Node", STROBE_COLUMN_NAME, STROBE_CELL_TEXT, "N/A"}},
    {{"Compute_time(us)", "compute", STROBE_CELL_US_FIXED}},
    {{"Memcpy_time(us)", "copy", STROBE_CELL_US_FIXED}},
    {{"Task_time(us)", "task_time", STROBE_CELL_US_FIXED}},
    {{"Dispatch_time(us)", "dispatch", STROBE_CELL_US_FIXED}},
    {{"Total_time(us)", "total", STROBE_CELL_US_FIXED}},
    {{"Stream ID", "stream", STROBE_CELL_INT}},
    {{"Task ID", "task_id", STROBE_CELL_INT}},
};

static const AscendColumn ports[] = {
    {{"Device_id", "device", STROBE_CELL_INT}},
    {{"Timestamp(us)", STROBE_COLUMN_BEGIN, STROBE_CELL_US_TAB}},
    {{"Bandwidth(MB/s)", "bandwidth", STROBE_CELL_MB_FIXED3}},
    {{"Rx Bandwidth efficiency(%)", "rx_efficiency", STROBE_CELL_FIXED3}},
    {{"rxPacket/s", "rx_packet_rate", STROBE_CELL_FIXED3}},
    {{"rxError rate(%)", "rx_error_rate", STROBE_CELL_FIXED3}},
    {{"rxDropped rate(%)", "rx_dropped_rate", STROBE_CELL_FIXED3}},
    {{"Tx Bandwidth efficiency(%)", "tx_efficiency", STROBE_CELL_FIXED3}},
    {{"txPacket/s", "tx_packet_rate", STROBE_CELL_FIXED3}},
    {{"txError rate(%)", "tx_error_rate", STROBE_CELL_FIXED3}},
    {{"txDropped rate(%)", "tx_dropped_rate", STROBE_CELL_FIXED3}},
    {{"funcId", "port", STROBE_CELL_INT}},
};

static const AscendColumn hccs[] = {
    {{"Device_id", "device", STROBE_CELL_INT}},
    {{"Mode", ASCEND_FIELD_MODE, STROBE_CELL_TEXT}},
    {{"Max", ASCEND_FIELD_MAX, STROBE_CELL_FIXED3}},
    {{"Min", ASCEND_FIELD_MIN, STROBE_CELL_FIXED3}},
    {{"Average", ASCEND_FIELD_AVG, STROBE_CELL_FIXED3}},
};

static const AscendColumn pcie[] = {
    {{"Device_id", "device", STROBE_CELL_INT}},
    {{"Mode", ASCEND_FIELD_MODE, STROBE_CELL_TEXT}},
    {{"Min", ASCEND_FIELD_MIN, STROBE_CELL_FIXED3}},
    {{"Max", ASCEND_FIELD_MAX, STROBE_CELL_FIXED3}},
    {{"Avg", ASCEND_FIELD_AVG, STROBE_CELL_FIXED3}},
};

#define MB 1048576.0
#define US 1000.0

static const AscendMode hccs_modes[] = {
    {"Tx (MB/s)", "tx", "tx", "tx", MB, ASCEND_MODE_EXTREMES},
    {"Rx (MB/s)", "rx", "rx", "rx", MB, ASCEND_MODE_EXTREMES},
};

#define MEANS(title_, field_, unit_)                                                               \
    {title_, field_ "_min", field_ "_max", field_ "_avg", unit_, ASCEND_MODE_MEANS}

static const AscendMode pcie_modes[] = {
    MEANS("Tx_p_avg(MB/s)", "tx_post", MB),  MEANS("Tx_np_avg(MB/s)", "tx_nonpost", MB),
    MEANS("Tx_cpl_avg(MB/s)", "tx_cpl", MB), MEANS("Tx_latency_avg(us)", "tx_nonpost_latency", US),
    MEANS("Rx_p_avg(MB/s)", "rx_post", MB),  MEANS("Rx_np_avg(MB/s)", "rx_nonpost", MB),
    MEANS("Rx_cpl_avg(MB/s)", "rx_cpl", MB),
};

#define MODES(table_) .modes = table_, .n_modes = sizeof(table_) / sizeof((table_)[0])
#define COLUMNS(table_) table_, sizeof(table_) / sizeof((table_)[0])

/* One row for each file. */
const AscendFile ascend_files[] = {
    {"kernel_details.csv", "kernel_detail", COLUMNS(kernel_details), 0, ASCEND_LEVELS,
     ASCEND_FILE_DERIVED, ASCEND_ORDER_DEVICE_BEGIN},
    {"op_statistic.csv", "op_statistic", COLUMNS(op_statistic), 0, ASCEND_L12, ASCEND_FILE_DERIVED,
     ASCEND_ORDER_NONE},
    {"api_statistic.csv", "api_statistic", COLUMNS(api_statistic), 0, ASCEND_L12,
     ASCEND_FILE_DERIVED, ASCEND_ORDER_NONE},
    {"l2_cache.csv", "l2_cache", COLUMNS(l2_cache), 0, 0, 0, ASCEND_ORDER_BEGIN},
    {"soc_pmu.csv", "soc_pmu", COLUMNS(soc_pmu), ASCEND_G3, 0, 0, ASCEND_ORDER_BEGIN},
    {"task_time.csv", "device_task", COLUMNS(task_time), ASCEND_G3, 0, ASCEND_FILE_DERIVED,
     ASCEND_ORDER_BEGIN},
    {"memory_record.csv", "memory_total", COLUMNS(memory_record), 0, 0, ASCEND_FILE_DERIVED,
     ASCEND_ORDER_FIRST_BEGIN, .first_name = "APP"},
    {"operator_memory.csv", "memory_block", COLUMNS(operator_memory), 0, 0, ASCEND_FILE_DERIVED,
     ASCEND_ORDER_BEGIN, .only_field = "component", .only_text = "PTA"},
    {"operator_memory.csv", "memory_block", COLUMNS(operator_memory_ge), 0, 0, ASCEND_FILE_DERIVED,
     ASCEND_ORDER_RELEASE, .only_field = "component", .only_text = "GE", .name_prefix = "cann::"},
    {"npu_module_mem.csv", "module_memory", COLUMNS(npu_module_mem), 0, 0, 0,
     ASCEND_ORDER_MODULE_BEGIN},
    {"operator_details.csv", "operator_device", COLUMNS(operator_details), 0, 0,
     ASCEND_FILE_DERIVED, ASCEND_ORDER_NONE, .skip_prefix = "ProfilerStep#"},
    {"operator_details.csv", "operator_detail", COLUMNS(operator_details_host), 0, 0,
     ASCEND_FILE_DERIVED | ASCEND_FILE_FALLBACK, ASCEND_ORDER_BEGIN,
     .skip_prefix = "ProfilerStep#"},
    {"step_trace_time.csv", "step_trace", COLUMNS(step_trace_time), 0, 0, ASCEND_FILE_DERIVED,
     ASCEND_ORDER_NONE},
    {"data_preprocess.csv", "aicpu", COLUMNS(data_preprocess), 0, ASCEND_L2, 0, ASCEND_ORDER_BEGIN},
    {"nic.csv", "nic", COLUMNS(ports), 0, 0, 0, ASCEND_ORDER_NONE},
    {"roce.csv", "roce", COLUMNS(ports), 0, 0, 0, ASCEND_ORDER_NONE},
    {"hccs.csv", "hccs", COLUMNS(hccs), 0, 0, ASCEND_FILE_DERIVED, MODES(hccs_modes)},
    {"pcie.csv", "pcie", COLUMNS(pcie), 0, 0, ASCEND_FILE_DERIVED, MODES(pcie_modes)},
};
const uint32_t n_ascend_files = sizeof ascend_files / sizeof ascend_files[0];
