/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of the databases as data, with one row for each column. An importer reads a table
 * without an entry into a kind that it makes from the table's columns. */
#include "ascend-db.h"

#include <string.h>

static const AscendDbColumn string_ids_columns[] = {
    {"id", "INTEGER PRIMARY KEY", NULL, ASCEND_DB_SPECIAL},
    {"value", "TEXT", NULL, ASCEND_DB_SPECIAL},
};

static const AscendDbColumn session_time_info_columns[] = {
    {"startTimeNs", "INTEGER", NULL, ASCEND_DB_SPECIAL},
    {"endTimeNs", "INTEGER", NULL, ASCEND_DB_SPECIAL},
};

static const AscendDbColumn npu_info_columns[] = {
    {"id", "INTEGER", "device", ASCEND_DB_NUMBER},
    {"name", "TEXT", STROBE_COLUMN_NAME, ASCEND_DB_TEXT},
};

static const AscendDbColumn host_info_columns[] = {
    {"hostUid", "TEXT", NULL, ASCEND_DB_SPECIAL},
    {"hostName", "TEXT", NULL, ASCEND_DB_SPECIAL},
};

static const AscendDbColumn rank_device_map_columns[] = {
    {"rankId", "INTEGER", "rank", ASCEND_DB_NUMBER},
    {"deviceId", "INTEGER", "device", ASCEND_DB_NUMBER},
};

static const AscendDbColumn meta_data_columns[] = {
    {"name", "TEXT", NULL, ASCEND_DB_SPECIAL},
    {"value", "TEXT", NULL, ASCEND_DB_SPECIAL},
};

static const AscendDbColumn task_columns[] = {
    {"startNs", "INTEGER", STROBE_COLUMN_BEGIN, ASCEND_DB_NS},
    {"endNs", "INTEGER", STROBE_COLUMN_END, ASCEND_DB_NS},
    {"deviceId", "INTEGER", STROBE_COLUMN_DEVICE, ASCEND_DB_NUMBER},
    {"connectionId", "INTEGER", "connection", ASCEND_DB_NUMBER, 0, NULL, "4294967295"},
    {"globalTaskId", "INTEGER", "task", ASCEND_DB_NUMBER},
    {"globalPid", "INTEGER", STROBE_COLUMN_TRACK, ASCEND_DB_GLOBAL_PID},
    {"taskType", "INTEGER", "host_type", ASCEND_DB_STRING},
    {"contextId", "INTEGER", "context", ASCEND_DB_NUMBER, 0, NULL, "4294967295"},
    {"streamId", "INTEGER", "stream", ASCEND_DB_NUMBER},
    {"taskId", "INTEGER", "task_id", ASCEND_DB_NUMBER},
    {"modelId", "INTEGER", "model", ASCEND_DB_NUMBER, 0, NULL, "4294967295"},
};

static const AscendDbColumn compute_task_info_columns[] = {
    {"name", "INTEGER", STROBE_COLUMN_NAME, ASCEND_DB_STRING},
    {"globalTaskId", "INTEGER PRIMARY KEY", "task", ASCEND_DB_NUMBER},
    {"blockDim", "INTEGER", "block_num", ASCEND_DB_NUMBER, ASCEND_G12},
    {"mixBlockDim", "INTEGER", "mix_block_num", ASCEND_DB_NUMBER, ASCEND_G12},
    {"blockNum", "INTEGER", "block_num", ASCEND_DB_NUMBER, ASCEND_G3},
    {"mixBlockNum", "INTEGER", "mix_block_num", ASCEND_DB_NUMBER, ASCEND_G3},
    {"taskType", "INTEGER", "core", ASCEND_DB_STRING, 0, NULL, "N/A"},
    {"opType", "INTEGER", "op_type", ASCEND_DB_STRING, 0, NULL, "N/A"},
    {"inputFormats", "INTEGER", "input_formats", ASCEND_DB_STRING, 0, NULL, "N/A"},
    {"inputDataTypes", "INTEGER", "input_types", ASCEND_DB_STRING, 0, NULL, "N/A"},
    {"inputShapes", "INTEGER", "input_shapes", ASCEND_DB_STRING, 0, NULL, "N/A"},
    {"outputFormats", "INTEGER", "output_formats", ASCEND_DB_STRING, 0, NULL, "N/A"},
    {"outputDataTypes", "INTEGER", "output_types", ASCEND_DB_STRING, 0, NULL, "N/A"},
    {"outputShapes", "INTEGER", "output_shapes", ASCEND_DB_STRING, 0, NULL, "N/A"},
    {"attrInfo", "INTEGER", "attributes", ASCEND_DB_STRING, 0, NULL, "N/A"},
    {"opState", "INTEGER", "op_state", ASCEND_DB_STRING, ASCEND_G3, NULL, "N/A"},
    {"hf32Eligible", "INTEGER", "hf32", ASCEND_DB_STRING, ASCEND_G3, NULL, "N/A"},
    {"gridDim", "INTEGER", "grid_dim", ASCEND_DB_STRING, ASCEND_G3, NULL, "N/A"},
    {"blockDim", "INTEGER", "block_dim", ASCEND_DB_STRING, ASCEND_G3, NULL, "N/A"},
};

