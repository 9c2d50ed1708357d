/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the structs of kinds.h with their descriptions. */
#include <glib.h>
#include <math.h>
#include <stddef.h>
#include <string.h>
#include <strobe/kinds.h>

/* One member of a struct: its name, offset and size. */
typedef struct Member {
    const char *name;
    size_t offset, size;
} Member;

#define M(struct_, member_)                                                                        \
    {#member_, offsetof(struct strobe_##struct_, member_),                                         \
     sizeof(((struct strobe_##struct_ *)0)->member_)}

/* One element of an array; each element is a separate field. */
#define V(struct_, name_, index_)                                                                  \
    {#name_, offsetof(struct strobe_##struct_, value[index_]), sizeof(double)}

static void check_kind(const StrobeKind *kind, size_t size, const Member *members, size_t n)
{
    g_assert_cmpuint(kind->struct_size, ==, sizeof(StrobeKind));
    g_assert_cmpuint(kind->n_fields, ==, n);
    for (size_t i = 0; i < n; i++) {
        g_assert_cmpstr(kind->fields[i].name, ==, members[i].name);
        g_assert_cmpuint(strobe_kind_offset(kind, (uint32_t)i), ==, members[i].offset);
        g_assert_cmpuint(strobe_field_size(kind->fields[i].type), ==, members[i].size);
        g_assert_nonnull(kind->fields[i].unit);
        g_assert_true(g_str_has_suffix(kind->fields[i].summary, "."));
    }
    g_assert_cmpuint((strobe_kind_offset(kind, kind->n_fields) + 7) / 8 * 8, ==,
                     (size + 7) / 8 * 8);
}

#define CHECK(kind_, struct_, ...)                                                                 \
    do {                                                                                           \
        static const Member members[] = {__VA_ARGS__};                                             \
        check_kind(&strobe_kind_##kind_, sizeof(struct strobe_##struct_), members,                 \
                   G_N_ELEMENTS(members));                                                         \
    } while (0)

static void test_host(void)
{
    CHECK(host_thread, host_thread, M(host_thread, usage), M(host_thread, user),
          M(host_thread, system), M(host_thread, wait), M(host_thread, tid),
          M(host_thread, interval), M(host_thread, processor));
    CHECK(host_core, host_core, M(host_core, usage), M(host_core, user), M(host_core, system),
          M(host_core, iowait), M(host_core, irq), M(host_core, steal), M(host_core, interval),
          M(host_core, processor));
    CHECK(host_disk, host_disk, M(host_disk, read_rate), M(host_disk, write_rate),
          M(host_disk, read_bytes), M(host_disk, write_bytes), M(host_disk, reads),
          M(host_disk, writes), M(host_disk, read_chars), M(host_disk, write_chars),
          M(host_disk, utilisation), M(host_disk, queue), M(host_disk, interval));
    CHECK(host_net, host_net, M(host_net, rx_rate), M(host_net, tx_rate), M(host_net, rx_bytes),
          M(host_net, tx_bytes), M(host_net, rx_packets), M(host_net, tx_packets),
          M(host_net, rx_errors), M(host_net, tx_errors), M(host_net, rx_dropped),
          M(host_net, tx_dropped), M(host_net, speed), M(host_net, usage), M(host_net, interval));
    CHECK(host_pressure, host_pressure, M(host_pressure, some), M(host_pressure, full),
          M(host_pressure, interval));
    CHECK(host_throttle, host_throttle, M(host_throttle, throttled),
          M(host_throttle, throttled_time), M(host_throttle, periods),
          M(host_throttle, throttled_periods), M(host_throttle, limit), M(host_throttle, interval));
    CHECK(cpu_sample, cpu_sample, M(cpu_sample, time), M(cpu_sample, cycles), M(cpu_sample, stack),
          M(cpu_sample, processor), M(cpu_sample, process));
    CHECK(sampling, sampling, M(sampling, interval), M(sampling, ticks), M(sampling, missed),
          M(sampling, late_mean), M(sampling, late_max), M(sampling, took_mean),
          M(sampling, took_max));
}

static void test_raw(void)
{
    CHECK(step, step, M(step, number), M(step, thread));
    CHECK(cpu_op, cpu_op, M(cpu_op, sequence), M(cpu_op, forward_thread), M(cpu_op, shapes),
          M(cpu_op, types), M(cpu_op, stack), M(cpu_op, scope), M(cpu_op, is_async),
          M(cpu_op, logical_thread));
    CHECK(gc, gc, M(gc, generation), M(gc, collected), M(gc, uncollectable));
    CHECK(marker, marker, M(marker, argument));
    CHECK(marker_instant, marker, M(marker, argument));
    CHECK(counter, counter, M(counter, value));
    CHECK(host_cpu, host_cpu, M(host_cpu, usage), M(host_cpu, user), M(host_cpu, system),
          M(host_cpu, processors), M(host_cpu, threads), M(host_cpu, wait));
    CHECK(host_mem, host_mem, M(host_mem, usage), M(host_mem, resident), M(host_mem, virtual_size),
          M(host_mem, shared), M(host_mem, swap), M(host_mem, pss), M(host_mem, minor_faults),
          M(host_mem, major_faults), M(host_mem, cgroup_usage), M(host_mem, cgroup_limit),
          M(host_mem, available));
    CHECK(metadata, metadata, M(metadata, value), M(metadata, is_json));
    CHECK(loss, loss, M(loss, count), M(loss, cause), M(loss, thread));
    CHECK(collector_call, collector_call, M(collector_call, status));
    CHECK(diagnostic, diagnostic, M(diagnostic, text), M(diagnostic, level));
}

static void test_derived(void)
{
    CHECK(operator_detail, operator_detail, M(operator_detail, host_total),
          M(operator_detail, host_self), M(operator_detail, sequence),
          M(operator_detail, forward_thread), M(operator_detail, shapes), M(operator_detail, types),
          M(operator_detail, stack), M(operator_detail, children), M(operator_detail, scope),
          M(operator_detail, is_async), M(operator_detail, is_top));
    CHECK(operator_link, operator_link, M(operator_link, sequence), M(operator_link, to_begin),
          M(operator_link, to_track));
    CHECK(operator_average, operator_average, M(operator_average, calls),
          M(operator_average, host_self), M(operator_average, host_total),
          M(operator_average, host_min), M(operator_average, host_max),
          M(operator_average, host_average), M(operator_average, self_share),
          M(operator_average, shapes));
    CHECK(step_summary, step_summary, M(step_summary, number), M(step_summary, duration),
          M(step_summary, operators), M(step_summary, operator_self), M(step_summary, gc),
          M(step_summary, markers));
    CHECK(stack_total, stack_total, M(stack_total, host_self), M(stack_total, calls),
          M(stack_total, path), M(stack_total, device_self));
    CHECK(function, function, M(function, source), M(function, location), M(function, count),
          M(function, self), M(function, total), M(function, self_bytes), M(function, total_bytes),
          M(function, self_share), M(function, total_share));
    CHECK(call_path, call_path, M(call_path, source), M(call_path, path), M(call_path, time),
          M(call_path, count));
}

static void test_device(void)
{
    CHECK(api_call, api_call, M(api_call, level), M(api_call, mode), M(api_call, item),
          M(api_call, connection), M(api_call, exact_us));
    CHECK(task_queue, task_queue, M(task_queue, correlation), M(task_queue, is_dequeue));
    CHECK(python_call, python_call, M(python_call, id), M(python_call, parent),
          M(python_call, module));
    CHECK(device_task, device_task, M(device_task, task), M(device_task, connection),
          M(device_task, batch), M(device_task, task_id), M(device_task, stream),
          M(device_task, context), M(device_task, model), M(device_task, block_num),
          M(device_task, mix_block_num), M(device_task, task_type), M(device_task, host_type),
          M(device_task, core), M(device_task, op_type), M(device_task, op_state),
          M(device_task, hf32), M(device_task, input_shapes), M(device_task, input_types),
          M(device_task, input_formats), M(device_task, output_shapes),
          M(device_task, output_types), M(device_task, output_formats), M(device_task, attributes),
          M(device_task, grid_dim), M(device_task, block_dim), M(device_task, copy_bytes),
          M(device_task, copy_direction), M(device_task, copy_bandwidth), M(device_task, is_kernel),
          M(device_task, exact_us));
    CHECK(device_pmu, device_pmu, M(device_pmu, task), M(device_pmu, metrics),
          M(device_pmu, frequency), V(device_pmu, value_00, 0), V(device_pmu, value_01, 1),
          V(device_pmu, value_02, 2), V(device_pmu, value_03, 3), V(device_pmu, value_04, 4),
          V(device_pmu, value_05, 5), V(device_pmu, value_06, 6), V(device_pmu, value_07, 7),
          V(device_pmu, value_08, 8), V(device_pmu, value_09, 9), V(device_pmu, value_10, 10),
          V(device_pmu, value_11, 11), V(device_pmu, value_12, 12), V(device_pmu, value_13, 13),
          V(device_pmu, value_14, 14), V(device_pmu, value_15, 15), V(device_pmu, value_16, 16),
          V(device_pmu, value_17, 17), V(device_pmu, value_18, 18), V(device_pmu, value_19, 19),
          V(device_pmu, value_20, 20), V(device_pmu, value_21, 21), V(device_pmu, value_22, 22),
          V(device_pmu, value_23, 23), V(device_pmu, value_24, 24), V(device_pmu, value_25, 25),
          V(device_pmu, value_26, 26), V(device_pmu, value_27, 27), V(device_pmu, value_28, 28),
          V(device_pmu, value_29, 29), V(device_pmu, value_30, 30), V(device_pmu, value_31, 31),
          V(device_pmu, value_32, 32), V(device_pmu, value_33, 33), V(device_pmu, value_34, 34),
          V(device_pmu, value_35, 35), V(device_pmu, value_36, 36), V(device_pmu, value_37, 37),
          V(device_pmu, value_38, 38), V(device_pmu, value_39, 39), V(device_pmu, value_40, 40),
          V(device_pmu, value_41, 41), V(device_pmu, value_42, 42), V(device_pmu, value_43, 43),
          V(device_pmu, value_44, 44), V(device_pmu, value_45, 45), V(device_pmu, value_46, 46),
          V(device_pmu, value_47, 47));
    CHECK(comm_op, comm_op, M(comm_op, op), M(comm_op, connection), M(comm_op, count),
          M(comm_op, model), M(comm_op, rank_size), M(comm_op, relay), M(comm_op, retry),
          M(comm_op, group), M(comm_op, op_type), M(comm_op, algorithm), M(comm_op, data_type),
          M(comm_op, exact_us));
    CHECK(comm_task, comm_task, M(comm_task, op), M(comm_task, task), M(comm_task, connection),
          M(comm_task, size), M(comm_task, notify), M(comm_task, estimated),
          M(comm_task, bandwidth), M(comm_task, plane), M(comm_task, stream), M(comm_task, task_id),
          M(comm_task, context), M(comm_task, batch), M(comm_task, model),
          M(comm_task, source_rank), M(comm_task, target_rank), M(comm_task, is_master),
          M(comm_task, group), M(comm_task, transport), M(comm_task, link_type),
          M(comm_task, rdma_type), M(comm_task, data_type), M(comm_task, exact_us));
    CHECK(memory_event, memory_event, M(memory_event, address), M(memory_event, size),
          M(memory_event, total_allocated), M(memory_event, total_reserved),
          M(memory_event, total_active), M(memory_event, stream), M(memory_event, action),
          M(memory_event, device), M(memory_event, component), M(memory_event, block));
    CHECK(memory_usage, memory_usage, M(memory_usage, ddr), M(memory_usage, hbm),
          M(memory_usage, device));
    CHECK(module_memory, module_memory, M(module_memory, reserved), M(module_memory, module),
          M(module_memory, device));
    CHECK(nic, port, M(port, bandwidth), M(port, rx_packet_rate), M(port, rx_byte_rate),
          M(port, rx_packets), M(port, rx_bytes), M(port, rx_errors), M(port, rx_dropped),
          M(port, rx_efficiency), M(port, rx_error_rate), M(port, rx_dropped_rate),
          M(port, tx_packet_rate), M(port, tx_byte_rate), M(port, tx_packets), M(port, tx_bytes),
          M(port, tx_errors), M(port, tx_dropped), M(port, tx_efficiency), M(port, tx_error_rate),
          M(port, tx_dropped_rate), M(port, port), M(port, device));
    CHECK(roce, port, M(port, bandwidth), M(port, rx_packet_rate), M(port, rx_byte_rate),
          M(port, rx_packets), M(port, rx_bytes), M(port, rx_errors), M(port, rx_dropped),
          M(port, rx_efficiency), M(port, rx_error_rate), M(port, rx_dropped_rate),
          M(port, tx_packet_rate), M(port, tx_byte_rate), M(port, tx_packets), M(port, tx_bytes),
          M(port, tx_errors), M(port, tx_dropped), M(port, tx_efficiency), M(port, tx_error_rate),
          M(port, tx_dropped_rate), M(port, port), M(port, device));
    CHECK(mac, mac, M(mac, mac_tx_pfc_packets), M(mac, mac_rx_pfc_packets), M(mac, mac_tx_bytes),
          M(mac, mac_tx_bandwidth), M(mac, mac_rx_bytes), M(mac, mac_rx_bandwidth),
          M(mac, mac_tx_bad_bytes), M(mac, mac_rx_bad_bytes), M(mac, roce_tx_packets),
          M(mac, roce_rx_packets), M(mac, roce_tx_errors), M(mac, roce_rx_errors),
          M(mac, roce_tx_cnp), M(mac, roce_rx_cnp), M(mac, roce_retries), M(mac, nic_tx_bytes),
          M(mac, nic_tx_bandwidth), M(mac, nic_rx_bytes), M(mac, nic_rx_bandwidth), M(mac, device));
    CHECK(pcie, pcie, M(pcie, tx_post_min), M(pcie, tx_post_max), M(pcie, tx_post_avg),
          M(pcie, tx_nonpost_min), M(pcie, tx_nonpost_max), M(pcie, tx_nonpost_avg),
          M(pcie, tx_cpl_min), M(pcie, tx_cpl_max), M(pcie, tx_cpl_avg),
          M(pcie, tx_nonpost_latency_min), M(pcie, tx_nonpost_latency_max),
          M(pcie, tx_nonpost_latency_avg), M(pcie, rx_post_min), M(pcie, rx_post_max),
          M(pcie, rx_post_avg), M(pcie, rx_nonpost_min), M(pcie, rx_nonpost_max),
          M(pcie, rx_nonpost_avg), M(pcie, rx_cpl_min), M(pcie, rx_cpl_max), M(pcie, rx_cpl_avg),
          M(pcie, device), M(pcie, resolution));
    CHECK(hccs, hccs, M(hccs, tx), M(hccs, rx), M(hccs, device));
    CHECK(hbm, hbm, M(hbm, bandwidth), M(hbm, id), M(hbm, device));
    CHECK(ddr, ddr, M(ddr, read), M(ddr, write), M(ddr, device));
    CHECK(llc, llc, M(llc, hit_rate), M(llc, throughput), M(llc, id), M(llc, device));
    CHECK(qos, qos, M(qos, bandwidth), M(qos, die), M(qos, device));
    CHECK(sio, sio, M(sio, rx_req), M(sio, rx_rsp), M(sio, rx_snp), M(sio, rx_dat), M(sio, tx_req),
          M(sio, tx_rsp), M(sio, tx_snp), M(sio, tx_dat), M(sio, device));
    CHECK(core_frequency, core_frequency, M(core_frequency, frequency), M(core_frequency, die),
          M(core_frequency, device));
    CHECK(acc_pmu, acc_pmu, M(acc_pmu, read_bandwidth), M(acc_pmu, write_bandwidth),
          M(acc_pmu, read_ost), M(acc_pmu, write_ost), M(acc_pmu, id), M(acc_pmu, device));
    CHECK(soc_bandwidth, soc_bandwidth, M(soc_bandwidth, l2_buffer), M(soc_bandwidth, mata),
          M(soc_bandwidth, device));
    CHECK(l2_cache, l2_cache, M(l2_cache, task), M(l2_cache, hit_rate), M(l2_cache, victim_rate),
          M(l2_cache, stream), M(l2_cache, task_id));
    CHECK(soc_pmu, soc_pmu, M(soc_pmu, task), M(soc_pmu, tlb_hit_rate), M(soc_pmu, tlb_miss_rate),
          M(soc_pmu, stream), M(soc_pmu, task_id));
    CHECK(aicpu, aicpu, M(aicpu, compute), M(aicpu, copy), M(aicpu, task_time), M(aicpu, dispatch),
          M(aicpu, total), M(aicpu, stream), M(aicpu, task_id), M(aicpu, device));
    CHECK(usage, usage, M(usage, usage), M(usage, read_rate), M(usage, write_rate), M(usage, speed),
          M(usage, processor));
    CHECK(os_call, os_call, M(os_call, status));
    CHECK(flow_point, flow_point, M(flow_point, id), M(flow_point, is_end));
    CHECK(device_info, device_info, M(device_info, device), M(device_info, rank));
    CHECK(clock_sync, clock_sync, M(clock_sync, device_time), M(clock_sync, host_time),
          M(clock_sync, width_ns));
}

static void test_device_derived(void)
{
    CHECK(kernel_detail, kernel_detail, M(kernel_detail, task), M(kernel_detail, step),
          M(kernel_detail, wait), M(kernel_detail, device), M(kernel_detail, task_id),
          M(kernel_detail, stream), M(kernel_detail, model), M(kernel_detail, context),
          M(kernel_detail, block_num), M(kernel_detail, mix_block_num), M(kernel_detail, core),
          M(kernel_detail, op_type), M(kernel_detail, op_state), M(kernel_detail, hf32),
          M(kernel_detail, input_shapes), M(kernel_detail, input_types),
          M(kernel_detail, input_formats), M(kernel_detail, output_shapes),
          M(kernel_detail, output_types), M(kernel_detail, output_formats),
          M(kernel_detail, metrics), M(kernel_detail, is_communication), M(kernel_detail, exact_us),
          V(kernel_detail, value_00, 0), V(kernel_detail, value_01, 1),
          V(kernel_detail, value_02, 2), V(kernel_detail, value_03, 3),
          V(kernel_detail, value_04, 4), V(kernel_detail, value_05, 5),
          V(kernel_detail, value_06, 6), V(kernel_detail, value_07, 7),
          V(kernel_detail, value_08, 8), V(kernel_detail, value_09, 9),
          V(kernel_detail, value_10, 10), V(kernel_detail, value_11, 11),
          V(kernel_detail, value_12, 12), V(kernel_detail, value_13, 13),
          V(kernel_detail, value_14, 14), V(kernel_detail, value_15, 15),
          V(kernel_detail, value_16, 16), V(kernel_detail, value_17, 17),
          V(kernel_detail, value_18, 18), V(kernel_detail, value_19, 19),
          V(kernel_detail, value_20, 20), V(kernel_detail, value_21, 21),
          V(kernel_detail, value_22, 22), V(kernel_detail, value_23, 23),
          V(kernel_detail, value_24, 24), V(kernel_detail, value_25, 25),
          V(kernel_detail, value_26, 26), V(kernel_detail, value_27, 27),
          V(kernel_detail, value_28, 28), V(kernel_detail, value_29, 29),
          V(kernel_detail, value_30, 30), V(kernel_detail, value_31, 31),
          V(kernel_detail, value_32, 32), V(kernel_detail, value_33, 33),
          V(kernel_detail, value_34, 34), V(kernel_detail, value_35, 35),
          V(kernel_detail, value_36, 36), V(kernel_detail, value_37, 37),
          V(kernel_detail, value_38, 38), V(kernel_detail, value_39, 39));
    CHECK(operator_device, operator_device, M(operator_device, host_self),
          M(operator_device, host_total), M(operator_device, device_self),
          M(operator_device, device_total), M(operator_device, device_self_aicore),
          M(operator_device, device_total_aicore), M(operator_device, shapes),
          M(operator_device, types), M(operator_device, stack));
    CHECK(kernel_link, kernel_link, M(kernel_link, task), M(kernel_link, to_begin),
          M(kernel_link, to_track));
    CHECK(step_range, step_range, M(step_range, number), M(step_range, host_begin),
          M(step_range, device));
    CHECK(step_trace, step_trace, M(step_trace, step), M(step_trace, computing),
          M(step_trace, communication_not_overlapped), M(step_trace, overlapped),
          M(step_trace, communication), M(step_trace, free), M(step_trace, stage),
          M(step_trace, bubble), M(step_trace, communication_exclude_receive),
          M(step_trace, preparing), M(step_trace, device), M(step_trace, is_exact));
    CHECK(overlap, overlap, M(overlap, type), M(overlap, device));
    CHECK(op_statistic, op_statistic, M(op_statistic, count), M(op_statistic, total),
          M(op_statistic, min), M(op_statistic, avg), M(op_statistic, max), M(op_statistic, ratio),
          M(op_statistic, core), M(op_statistic, device));
    CHECK(api_statistic, api_statistic, M(api_statistic, count), M(api_statistic, total),
          M(api_statistic, avg), M(api_statistic, min), M(api_statistic, max),
          M(api_statistic, variance), M(api_statistic, level));
    CHECK(communication_time, communication_time, M(communication_time, step),
          M(communication_time, group), M(communication_time, type), M(communication_time, start),
          M(communication_time, elapse), M(communication_time, transit),
          M(communication_time, wait), M(communication_time, synchronization),
          M(communication_time, idle), M(communication_time, is_total),
          M(communication_time, device));
    CHECK(communication_bandwidth, communication_bandwidth, M(communication_bandwidth, step),
          M(communication_bandwidth, group), M(communication_bandwidth, type),
          M(communication_bandwidth, transport), M(communication_bandwidth, transit_size),
          M(communication_bandwidth, transit_time), M(communication_bandwidth, bandwidth),
          M(communication_bandwidth, large_ratio), M(communication_bandwidth, package_size),
          M(communication_bandwidth, package_count), M(communication_bandwidth, package_time),
          M(communication_bandwidth, is_total), M(communication_bandwidth, device));
    CHECK(communication_matrix, communication_matrix, M(communication_matrix, step),
          M(communication_matrix, group), M(communication_matrix, type),
          M(communication_matrix, source), M(communication_matrix, target),
          M(communication_matrix, transport), M(communication_matrix, transit_size),
          M(communication_matrix, transit_time), M(communication_matrix, bandwidth),
          M(communication_matrix, op_name), M(communication_matrix, device));
    CHECK(memory_block, memory_block, M(memory_block, size), M(memory_block, release_time),
          M(memory_block, active_release_time), M(memory_block, duration),
          M(memory_block, active_duration), M(memory_block, allocation_allocated),
          M(memory_block, allocation_reserved), M(memory_block, allocation_active),
          M(memory_block, release_allocated), M(memory_block, release_reserved),
          M(memory_block, release_active), M(memory_block, stream), M(memory_block, device),
          M(memory_block, component));
    CHECK(memory_total, memory_total, M(memory_total, allocated), M(memory_total, reserved),
          M(memory_total, active), M(memory_total, stream), M(memory_total, device));
    CHECK(correlation, correlation, M(correlation, source), M(correlation, linked),
          M(correlation, orphan_cause), M(correlation, orphan_effect), M(correlation, ambiguous),
          M(correlation, violations), M(correlation, worst), M(correlation, error),
          M(correlation, unchecked), M(correlation, forgotten));
    CHECK(device_clock, device_clock, M(device_clock, pairs), M(device_clock, knots),
          M(device_clock, error), M(device_clock, host_error), M(device_clock, width),
          M(device_clock, residual), M(device_clock, broken), M(device_clock, jumps),
          M(device_clock, drift));
    CHECK(head_overhead, head_overhead, M(head_overhead, step), M(head_overhead, framework),
          M(head_overhead, platform), M(head_overhead, torchair), M(head_overhead, python),
          M(head_overhead, cpp), M(head_overhead, ge), M(head_overhead, ge_to_first_kernel),
          M(head_overhead, total), M(head_overhead, to_first_kernel),
          M(head_overhead, framework_share), M(head_overhead, torchair_share),
          M(head_overhead, python_share), M(head_overhead, cpp_share), M(head_overhead, ge_share),
          M(head_overhead, python_build), M(head_overhead, python_contiguous),
          M(head_overhead, python_aten), M(head_overhead, python_rest),
          M(head_overhead, cpp_inputs), M(head_overhead, cpp_outputs), M(head_overhead, cpp_load),
          M(head_overhead, cpp_rest), M(head_overhead, ge_execute), M(head_overhead, ge_refresh),
          M(head_overhead, ge_rest), M(head_overhead, lookup), M(head_overhead, pid),
          M(head_overhead, thread), M(head_overhead, graph), M(head_overhead, mode),
          M(head_overhead, marker), M(head_overhead, entry_source), M(head_overhead, error),
          M(head_overhead, is_upper_bound), M(head_overhead, is_compile),
          M(head_overhead, is_nested));
    CHECK(head_overhead_step, head_overhead_step, M(head_overhead_step, step),
          M(head_overhead_step, graphs), M(head_overhead_step, compiled),
          M(head_overhead_step, framework), M(head_overhead_step, platform),
          M(head_overhead_step, torchair), M(head_overhead_step, python),
          M(head_overhead_step, cpp), M(head_overhead_step, ge), M(head_overhead_step, total));
    CHECK(head_overhead_summary, head_overhead_summary, M(head_overhead_summary, count),
          M(head_overhead_summary, mean), M(head_overhead_summary, median),
          M(head_overhead_summary, p95), M(head_overhead_summary, min),
          M(head_overhead_summary, max), M(head_overhead_summary, deviation));
    CHECK(head_overhead_advice, head_overhead_advice, M(head_overhead_advice, part),
          M(head_overhead_advice, share), M(head_overhead_advice, mean),
          M(head_overhead_advice, text));
    CHECK(finding, finding, M(finding, severity), M(finding, share), M(finding, confidence),
          M(finding, count), M(finding, summary), M(finding, evidence), M(finding, table),
          M(finding, advice));
    CHECK(step_part, step_part, M(step_part, number), M(step_part, duration), M(step_part, gc),
          M(step_part, data), M(step_part, synchronization), M(step_part, compile),
          M(step_part, operators), M(step_part, python), M(step_part, other));
}

/* The list, from which the documentation is generated, is complete and has no name twice. */
static void test_list(void)
{
    size_t n = 0;

    for (; strobe_standard_kinds[n]; n++) {
        const StrobeKind *kind = strobe_standard_kinds[n];

        g_assert_cmpuint(kind->shape, >=, STROBE_SHAPE_SPAN);
        g_assert_cmpuint(kind->shape, <=, STROBE_SHAPE_LINK);
        g_assert_cmpuint(kind->n_fields, <=, STROBE_KIND_FIELDS_MAX);
        for (size_t i = 0; i < n; i++)
            g_assert_cmpstr(strobe_standard_kinds[i]->name, !=, kind->name);
    }
    g_assert_cmpuint(n, ==, 79);
}

static void test_unknown_type(void)
{
    const StrobeField fields[] = {{"good", STROBE_FIELD_U8, 0, "", ""}, {"bad", 99, 0, "", ""}};
    const StrobeKind kind = {sizeof kind, STROBE_SHAPE_INSTANT, "test.bad", "", fields, 2, 0};

    g_assert_cmpuint(strobe_kind_offset(&kind, 0), ==, 0);
    g_assert_cmpuint(strobe_kind_offset(&kind, 1), ==, UINT32_MAX);
}

static void test_absent(void)
{
    struct {
        uint64_t u64;
        int64_t i64;
        double f64;
        uint32_t u32, string;
        int32_t i32;
        uint8_t u8, behind;
    } record;

    memset(&record, 7, sizeof record);
    strobe_field_put_absent(&record.u64, STROBE_FIELD_LINK);
    strobe_field_put_absent(&record.i64, STROBE_FIELD_I64);
    strobe_field_put_absent(&record.f64, STROBE_FIELD_F64);
    strobe_field_put_absent(&record.u32, STROBE_FIELD_U32);
    strobe_field_put_absent(&record.string, STROBE_FIELD_STRING);
    strobe_field_put_absent(&record.i32, STROBE_FIELD_I32);
    strobe_field_put_absent(&record.u8, STROBE_FIELD_BOOL);
    strobe_field_put_absent(&record.behind, 4711); /* an unknown type: nothing is written */
    g_assert_cmpuint(record.u64, ==, STROBE_ABSENT_U64);
    g_assert_cmpint(record.i64, ==, STROBE_ABSENT_I64);
    g_assert_true(isnan(record.f64));
    g_assert_cmpuint(record.u32, ==, STROBE_ABSENT_U32);
    g_assert_cmpuint(record.string, ==, 0);
    g_assert_cmpint(record.i32, ==, STROBE_ABSENT_I32);
    g_assert_cmpuint(record.u8, ==, 0);
    g_assert_cmpuint(record.behind, ==, 7);
}

/* Every cause has a different name. */
static void test_losses(void)
{
    for (uint32_t i = 0; i < STROBE_LOSS_CAUSES; i++) {
        g_assert_nonnull(strobe_loss_name(i));
        for (uint32_t k = 0; k < i; k++)
            g_assert_cmpstr(strobe_loss_name(i), !=, strobe_loss_name(k));
    }
    g_assert_cmpstr(strobe_loss_name(STROBE_LOSS_POOL_EMPTY), ==, "pool_empty");
    g_assert_null(strobe_loss_name(STROBE_LOSS_CAUSES));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/kinds/host", test_host);
    g_test_add_func("/kinds/raw", test_raw);
    g_test_add_func("/kinds/derived", test_derived);
    g_test_add_func("/kinds/device", test_device);
    g_test_add_func("/kinds/device-derived", test_device_derived);
    g_test_add_func("/kinds/list", test_list);
    g_test_add_func("/kinds/unknown-type", test_unknown_type);
    g_test_add_func("/kinds/absent", test_absent);
    g_test_add_func("/kinds/losses", test_losses);
    return g_test_run();
}
