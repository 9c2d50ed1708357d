/* SPDX-License-Identifier: Apache-2.0 */
/* Standard kinds that importers of Ascend results emit. The database contains all these kinds; the
 * raw files contain more. */
#ifndef STROBE_FORMATS_ASCEND_KINDS_H
#define STROBE_FORMATS_ASCEND_KINDS_H

#include <strobe/kinds.h>

/* Entries of a list of kinds. */
#define ASCEND_KINDS                                                                               \
    &strobe_kind_step, &strobe_kind_cpu_op, &strobe_kind_task_queue, &strobe_kind_python_call,     \
        &strobe_kind_gc, &strobe_kind_marker, &strobe_kind_marker_instant, &strobe_kind_metadata,  \
        &strobe_kind_api_call, &strobe_kind_device_task, &strobe_kind_device_pmu,                  \
        &strobe_kind_comm_op, &strobe_kind_comm_task, &strobe_kind_memory_event,                   \
        &strobe_kind_memory_usage, &strobe_kind_module_memory, &strobe_kind_nic,                   \
        &strobe_kind_roce, &strobe_kind_mac, &strobe_kind_pcie, &strobe_kind_hccs,                 \
        &strobe_kind_hbm, &strobe_kind_ddr, &strobe_kind_llc, &strobe_kind_qos, &strobe_kind_sio,  \
        &strobe_kind_core_frequency, &strobe_kind_acc_pmu, &strobe_kind_soc_bandwidth,             \
        &strobe_kind_usage, &strobe_kind_os_call, &strobe_kind_device_info, &strobe_kind_overlap,  \
        &strobe_kind_memory_block, &strobe_kind_memory_total, &strobe_kind_step_trace,             \
        &strobe_kind_communication_time, &strobe_kind_communication_bandwidth,                     \
        &strobe_kind_communication_matrix

/* Further standard kinds, for which databases that Strobe writes have tables. */
#define OTHER_STANDARD_KINDS                                                                       \
    &strobe_kind_counter, &strobe_kind_host_cpu, &strobe_kind_host_mem, &strobe_kind_loss,         \
        &strobe_kind_collector_call, &strobe_kind_diagnostic, &strobe_kind_sampling,               \
        &strobe_kind_l2_cache, &strobe_kind_soc_pmu, &strobe_kind_aicpu, &strobe_kind_flow_point,  \
        &strobe_kind_clock_sync, &strobe_kind_host_thread, &strobe_kind_host_core,                 \
        &strobe_kind_host_disk, &strobe_kind_host_net, &strobe_kind_host_pressure,                 \
        &strobe_kind_host_throttle, &strobe_kind_operator_detail, &strobe_kind_operator_link,      \
        &strobe_kind_operator_average, &strobe_kind_step_summary, &strobe_kind_stack_total,        \
        &strobe_kind_kernel_detail, &strobe_kind_operator_device, &strobe_kind_kernel_link,        \
        &strobe_kind_step_range, &strobe_kind_op_statistic, &strobe_kind_api_statistic,            \
        &strobe_kind_correlation, &strobe_kind_device_clock, &strobe_kind_head_overhead,           \
        &strobe_kind_head_overhead_step, &strobe_kind_head_overhead_summary,                       \
        &strobe_kind_head_overhead_advice, &strobe_kind_cpu_sample, &strobe_kind_function,         \
        &strobe_kind_call_path, &strobe_kind_finding, &strobe_kind_step_part

#endif