static const AscendDbColumn communication_task_info_columns[] = {
    {"name", "INTEGER", NULL, ASCEND_DB_SPECIAL},
    {"globalTaskId", "INTEGER", "task", ASCEND_DB_NUMBER},
    {"taskType", "INTEGER", STROBE_COLUMN_NAME, ASCEND_DB_STRING},
    {"planeId", "INTEGER", "plane", ASCEND_DB_NUMBER, 0, NULL, "4294967295"},
    {"groupName", "INTEGER", "group", ASCEND_DB_STRING},
    {"notifyId", "INTEGER", NULL, ASCEND_DB_SPECIAL},
    {"rdmaType", "INTEGER", "rdma_type", ASCEND_DB_ENUM, 0, "HCCL_RDMA_TYPE"},
    {"srcRank", "INTEGER", "source_rank", ASCEND_DB_NUMBER, 0, NULL, "4294967295"},
    {"dstRank", "INTEGER", "target_rank", ASCEND_DB_NUMBER, 0, NULL, "4294967295"},
    {"transportType", "INTEGER", "transport", ASCEND_DB_ENUM, 0, "HCCL_TRANSPORT_TYPE"},
    {"size", "INTEGER", "size", ASCEND_DB_NUMBER, 0, NULL, "-1"},
    {"dataType", "INTEGER", "data_type", ASCEND_DB_ENUM, 0, "HCCL_DATA_TYPE"},
    {"linkType", "INTEGER", "link_type", ASCEND_DB_ENUM, 0, "HCCL_LINK_TYPE"},
    {"opId", "INTEGER", "op", ASCEND_DB_NUMBER},
    {"isMaster", "INTEGER", "is_master", ASCEND_DB_NUMBER, ASCEND_G3},
    {"bandwidth", "NUMERIC", "bandwidth", ASCEND_DB_NUMBER, ASCEND_G3},
};

static const AscendDbColumn communication_op_columns[] = {
    {"opName", "INTEGER", STROBE_COLUMN_NAME, ASCEND_DB_STRING},
    {"startNs", "INTEGER", STROBE_COLUMN_BEGIN, ASCEND_DB_NS},
    {"endNs", "INTEGER", STROBE_COLUMN_END, ASCEND_DB_NS},
    {"connectionId", "INTEGER", "connection", ASCEND_DB_NUMBER},
    {"groupName", "INTEGER", "group", ASCEND_DB_STRING},
    {"opId", "INTEGER PRIMARY KEY", "op", ASCEND_DB_NUMBER},
    {"relay", "INTEGER", "relay", ASCEND_DB_NUMBER},
    {"retry", "INTEGER", "retry", ASCEND_DB_NUMBER},
    {"dataType", "INTEGER", "data_type", ASCEND_DB_ENUM, 0, "HCCL_DATA_TYPE"},
    {"algType", "INTEGER", "algorithm", ASCEND_DB_STRING},
    {"count", "NUMERIC", "count", ASCEND_DB_NUMBER},
    {"opType", "INTEGER", "op_type", ASCEND_DB_STRING},
    {"deviceId", "INTEGER", STROBE_COLUMN_DEVICE, ASCEND_DB_NUMBER, ASCEND_G3},
    {"rankSize", "INTEGER", "rank_size", ASCEND_DB_NUMBER, ASCEND_G3},
};

static const AscendDbColumn communication_schedule_task_info_columns[] = {
    {"name", "INTEGER", STROBE_COLUMN_NAME, ASCEND_DB_STRING},
    {"globalTaskId", "INTEGER PRIMARY KEY", "task", ASCEND_DB_NUMBER},
    {"taskType", "INTEGER", "core", ASCEND_DB_STRING},
    {"opType", "INTEGER", "op_type", ASCEND_DB_STRING},
};

static const AscendDbColumn cann_api_columns[] = {
    {"startNs", "INTEGER", STROBE_COLUMN_BEGIN, ASCEND_DB_NS},
    {"endNs", "INTEGER", STROBE_COLUMN_END, ASCEND_DB_NS},
    {"type", "INTEGER", "level", ASCEND_DB_ENUM, 0, "API_TYPE"},
    {"globalTid", "INTEGER", STROBE_COLUMN_TRACK, ASCEND_DB_GLOBAL_TID},
    {"connectionId", "INTEGER PRIMARY KEY", "connection", ASCEND_DB_NUMBER},
    {"name", "INTEGER", STROBE_COLUMN_NAME, ASCEND_DB_STRING},
};

static const AscendDbColumn npu_mem_columns[] = {
    {"type", "INTEGER", STROBE_COLUMN_NAME, ASCEND_DB_STRING},
    {"ddr", "NUMERIC", "ddr", ASCEND_DB_NUMBER},
    {"hbm", "NUMERIC", "hbm", ASCEND_DB_NUMBER},
    {"timestampNs", "INTEGER", STROBE_COLUMN_BEGIN, ASCEND_DB_NS},
    {"deviceId", "INTEGER", "device", ASCEND_DB_NUMBER},
};

static const AscendDbColumn npu_module_mem_columns[] = {
    {"moduleId", "INTEGER", "module", ASCEND_DB_NUMBER},
    {"timestampNs", "INTEGER", STROBE_COLUMN_BEGIN, ASCEND_DB_NS},
    {"totalReserved", "NUMERIC", "reserved", ASCEND_DB_NUMBER},
    {"deviceId", "INTEGER", "device", ASCEND_DB_NUMBER},
};

static const AscendDbColumn npu_op_mem_columns[] = {
    {"operatorName", "INTEGER", STROBE_COLUMN_NAME, ASCEND_DB_STRING},
    {"addr", "INTEGER", "address", ASCEND_DB_NUMBER},
    {"type", "INTEGER", NULL, ASCEND_DB_SPECIAL},
    {"size", "INTEGER", NULL, ASCEND_DB_SPECIAL},
    {"timestampNs", "INTEGER", STROBE_COLUMN_BEGIN, ASCEND_DB_NS},
    {"globalTid", "INTEGER", STROBE_COLUMN_TRACK, ASCEND_DB_GLOBAL_TID},
    {"totalAllocate", "NUMERIC", "total_allocated", ASCEND_DB_NUMBER},
    {"totalReserve", "NUMERIC", "total_reserved", ASCEND_DB_NUMBER},
    {"component", "INTEGER", "component", ASCEND_DB_STRING},
    {"deviceId", "INTEGER", "device", ASCEND_DB_NUMBER},
};

static const AscendDbColumn hbm_columns[] = {
    {"deviceId", "INTEGER", "device", ASCEND_DB_NUMBER},
    {"timestampNs", "INTEGER", STROBE_COLUMN_BEGIN, ASCEND_DB_NS},
    {"bandwidth", "NUMERIC", "bandwidth", ASCEND_DB_NUMBER},
    {"hbmId", "INTEGER", "id", ASCEND_DB_NUMBER},
    {"type", "INTEGER", STROBE_COLUMN_NAME, ASCEND_DB_STRING},
};

