/* SPDX-License-Identifier: Apache-2.0 */
/* The enumerations of the databases as data, with one row for each entry. */
#include "ascend-db.h"

#include <string.h>

const AscendDbEnum ascend_db_enums[] = {
    {"API_TYPE", 5000, ASCEND_ALL, "runtime"},
    {"API_TYPE", 5500, ASCEND_G12, "hccl"},
    {"API_TYPE", 5500, ASCEND_G3, "communication"},
    {"API_TYPE", 10000, ASCEND_ALL, "node"},
    {"API_TYPE", 15000, ASCEND_ALL, "model"},
    {"API_TYPE", 20000, ASCEND_ALL, "acl"},
    {"API_TYPE", 50001, ASCEND_ALL, "op"},
    {"API_TYPE", 50002, ASCEND_ALL, "queue"},
    {"API_TYPE", 50003, ASCEND_ALL, "trace"},
    {"API_TYPE", 50004, ASCEND_ALL, "mstx"},
    {"HCCL_DATA_TYPE", 0, ASCEND_ALL, "INT8"},
    {"HCCL_DATA_TYPE", 1, ASCEND_ALL, "INT16"},
    {"HCCL_DATA_TYPE", 2, ASCEND_ALL, "INT32"},
    {"HCCL_DATA_TYPE", 3, ASCEND_ALL, "FP16"},
    {"HCCL_DATA_TYPE", 4, ASCEND_ALL, "FP32"},
    {"HCCL_DATA_TYPE", 5, ASCEND_ALL, "INT64"},
    {"HCCL_DATA_TYPE", 6, ASCEND_ALL, "UINT64"},
    {"HCCL_DATA_TYPE", 7, ASCEND_ALL, "UINT8"},
    {"HCCL_DATA_TYPE", 8, ASCEND_ALL, "UINT16"},
    {"HCCL_DATA_TYPE", 9, ASCEND_ALL, "UINT32"},
    {"HCCL_DATA_TYPE", 10, ASCEND_ALL, "FP64"},
    {"HCCL_DATA_TYPE", 11, ASCEND_ALL, "BFP16"},
    {"HCCL_DATA_TYPE", 12, ASCEND_ALL, "INT128"},
    {"HCCL_DATA_TYPE", 14, ASCEND_G3, "HIF8"},
    {"HCCL_DATA_TYPE", 15, ASCEND_G3, "FP8E4M3"},
    {"HCCL_DATA_TYPE", 16, ASCEND_G3, "FP8E5M2"},
    {"HCCL_DATA_TYPE", 17, ASCEND_G3, "FP8E8M0"},
    {"HCCL_DATA_TYPE", 255, ASCEND_G3, "RESERVED"},
    {"HCCL_DATA_TYPE", 65534, ASCEND_ALL, "N/A"},
    {"HCCL_DATA_TYPE", 65535, ASCEND_ALL, "INVALID_TYPE"},
    {"HCCL_LINK_TYPE", 0, ASCEND_ALL, "ON_CHIP"},
    {"HCCL_LINK_TYPE", 1, ASCEND_ALL, "HCCS"},
    {"HCCL_LINK_TYPE", 2, ASCEND_ALL, "PCIE"},
    {"HCCL_LINK_TYPE", 3, ASCEND_ALL, "ROCE"},
    {"HCCL_LINK_TYPE", 4, ASCEND_ALL, "SIO"},
    {"HCCL_LINK_TYPE", 5, ASCEND_ALL, "HCCS_SW"},
    {"HCCL_LINK_TYPE", 6, ASCEND_ALL, "STANDARD_ROCE"},
    {"HCCL_LINK_TYPE", 7, ASCEND_G12, "RESERVED"},
    {"HCCL_LINK_TYPE", 7, ASCEND_G3, "UB"},
    {"HCCL_LINK_TYPE", 8, ASCEND_G3, "UBoE"},
    {"HCCL_LINK_TYPE", 255, ASCEND_G3, "RESERVED"},
    {"HCCL_LINK_TYPE", 65534, ASCEND_ALL, "N/A"},
    {"HCCL_LINK_TYPE", 65535, ASCEND_ALL, "INVALID_TYPE"},
    {"HCCL_TRANSPORT_TYPE", 0, ASCEND_ALL, "SDMA"},
    {"HCCL_TRANSPORT_TYPE", 1, ASCEND_ALL, "RDMA"},
    {"HCCL_TRANSPORT_TYPE", 2, ASCEND_ALL, "LOCAL"},
    {"HCCL_TRANSPORT_TYPE", 3, ASCEND_G3, "UB"},
    {"HCCL_TRANSPORT_TYPE", 4, ASCEND_G3, "ROCE"},
    {"HCCL_TRANSPORT_TYPE", 255, ASCEND_G3, "RESERVED"},
    {"HCCL_TRANSPORT_TYPE", 65534, ASCEND_ALL, "N/A"},
    {"HCCL_TRANSPORT_TYPE", 65535, ASCEND_ALL, "INVALID_TYPE"},
    {"HCCL_RDMA_TYPE", 0, ASCEND_ALL, "RDMA_SEND_NOTIFY"},
    {"HCCL_RDMA_TYPE", 1, ASCEND_ALL, "RDMA_SEND_PAYLOAD"},
    {"HCCL_RDMA_TYPE", 2, ASCEND_G12, "RDMA_PAYLOAD_PREPARE"},
    {"HCCL_RDMA_TYPE", 3, ASCEND_G12, "RDMA_PAYLOAD_CHECK"},
    {"HCCL_RDMA_TYPE", 4, ASCEND_G12, "RDMA_PAYLOAD_ACK"},
    {"HCCL_RDMA_TYPE", 5, ASCEND_G12, "RDMA_SEND_OP"},
    {"HCCL_RDMA_TYPE", 255, ASCEND_G3, "RESERVED"},
    {"HCCL_RDMA_TYPE", 65534, ASCEND_ALL, "N/A"},
    {"HCCL_RDMA_TYPE", 65535, ASCEND_ALL, "INVALID_TYPE"},
    {"MSTX_EVENT_TYPE", 0, ASCEND_ALL, "marker"},
    {"MSTX_EVENT_TYPE", 1, ASCEND_ALL, "push/pop"},
    {"MSTX_EVENT_TYPE", 2, ASCEND_ALL, "start/end"},
    {"MSTX_EVENT_TYPE", 3, ASCEND_ALL, "marker_ex"},
    {"MEMCPY_OPERATION", 0, ASCEND_G3, "host to host"},
    {"MEMCPY_OPERATION", 1, ASCEND_G3, "host to device"},
    {"MEMCPY_OPERATION", 2, ASCEND_G3, "device to host"},
    {"MEMCPY_OPERATION", 3, ASCEND_G3, "device to device"},
    {"MEMCPY_OPERATION", 4, ASCEND_G3, "managed memory"},
    {"MEMCPY_OPERATION", 5, ASCEND_G3, "addr device to device"},
    {"MEMCPY_OPERATION", 6, ASCEND_G3, "host to device ex"},
    {"MEMCPY_OPERATION", 7, ASCEND_G3, "device to host ex"},
    {"MEMCPY_OPERATION", 65535, ASCEND_G3, "other"},
    {"OVERLAP_ANALYSIS_TYPE", 0, ASCEND_G3, "COMPUTE"},
    {"OVERLAP_ANALYSIS_TYPE", 1, ASCEND_G3, "COMMUNICATION"},
    {"OVERLAP_ANALYSIS_TYPE", 2, ASCEND_G3, "COMM_NOT_OVERLAP_COMP"},
    {"OVERLAP_ANALYSIS_TYPE", 3, ASCEND_G3, "FREE"},
    {"OVERLAP_ANALYSIS_TYPE", 65535, ASCEND_G3, "RESERVE"},
    {"MODULE", 0, ASCEND_ALL, "SLOG"},
    {"MODULE", 1, ASCEND_ALL, "IDEDD"},
    {"MODULE", 2, ASCEND_G12, "IDEDH"},
    {"MODULE", 2, ASCEND_G3, "SCC"},
    {"MODULE", 3, ASCEND_ALL, "HCCL"},
    {"MODULE", 4, ASCEND_ALL, "FMK"},
    {"MODULE", 5, ASCEND_G12, "HIAIENGINE"},
    {"MODULE", 5, ASCEND_G3, "CCU"},
    {"MODULE", 6, ASCEND_ALL, "DVPP"},
    {"MODULE", 7, ASCEND_ALL, "RUNTIME"},
    {"MODULE", 8, ASCEND_ALL, "CCE"},
    {"MODULE", 9, ASCEND_ALL, "HDC"},
    {"MODULE", 10, ASCEND_ALL, "DRV"},
    {"MODULE", 11, ASCEND_G12, "MDCFUSION"},
    {"MODULE", 11, ASCEND_G3, "NET"},
    {"MODULE", 12, ASCEND_G12, "MDCLOCATION"},
    {"MODULE", 13, ASCEND_G12, "MDCPERCEPTION"},
    {"MODULE", 14, ASCEND_G12, "MDCFSM"},
    {"MODULE", 15, ASCEND_G12, "MDCCOMMON"},
    {"MODULE", 16, ASCEND_G12, "MDCMONITOR"},
    {"MODULE", 17, ASCEND_G12, "MDCBSWP"},
    {"MODULE", 18, ASCEND_G12, "MDCDEFAULT"},
    {"MODULE", 19, ASCEND_G12, "MDCSC"},
    {"MODULE", 20, ASCEND_G12, "MDCPNC"},
    {"MODULE", 21, ASCEND_G12, "MLL"},
    {"MODULE", 22, ASCEND_ALL, "DEVMM"},
    {"MODULE", 23, ASCEND_ALL, "KERNEL"},
    {"MODULE", 24, ASCEND_ALL, "LIBMEDIA"},
    {"MODULE", 25, ASCEND_ALL, "CCECPU"},
    {"MODULE", 26, ASCEND_G12, "ASCENDDK"},
    {"MODULE", 27, ASCEND_ALL, "ROS"},
    {"MODULE", 28, ASCEND_ALL, "HCCP"},
    {"MODULE", 29, ASCEND_ALL, "ROCE"},
    {"MODULE", 30, ASCEND_ALL, "TEFUSION"},
    {"MODULE", 31, ASCEND_ALL, "PROFILING"},
    {"MODULE", 32, ASCEND_ALL, "DP"},
    {"MODULE", 33, ASCEND_ALL, "APP"},
    {"MODULE", 34, ASCEND_ALL, "TS"},
    {"MODULE", 35, ASCEND_ALL, "TSDUMP"},
    {"MODULE", 36, ASCEND_ALL, "AICPU"},
    {"MODULE", 37, ASCEND_ALL, "LP"},
    {"MODULE", 38, ASCEND_ALL, "TDT"},
    {"MODULE", 39, ASCEND_ALL, "FE"},
    {"MODULE", 40, ASCEND_ALL, "MD"},
    {"MODULE", 41, ASCEND_ALL, "MB"},
    {"MODULE", 42, ASCEND_ALL, "ME"},
    {"MODULE", 43, ASCEND_ALL, "IMU"},
    {"MODULE", 44, ASCEND_ALL, "IMP"},
    {"MODULE", 45, ASCEND_ALL, "GE"},
    {"MODULE", 46, ASCEND_G12, "MDCFUSA"},
    {"MODULE", 47, ASCEND_ALL, "CAMERA"},
    {"MODULE", 48, ASCEND_ALL, "ASCENDCL"},
    {"MODULE", 49, ASCEND_ALL, "TEEOS"},
    {"MODULE", 50, ASCEND_ALL, "ISP"},
    {"MODULE", 51, ASCEND_ALL, "SIS"},
    {"MODULE", 52, ASCEND_ALL, "HSM"},
    {"MODULE", 53, ASCEND_ALL, "DSS"},
    {"MODULE", 54, ASCEND_ALL, "PROCMGR"},
    {"MODULE", 55, ASCEND_ALL, "BBOX"},
    {"MODULE", 56, ASCEND_ALL, "AIVECTOR"},
    {"MODULE", 57, ASCEND_ALL, "TBE"},
    {"MODULE", 58, ASCEND_ALL, "FV"},
    {"MODULE", 59, ASCEND_G12, "MDCMAP"},
    {"MODULE", 60, ASCEND_ALL, "TUNE"},
    {"MODULE", 61, ASCEND_ALL, "HSS"},
    {"MODULE", 62, ASCEND_ALL, "FFTS"},
    {"MODULE", 63, ASCEND_ALL, "OP"},
    {"MODULE", 64, ASCEND_ALL, "UDF"},
    {"MODULE", 65, ASCEND_ALL, "HICAID"},
    {"MODULE", 66, ASCEND_ALL, "TSYNC"},
    {"MODULE", 67, ASCEND_ALL, "AUDIO"},
    {"MODULE", 68, ASCEND_ALL, "TPRT"},
    {"MODULE", 69, ASCEND_ALL, "ASCENDCKERNEL"},
    {"MODULE", 70, ASCEND_ALL, "ASYS"},
    {"MODULE", 71, ASCEND_ALL, "ATRACE"},
    {"MODULE", 72, ASCEND_ALL, "RTC"},
    {"MODULE", 73, ASCEND_ALL, "SYSMONITOR"},
    {"MODULE", 74, ASCEND_ALL, "AMP"},
    {"MODULE", 75, ASCEND_ALL, "ADETECT"},
    {"MODULE", 76, ASCEND_ALL, "MBUFF"},
    {"MODULE", 77, ASCEND_ALL, "CUSTOM"},
};
const uint32_t n_ascend_db_enums = sizeof ascend_db_enums / sizeof ascend_db_enums[0];

/* Returns the entry of `table` with this name (NULL: with this id): an entry of the generation, or
 * else of another generation; NULL if there is none. */
static const AscendDbEnum *find_entry(const char *table, const char *name, int64_t id,
                                      int32_t generation)
{
    const AscendDbEnum *other = NULL;

    for (uint32_t i = 0; i < n_ascend_db_enums; i++) {
        const AscendDbEnum *entry = &ascend_db_enums[i];

        if (strcmp(entry->table, table) || (name ? strcmp(entry->name, name) : entry->id != id))
            continue;
        if (entry->generations & ascend_generation_bit(generation))
            return entry;
        other = entry;
    }
    return other;
}

const char *ascend_db_enum_name(const char *table, int64_t id, int32_t generation)
{
    const AscendDbEnum *entry = find_entry(table, NULL, id, generation);

    return entry ? entry->name : NULL;
}

int32_t ascend_db_enum_id(const char *table, const char *name, int32_t generation)
{
    /* One module has another name in the text files than in the databases of the same tools. */
    int is_other = !strcmp(table, "MODULE") && !strcmp(name, "AML");
    const AscendDbEnum *entry = find_entry(table, is_other ? "AMP" : name, 0, generation);

    return entry ? entry->id : -1;
}