static const AscendDbColumn llc_columns[] = {
    {"deviceId", "INTEGER", "device", ASCEND_DB_NUMBER},
    {"llcId", "INTEGER", "id", ASCEND_DB_NUMBER},
    {"timestampNs", "INTEGER", STROBE_COLUMN_BEGIN, ASCEND_DB_NS},
    {"hitRate", "REAL", "hit_rate", ASCEND_DB_NUMBER},
    {"throughput", "INTEGER", "throughput", ASCEND_DB_NUMBER},
    {"mode", "INTEGER", STROBE_COLUMN_NAME, ASCEND_DB_STRING},
};

static const AscendDbColumn ddr_columns[] = {
    {"deviceId", "INTEGER", "device", ASCEND_DB_NUMBER},
    {"timestampNs", "INTEGER", STROBE_COLUMN_BEGIN, ASCEND_DB_NS},
    {"read", "NUMERIC", "read", ASCEND_DB_NUMBER},
    {"write", "NUMERIC", "write", ASCEND_DB_NUMBER},
};

static const AscendDbColumn task_pmu_info_columns[] = {
    {"globalTaskId", "INTEGER", "task", ASCEND_DB_NUMBER},
    {"name", "INTEGER", NULL, ASCEND_DB_SPECIAL},
    {"value", "NUMERIC", NULL, ASCEND_DB_SPECIAL},
};

static const AscendDbColumn acc_pmu_columns[] = {
    {"accId", "INTEGER", "id", ASCEND_DB_NUMBER},
    {"readBwLevel", "INTEGER", "read_bandwidth", ASCEND_DB_NUMBER},
    {"writeBwLevel", "INTEGER", "write_bandwidth", ASCEND_DB_NUMBER},
    {"readOstLevel", "INTEGER", "read_ost", ASCEND_DB_NUMBER},
    {"writeOstLevel", "INTEGER", "write_ost", ASCEND_DB_NUMBER},
    {"timestampNs", "NUMERIC", STROBE_COLUMN_BEGIN, ASCEND_DB_NS},
    {"deviceId", "INTEGER", "device", ASCEND_DB_NUMBER},
};

static const AscendDbColumn soc_bandwidth_level_columns[] = {
    {"l2BufferBwLevel", "INTEGER", "l2_buffer", ASCEND_DB_NUMBER},
    {"mataBwLevel", "INTEGER", "mata", ASCEND_DB_NUMBER},
    {"timestampNs", "NUMERIC", STROBE_COLUMN_BEGIN, ASCEND_DB_NS},
    {"deviceId", "INTEGER", "device", ASCEND_DB_NUMBER},
};

static const AscendDbColumn aicore_freq_columns[] = {
    {"deviceId", "INTEGER", "device", ASCEND_DB_NUMBER},
    {"timestampNs", "NUMERIC", STROBE_COLUMN_BEGIN, ASCEND_DB_NS},
    {"freq", "INTEGER", "frequency", ASCEND_DB_NUMBER},
    {"dieId", "NUMERIC", "die", ASCEND_DB_NUMBER, ASCEND_G3},
};

static const AscendDbColumn nic_columns[] = {
    {"deviceId", "INTEGER", "device", ASCEND_DB_NUMBER},
    {"timestampNs", "INTEGER", STROBE_COLUMN_BEGIN, ASCEND_DB_NS},
    {"bandwidth", "INTEGER", "bandwidth", ASCEND_DB_NUMBER},
    {"rxPacketRate", "NUMERIC", "rx_packet_rate", ASCEND_DB_NUMBER},
    {"rxByteRate", "NUMERIC", "rx_byte_rate", ASCEND_DB_NUMBER},
    {"rxPackets", "INTEGER", "rx_packets", ASCEND_DB_NUMBER},
    {"rxBytes", "INTEGER", "rx_bytes", ASCEND_DB_NUMBER},
    {"rxErrors", "INTEGER", "rx_errors", ASCEND_DB_NUMBER},
    {"rxDropped", "INTEGER", "rx_dropped", ASCEND_DB_NUMBER},
    {"txPacketRate", "NUMERIC", "tx_packet_rate", ASCEND_DB_NUMBER},
    {"txByteRate", "NUMERIC", "tx_byte_rate", ASCEND_DB_NUMBER},
    {"txPackets", "INTEGER", "tx_packets", ASCEND_DB_NUMBER},
    {"txBytes", "INTEGER", "tx_bytes", ASCEND_DB_NUMBER},
    {"txErrors", "INTEGER", "tx_errors", ASCEND_DB_NUMBER},
    {"txDropped", "INTEGER", "tx_dropped", ASCEND_DB_NUMBER},
    {"funcId", "INTEGER", "port", ASCEND_DB_NUMBER},
};

static const AscendDbColumn pcie_columns[] = {
    {"deviceId", "INTEGER", "device", ASCEND_DB_NUMBER},
    {"timestampNs", "INTEGER", STROBE_COLUMN_BEGIN, ASCEND_DB_NS},
    {"txPostMin", "NUMERIC", "tx_post_min", ASCEND_DB_NUMBER},
    {"txPostMax", "NUMERIC", "tx_post_max", ASCEND_DB_NUMBER},
    {"txPostAvg", "NUMERIC", "tx_post_avg", ASCEND_DB_NUMBER},
    {"txNonpostMin", "NUMERIC", "tx_nonpost_min", ASCEND_DB_NUMBER},
    {"txNonpostMax", "NUMERIC", "tx_nonpost_max", ASCEND_DB_NUMBER},
    {"txNonpostAvg", "NUMERIC", "tx_nonpost_avg", ASCEND_DB_NUMBER},
    {"txCplMin", "NUMERIC", "tx_cpl_min", ASCEND_DB_NUMBER},
    {"txCplMax", "NUMERIC", "tx_cpl_max", ASCEND_DB_NUMBER},
    {"txCplAvg", "NUMERIC", "tx_cpl_avg", ASCEND_DB_NUMBER},
    {"txNonpostLatencyMin", "NUMERIC", "tx_nonpost_latency_min", ASCEND_DB_NUMBER},
    {"txNonpostLatencyMax", "NUMERIC", "tx_nonpost_latency_max", ASCEND_DB_NUMBER},
    {"txNonpostLatencyAvg", "NUMERIC", "tx_nonpost_latency_avg", ASCEND_DB_NUMBER},
    {"rxPostMin", "NUMERIC", "rx_post_min", ASCEND_DB_NUMBER},
    {"rxPostMax", "NUMERIC", "rx_post_max", ASCEND_DB_NUMBER},
    {"rxPostAvg", "NUMERIC", "rx_post_avg", ASCEND_DB_NUMBER},
    {"rxNonpostMin", "NUMERIC", "rx_nonpost_min", ASCEND_DB_NUMBER},
    {"rxNonpostMax", "NUMERIC", "rx_nonpost_max", ASCEND_DB_NUMBER},
    {"rxNonpostAvg", "NUMERIC", "rx_nonpost_avg", ASCEND_DB_NUMBER},
    {"rxCplMin", "NUMERIC", "rx_cpl_min", ASCEND_DB_NUMBER},
    {"rxCplMax", "NUMERIC", "rx_cpl_max", ASCEND_DB_NUMBER},
    {"rxCplAvg", "NUMERIC", "rx_cpl_avg", ASCEND_DB_NUMBER},
};

static const AscendDbColumn hccs_columns[] = {
    {"deviceId", "INTEGER", "device", ASCEND_DB_NUMBER},
    {"timestampNs", "INTEGER", STROBE_COLUMN_BEGIN, ASCEND_DB_NS},
    {"txThroughput", "NUMERIC", "tx", ASCEND_DB_NUMBER},
    {"rxThroughput", "NUMERIC", "rx", ASCEND_DB_NUMBER},
};

static const AscendDbColumn netdev_stats_columns[] = {
    {"deviceId", "INTEGER", "device", ASCEND_DB_NUMBER},
    {"timestampNs", "INTEGER", STROBE_COLUMN_BEGIN, ASCEND_DB_NS},
    {"macTxPfcPkt", "INTEGER", "mac_tx_pfc_packets", ASCEND_DB_NUMBER},
    {"macRxPfcPkt", "INTEGER", "mac_rx_pfc_packets", ASCEND_DB_NUMBER},
    {"macTxByte", "INTEGER", "mac_tx_bytes", ASCEND_DB_NUMBER},
    {"macTxBandwidth", "NUMERIC", "mac_tx_bandwidth", ASCEND_DB_NUMBER},
    {"macRxByte", "INTEGER", "mac_rx_bytes", ASCEND_DB_NUMBER},
    {"macRxBandwidth", "NUMERIC", "mac_rx_bandwidth", ASCEND_DB_NUMBER},
    {"macTxBadByte", "INTEGER", "mac_tx_bad_bytes", ASCEND_DB_NUMBER},
    {"macRxBadByte", "INTEGER", "mac_rx_bad_bytes", ASCEND_DB_NUMBER},
    {"roceTxPkt", "INTEGER", "roce_tx_packets", ASCEND_DB_NUMBER},
    {"roceRxPkt", "INTEGER", "roce_rx_packets", ASCEND_DB_NUMBER},
    {"roceTxErrPkt", "INTEGER", "roce_tx_errors", ASCEND_DB_NUMBER},
    {"roceRxErrPkt", "INTEGER", "roce_rx_errors", ASCEND_DB_NUMBER},
    {"roceTxCnpPkt", "INTEGER", "roce_tx_cnp", ASCEND_DB_NUMBER},
    {"roceRxCnpPkt", "INTEGER", "roce_rx_cnp", ASCEND_DB_NUMBER},
    {"roceNewPktRty", "INTEGER", "roce_retries", ASCEND_DB_NUMBER},
    {"nicTxByte", "INTEGER", "nic_tx_bytes", ASCEND_DB_NUMBER},
    {"nicTxBandwidth", "NUMERIC", "nic_tx_bandwidth", ASCEND_DB_NUMBER},
    {"nicRxByte", "INTEGER", "nic_rx_bytes", ASCEND_DB_NUMBER},
    {"nicRxBandwidth", "NUMERIC", "nic_rx_bandwidth", ASCEND_DB_NUMBER},
};

static const AscendDbColumn mstx_events_columns[] = {
    {"startNs", "INTEGER", NULL, ASCEND_DB_SPECIAL},
    {"endNs", "INTEGER", NULL, ASCEND_DB_SPECIAL},
    {"eventType", "INTEGER", NULL, ASCEND_DB_SPECIAL},
    {"rangeId", "INTEGER", NULL, ASCEND_DB_SPECIAL},
    {"category", "INTEGER", NULL, ASCEND_DB_SPECIAL},
    {"message", "INTEGER", NULL, ASCEND_DB_SPECIAL},
    {"globalTid", "INTEGER", NULL, ASCEND_DB_SPECIAL},
    {"endGlobalTid", "INTEGER", NULL, ASCEND_DB_SPECIAL},
    {"domainId", "INTEGER", NULL, ASCEND_DB_SPECIAL},
    {"connectionId", "INTEGER", NULL, ASCEND_DB_SPECIAL},
};

static const AscendDbColumn memcpy_info_columns[] = {
    {"globalTaskId", "NUMERIC", "task", ASCEND_DB_NUMBER},
    {"size", "NUMERIC", "copy_bytes", ASCEND_DB_NUMBER},
    {"memcpyOperation", "NUMERIC", "copy_direction", ASCEND_DB_ENUM, 0, "MEMCPY_OPERATION"},
};

static const AscendDbColumn overlap_analysis_columns[] = {
    {"id", "INTEGER PRIMARY KEY", NULL, ASCEND_DB_SPECIAL},
    {"deviceId", "INTEGER", "device", ASCEND_DB_NUMBER},
    {"startNs", "NUMERIC", STROBE_COLUMN_BEGIN, ASCEND_DB_NS},
    {"endNs", "NUMERIC", STROBE_COLUMN_END, ASCEND_DB_NS},
    {"type", "INTEGER", "type", ASCEND_DB_NUMBER},
};

static const AscendDbColumn qos_columns[] = {
    {"deviceId", "INTEGER", "device", ASCEND_DB_NUMBER},
    {"eventName", "NUMERIC", STROBE_COLUMN_NAME, ASCEND_DB_STRING},
    {"bandwidth", "NUMERIC", "bandwidth", ASCEND_DB_NUMBER},
    {"timestampNs", "NUMERIC", STROBE_COLUMN_BEGIN, ASCEND_DB_NS},
    {"dieId", "NUMERIC", "die", ASCEND_DB_NUMBER},
};

static const AscendDbColumn cpu_usage_columns[] = {
    {"timestampNs", "NUMERIC", STROBE_COLUMN_BEGIN, ASCEND_DB_NS},
    {"cpuId", "NUMERIC", "processor", ASCEND_DB_NUMBER},
    {"usage", "NUMERIC", "usage", ASCEND_DB_NUMBER},
};

static const AscendDbColumn host_mem_usage_columns[] = {
    {"timestampNs", "NUMERIC", STROBE_COLUMN_BEGIN, ASCEND_DB_NS},
    {"usage", "NUMERIC", "usage", ASCEND_DB_NUMBER},
};

static const AscendDbColumn host_disk_usage_columns[] = {
    {"timestampNs", "NUMERIC", STROBE_COLUMN_BEGIN, ASCEND_DB_NS},
    {"readRate", "NUMERIC", "read_rate", ASCEND_DB_NUMBER},
    {"writeRate", "NUMERIC", "write_rate", ASCEND_DB_NUMBER},
    {"usage", "NUMERIC", "usage", ASCEND_DB_NUMBER},
};

static const AscendDbColumn host_network_usage_columns[] = {
    {"timestampNs", "NUMERIC", STROBE_COLUMN_BEGIN, ASCEND_DB_NS},
    {"usage", "NUMERIC", "usage", ASCEND_DB_NUMBER},
    {"speed", "NUMERIC", "speed", ASCEND_DB_NUMBER},
};

static const AscendDbColumn osrt_api_columns[] = {
    {"name", "NUMERIC", STROBE_COLUMN_NAME, ASCEND_DB_STRING},
    {"globalTid", "NUMERIC", STROBE_COLUMN_TRACK, ASCEND_DB_GLOBAL_TID},
    {"startNs", "NUMERIC", STROBE_COLUMN_BEGIN, ASCEND_DB_NS},
    {"endNs", "NUMERIC", STROBE_COLUMN_END, ASCEND_DB_NS},
};

static const AscendDbColumn sio_columns[] = {
    {"deviceId", "INTEGER", "device", ASCEND_DB_NUMBER},
    {"name", "NUMERIC", STROBE_COLUMN_NAME, ASCEND_DB_STRING},
    {"timestampNs", "NUMERIC", STROBE_COLUMN_BEGIN, ASCEND_DB_NS},
    {"rxReq", "NUMERIC", "rx_req", ASCEND_DB_NUMBER},
    {"rxRsp", "NUMERIC", "rx_rsp", ASCEND_DB_NUMBER},
    {"rxSnp", "NUMERIC", "rx_snp", ASCEND_DB_NUMBER},
    {"rxDat", "NUMERIC", "rx_dat", ASCEND_DB_NUMBER},
    {"txReq", "NUMERIC", "tx_req", ASCEND_DB_NUMBER},
    {"txRsp", "NUMERIC", "tx_rsp", ASCEND_DB_NUMBER},
    {"txSnp", "NUMERIC", "tx_snp", ASCEND_DB_NUMBER},
    {"txDat", "NUMERIC", "tx_dat", ASCEND_DB_NUMBER},
};

static const AscendDbColumn sample_pmu_timeline_columns[] = {
    {"deviceId", "INTEGER", "device_id", ASCEND_DB_NUMBER},
    {"timestampNs", "INTEGER", "timestamp_ns", ASCEND_DB_NUMBER},
    {"totalCycle", "INTEGER", "total_cycle", ASCEND_DB_NUMBER},
    {"usage", "NUMERIC", "usage", ASCEND_DB_NUMBER},
    {"freq", "NUMERIC", "freq", ASCEND_DB_NUMBER},
    {"coreId", "INTEGER", "core_id", ASCEND_DB_NUMBER},
    {"coreType", "INTEGER", "core_type", ASCEND_DB_STRING},
};

static const AscendDbColumn sample_pmu_summary_columns[] = {
    {"deviceId", "INTEGER", "device_id", ASCEND_DB_NUMBER},
    {"metric", "INTEGER", "metric", ASCEND_DB_STRING},
    {"value", "NUMERIC", "value", ASCEND_DB_NUMBER},
    {"coreId", "INTEGER", "core_id", ASCEND_DB_NUMBER},
    {"coreType", "INTEGER", "core_type", ASCEND_DB_STRING},
};

static const AscendDbColumn dpu_task_columns[] = {
    {"dpuDeviceId", "INTEGER", "dpu_device_id", ASCEND_DB_NUMBER},
    {"globalTid", "NUMERIC", "global_tid", ASCEND_DB_NUMBER},
    {"startNs", "NUMERIC", "start_ns", ASCEND_DB_NUMBER},
    {"endNs", "NUMERIC", "end_ns", ASCEND_DB_NUMBER},
    {"globalTaskId", "NUMERIC", "global_task_id", ASCEND_DB_NUMBER},
    {"streamId", "NUMERIC", "stream_id", ASCEND_DB_NUMBER},
    {"taskId", "NUMERIC", "task_id", ASCEND_DB_NUMBER},
    {"opName", "NUMERIC", "op_name", ASCEND_DB_STRING},
    {"args", "NUMERIC", "args", ASCEND_DB_STRING},
};

static const AscendDbColumn ub_columns[] = {
    {"deviceId", "NUMERIC", "device_id", ASCEND_DB_NUMBER},
    {"portId", "NUMERIC", "port_id", ASCEND_DB_NUMBER},
    {"timestampNs", "NUMERIC", "timestamp_ns", ASCEND_DB_NUMBER},
    {"rxUdmaBind", "NUMERIC", "rx_udma_bind", ASCEND_DB_NUMBER},
    {"txUdmaBind", "NUMERIC", "tx_udma_bind", ASCEND_DB_NUMBER},
};

static const AscendDbColumn ccu_columns[] = {
    {"deviceId", "NUMERIC", "device_id", ASCEND_DB_NUMBER},
    {"globalTaskId", "NUMERIC", "global_task_id", ASCEND_DB_NUMBER},
    {"name", "NUMERIC", "name", ASCEND_DB_STRING},
    {"startNs", "NUMERIC", "start_ns", ASCEND_DB_NUMBER},
    {"endNs", "NUMERIC", "end_ns", ASCEND_DB_NUMBER},
    {"args", "NUMERIC", "args", ASCEND_DB_STRING},
};

static const AscendDbColumn pytorch_api_columns[] = {
    {"startNs", "TEXT", NULL, ASCEND_DB_SPECIAL},
    {"endNs", "TEXT", NULL, ASCEND_DB_SPECIAL},
    {"globalTid", "INTEGER", NULL, ASCEND_DB_SPECIAL},
    {"connectionId", "INTEGER", NULL, ASCEND_DB_SPECIAL},
    {"name", "INTEGER", NULL, ASCEND_DB_SPECIAL},
    {"sequenceNumber", "INTEGER", NULL, ASCEND_DB_SPECIAL},
    {"fwdThreadId", "INTEGER", NULL, ASCEND_DB_SPECIAL},
    {"inputDtypes", "INTEGER", NULL, ASCEND_DB_SPECIAL},
    {"inputShapes", "INTEGER", NULL, ASCEND_DB_SPECIAL},
    {"callchainId", "INTEGER", NULL, ASCEND_DB_SPECIAL},
    {"type", "INTEGER", NULL, ASCEND_DB_SPECIAL},
};

static const AscendDbColumn connection_ids_columns[] = {
    {"id", "INTEGER", NULL, ASCEND_DB_SPECIAL},
    {"connectionId", "INTEGER", NULL, ASCEND_DB_SPECIAL},
};

static const AscendDbColumn pytorch_callchains_columns[] = {
    {"id", "INTEGER", NULL, ASCEND_DB_SPECIAL},
    {"stack", "INTEGER", NULL, ASCEND_DB_SPECIAL},
    {"stackDepth", "INTEGER", NULL, ASCEND_DB_SPECIAL},
};

static const AscendDbColumn memory_record_columns[] = {
    {"component", "INTEGER", STROBE_COLUMN_NAME, ASCEND_DB_STRING},
    {"timestamp", "INTEGER", STROBE_COLUMN_BEGIN, ASCEND_DB_NS},
    {"totalAllocated", "INTEGER", "allocated", ASCEND_DB_NUMBER},
    {"totalReserved", "INTEGER", "reserved", ASCEND_DB_NUMBER},
    {"totalActive", "INTEGER", "active", ASCEND_DB_NUMBER},
    {"streamPtr", "INTEGER", "stream", ASCEND_DB_NUMBER},
    {"deviceId", "INTEGER", "device", ASCEND_DB_NUMBER},
};

static const AscendDbColumn op_memory_columns[] = {
    {"name", "INTEGER", STROBE_COLUMN_NAME, ASCEND_DB_STRING},
    {"size", "INTEGER", "size", ASCEND_DB_NUMBER},
    {"allocationTime", "INTEGER", STROBE_COLUMN_BEGIN, ASCEND_DB_NS},
    {"releaseTime", "INTEGER", "release_time", ASCEND_DB_NUMBER},
    {"activeReleaseTime", "INTEGER", "active_release_time", ASCEND_DB_NUMBER},
    {"duration", "INTEGER", "duration", ASCEND_DB_NUMBER},
    {"activeDuration", "INTEGER", "active_duration", ASCEND_DB_NUMBER},
    {"allocationTotalAllocated", "INTEGER", "allocation_allocated", ASCEND_DB_NUMBER},
    {"allocationTotalReserved", "INTEGER", "allocation_reserved", ASCEND_DB_NUMBER},
    {"allocationTotalActive", "INTEGER", "allocation_active", ASCEND_DB_NUMBER},
    {"releaseTotalAllocated", "INTEGER", "release_allocated", ASCEND_DB_NUMBER},
    {"releaseTotalReserved", "INTEGER", "release_reserved", ASCEND_DB_NUMBER},
    {"releaseTotalActive", "INTEGER", "release_active", ASCEND_DB_NUMBER},
    {"streamPtr", "INTEGER", "stream", ASCEND_DB_NUMBER},
    {"deviceId", "INTEGER", "device", ASCEND_DB_NUMBER},
};

static const AscendDbColumn step_time_columns[] = {
    {"id", "INTEGER", "number", ASCEND_DB_NUMBER},
    {"startNs", "INTEGER", STROBE_COLUMN_BEGIN, ASCEND_DB_NS},
    {"endNs", "INTEGER", STROBE_COLUMN_END, ASCEND_DB_NS},
};

static const AscendDbColumn gc_record_columns[] = {
    {"startNs", "INTEGER", STROBE_COLUMN_BEGIN, ASCEND_DB_NS},
    {"endNs", "INTEGER", STROBE_COLUMN_END, ASCEND_DB_NS},
    {"globalTid", "INTEGER", NULL, ASCEND_DB_SPECIAL},
};

static const AscendDbColumn step_trace_time_columns[] = {
    {"deviceId", "INTEGER", "device", ASCEND_DB_NUMBER, ASCEND_G23},
    {"step", "TEXT", "step", ASCEND_DB_TEXT},
    {"computing", "NUMERIC", "computing", ASCEND_DB_NUMBER},
    {"communication_not_overlapped", "NUMERIC", "communication_not_overlapped", ASCEND_DB_NUMBER},
    {"overlapped", "NUMERIC", "overlapped", ASCEND_DB_NUMBER},
    {"communication", "NUMERIC", "communication", ASCEND_DB_NUMBER},
    {"free", "NUMERIC", "free", ASCEND_DB_NUMBER},
    {"stage", "NUMERIC", "stage", ASCEND_DB_NUMBER},
    {"bubble", "NUMERIC", "bubble", ASCEND_DB_NUMBER},
    {"communication_not_overlapped_and_exclude_receive", "NUMERIC", "communication_exclude_receive",
     ASCEND_DB_NUMBER},
    {"preparing", "NUMERIC", "preparing", ASCEND_DB_NUMBER},
};

static const AscendDbColumn comm_analyzer_time_columns[] = {
    {"hccl_op_name", "TEXT", STROBE_COLUMN_NAME, ASCEND_DB_TEXT},
    {"group_name", "TEXT", "group", ASCEND_DB_TEXT},
    {"start_timestamp", "NUMERIC", "start", ASCEND_DB_NUMBER},
    {"elapse_time", "NUMERIC", "elapse", ASCEND_DB_NUMBER},
    {"transit_time", "NUMERIC", "transit", ASCEND_DB_NUMBER},
    {"wait_time", "NUMERIC", "wait", ASCEND_DB_NUMBER},
    {"synchronization_time", "NUMERIC", "synchronization", ASCEND_DB_NUMBER},
    {"idle_time", "NUMERIC", "idle", ASCEND_DB_NUMBER},
    {"step", "TEXT", NULL, ASCEND_DB_SPECIAL},
    {"type", "TEXT", "type", ASCEND_DB_TEXT},
};

static const AscendDbColumn comm_analyzer_bandwidth_columns[] = {
    {"hccl_op_name", "TEXT", STROBE_COLUMN_NAME, ASCEND_DB_TEXT},
    {"group_name", "TEXT", "group", ASCEND_DB_TEXT},
    {"transport_type", "TEXT", "transport", ASCEND_DB_TEXT},
    {"transit_size", "NUMERIC", "transit_size", ASCEND_DB_NUMBER},
    {"transit_time", "NUMERIC", "transit_time", ASCEND_DB_NUMBER},
    {"bandwidth", "NUMERIC", "bandwidth", ASCEND_DB_NUMBER},
    {"large_packet_ratio", "NUMERIC", "large_ratio", ASCEND_DB_NUMBER},
    {"package_size", "NUMERIC", "package_size", ASCEND_DB_NUMBER},
    {"count", "NUMERIC", "package_count", ASCEND_DB_NUMBER},
    {"total_duration", "NUMERIC", "package_time", ASCEND_DB_NUMBER},
    {"step", "TEXT", NULL, ASCEND_DB_SPECIAL},
    {"type", "TEXT", "type", ASCEND_DB_TEXT},
};

static const AscendDbColumn comm_analyzer_matrix_columns[] = {
    {"hccl_op_name", "TEXT", STROBE_COLUMN_NAME, ASCEND_DB_TEXT},
    {"group_name", "TEXT", "group", ASCEND_DB_TEXT},
    {"src_rank", "TEXT", "source", ASCEND_DB_TEXT},
    {"dst_rank", "TEXT", "target", ASCEND_DB_TEXT},
    {"transport_type", "TEXT", "transport", ASCEND_DB_TEXT},
    {"transit_size", "NUMERIC", "transit_size", ASCEND_DB_NUMBER},
    {"transit_time", "NUMERIC", "transit_time", ASCEND_DB_NUMBER},
    {"bandwidth", "NUMERIC", "bandwidth", ASCEND_DB_NUMBER},
    {"step", "TEXT", NULL, ASCEND_DB_SPECIAL},
    {"type", "TEXT", "type", ASCEND_DB_TEXT},
    {"op_name", "TEXT", "op_name", ASCEND_DB_TEXT},
};

#define COLUMNS(table_) table_, sizeof(table_) / sizeof((table_)[0])

const AscendDbTable ascend_db_tables[] = {
    {"STRING_IDS", NULL, COLUMNS(string_ids_columns), 0, 0, 0},
    {"SESSION_TIME_INFO", NULL, COLUMNS(session_time_info_columns), 0, 0, 0},
    {"NPU_INFO", "device_info", COLUMNS(npu_info_columns), 0, 0, 0},
    {"HOST_INFO", NULL, COLUMNS(host_info_columns), 0, 0, 0},
    {"RANK_DEVICE_MAP", "device_info", COLUMNS(rank_device_map_columns), 0, ASCEND_DB_FRAMEWORK, 0},
    {"META_DATA", NULL, COLUMNS(meta_data_columns), 0, 0, 0},
    {"TASK", "device_task", COLUMNS(task_columns), 0, 0, 0},
    {"COMPUTE_TASK_INFO", "device_task", COLUMNS(compute_task_info_columns), 0, 0, 0},
    {"COMMUNICATION_TASK_INFO", "comm_task", COLUMNS(communication_task_info_columns), 0, 0, 0},
    {"COMMUNICATION_OP", "comm_op", COLUMNS(communication_op_columns), 0, 0, 0},
    {"COMMUNICATION_SCHEDULE_TASK_INFO", "device_task",
     COLUMNS(communication_schedule_task_info_columns), ASCEND_G3, 0, 0},
    {"CANN_API", "api_call", COLUMNS(cann_api_columns), 0, 0, 0},
    {"NPU_MEM", "memory_usage", COLUMNS(npu_mem_columns), 0, 0, 0},
    {"NPU_MODULE_MEM", "module_memory", COLUMNS(npu_module_mem_columns), 0, 0, 0},
    {"NPU_OP_MEM", "memory_event", COLUMNS(npu_op_mem_columns), 0, 0, 0},
    {"HBM", "hbm", COLUMNS(hbm_columns), 0, 0, 0},
    {"LLC", "llc", COLUMNS(llc_columns), 0, 0, 0},
    {"DDR", "ddr", COLUMNS(ddr_columns), ASCEND_G3, 0, 0},
    {"TASK_PMU_INFO", "device_pmu", COLUMNS(task_pmu_info_columns), 0, 0, 0},
    {"ACC_PMU", "acc_pmu", COLUMNS(acc_pmu_columns), 0, 0, 0},
    {"SOC_BANDWIDTH_LEVEL", "soc_bandwidth", COLUMNS(soc_bandwidth_level_columns), 0, 0, 0},
    {"AICORE_FREQ", "core_frequency", COLUMNS(aicore_freq_columns), 0, 0, 0},
    {"NIC", "nic", COLUMNS(nic_columns), 0, 0, 0},
    {"ROCE", "roce", COLUMNS(nic_columns), 0, 0, 0},
    {"PCIE", "pcie", COLUMNS(pcie_columns), 0, 0, 0},
    {"HCCS", "hccs", COLUMNS(hccs_columns), 0, 0, 0},
    {"NETDEV_STATS", "mac", COLUMNS(netdev_stats_columns), ASCEND_G3, 0, 0},
    {"MSTX_EVENTS", NULL, COLUMNS(mstx_events_columns), ASCEND_G3, 0, 0},
    {"MEMCPY_INFO", "device_task", COLUMNS(memcpy_info_columns), ASCEND_G3, 0, 0},
    {"OVERLAP_ANALYSIS", "overlap", COLUMNS(overlap_analysis_columns), ASCEND_G3,
     ASCEND_FILE_DERIVED, 0},
    {"QOS", "qos", COLUMNS(qos_columns), ASCEND_G3, 0, 0},
    {"CPU_USAGE", "usage", COLUMNS(cpu_usage_columns), ASCEND_G3, 0, 0, "CPU"},
    {"HOST_MEM_USAGE", "usage", COLUMNS(host_mem_usage_columns), ASCEND_G3, 0, 0, "Memory"},
    {"HOST_DISK_USAGE", "usage", COLUMNS(host_disk_usage_columns), ASCEND_G3, 0, 0, "Disk"},
    {"HOST_NETWORK_USAGE", "usage", COLUMNS(host_network_usage_columns), ASCEND_G3, 0, 0,
     "Network"},
    {"OSRT_API", "os_call", COLUMNS(osrt_api_columns), ASCEND_G3, 0, 0},
    {"SIO", "sio", COLUMNS(sio_columns), ASCEND_G3, 0, 0},
    /* There is no standard kind for these tables: the importer reads them like an unknown table. */
    {"SAMPLE_PMU_TIMELINE", "ascend_db.sample_pmu_timeline", COLUMNS(sample_pmu_timeline_columns),
     ASCEND_G3, 0, 0},
    {"SAMPLE_PMU_SUMMARY", "ascend_db.sample_pmu_summary", COLUMNS(sample_pmu_summary_columns),
     ASCEND_G3, 0, 0},
    {"DPU_TASK", "ascend_db.dpu_task", COLUMNS(dpu_task_columns), ASCEND_G3, 0, 0},
    {"UB", "ascend_db.ub", COLUMNS(ub_columns), ASCEND_G3, 0, 0},
    {"CCU", "ascend_db.ccu", COLUMNS(ccu_columns), ASCEND_G3, 0, 0},
    {"PYTORCH_API", NULL, COLUMNS(pytorch_api_columns), 0, ASCEND_DB_FRAMEWORK, 0},
    {"CONNECTION_IDS", NULL, COLUMNS(connection_ids_columns), 0, ASCEND_DB_FRAMEWORK, 0},
    {"PYTORCH_CALLCHAINS", NULL, COLUMNS(pytorch_callchains_columns), 0, ASCEND_DB_FRAMEWORK, 0},
    {"MEMORY_RECORD", "memory_total", COLUMNS(memory_record_columns), 0, ASCEND_DB_FRAMEWORK, 0},
    {"OP_MEMORY", "memory_block", COLUMNS(op_memory_columns), 0,
     ASCEND_DB_FRAMEWORK | ASCEND_FILE_DERIVED, 0},
    {"STEP_TIME", "step", COLUMNS(step_time_columns), 0, ASCEND_DB_FRAMEWORK, 0},
    {"GC_RECORD", "gc", COLUMNS(gc_record_columns), 0, ASCEND_DB_FRAMEWORK, 0},
    {"StepTraceTime", "step_trace", COLUMNS(step_trace_time_columns), 0, ASCEND_FILE_DERIVED, 1},
    {"CommAnalyzerTime", "communication_time", COLUMNS(comm_analyzer_time_columns), 0,
     ASCEND_FILE_DERIVED, 1},
    {"CommAnalyzerBandwidth", "communication_bandwidth", COLUMNS(comm_analyzer_bandwidth_columns),
     0, ASCEND_FILE_DERIVED, 1},
    {"CommAnalyzerMatrix", "communication_matrix", COLUMNS(comm_analyzer_matrix_columns), 0,
     ASCEND_FILE_DERIVED, 1},
};
const uint32_t n_ascend_db_tables = sizeof ascend_db_tables / sizeof ascend_db_tables[0];

const AscendDbIndex ascend_db_indexes[] = {
    {"TaskIndex", "TASK", "startNs,globalTaskId"},
    {"CommunicationTaskIndex", "COMMUNICATION_TASK_INFO", "globalTaskId"},
};
const uint32_t n_ascend_db_indexes = sizeof ascend_db_indexes / sizeof ascend_db_indexes[0];

const AscendDbTable *ascend_db_table(const char *name)
{
    for (uint32_t i = 0; i < n_ascend_db_tables; i++)
        if (!strcmp(ascend_db_tables[i].name, name))
            return &ascend_db_tables[i];
    return NULL;
}

const AscendDbColumn *ascend_db_column(const AscendDbTable *table, const char *name,
                                       int32_t generation)
{
    const AscendDbColumn *other = NULL;

    for (uint32_t i = 0; i < table->n_columns; i++) {
        const AscendDbColumn *column = &table->columns[i];

        if (strcmp(column->name, name))
            continue;
        if (!column->generations || (column->generations & ascend_generation_bit(generation)))
            return column;
        other = column;
    }
    return other;
}

int ascend_db_is_source(const StrobeConsumerHost *host, StrobeInstance *self)
{
    return strstr(host->metadata_value(self, "source"), "\"ascend_db\"") ||
           strstr(host->metadata_value(self, "external"), "\"ascend_db\"");
}
