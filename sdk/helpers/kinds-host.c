/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptions of the kinds in kinds-host.h. */
#include <strobe/kinds-host.h>

#include "kind-macros.h"

static const StrobeField host_thread_fields[] = {
    FIELD("usage", F64, "%", "In percent of one processor."),
    FIELD("user", F64, "%", "Share in user mode, absent: unknown so far."),
    FIELD("system", F64, "%", "Share in the kernel, absent: unknown so far."),
    FIELD("wait", F64, "%",
          "Share of time in which the thread was ready and waited for a processor."),
    FIELD("tid", U64, "", "Kernel id of the thread."),
    FIELD("interval", U64, "ns", "Time that the row covers; it ends at the row\'s time."),
    FIELD("processor", U32, "", "Processor on which it ran last, absent: unknown."),
};
KIND(host_thread, "host_thread", COUNTER, host_thread_fields,
     "Processor use of one thread; an idle thread gets one row with zeros until it runs again.");

static const StrobeField host_core_fields[] = {
    FIELD("usage", F64, "%", "Share of the time in use."),
    FIELD("user", F64, "%", "User mode, guests included."),
    FIELD("system", F64, "%", "The kernel."),
    FIELD("iowait", F64, "%", "Idle with input or output outstanding."),
    FIELD("irq", F64, "%", "Interrupts."),
    FIELD("steal", F64, "%", "Used by other guests of the hypervisor, absent: not reported."),
    FIELD("interval", U64, "ns", "Time that the row covers; it ends at the row\'s time."),
    FIELD("processor", U32, "", "Number of the processor, absent: all."),
};
KIND(host_core, "host_core", COUNTER, host_core_fields,
     "Use of one processor of the machine, or of all, by everything that runs there.");

static const StrobeField host_disk_fields[] = {
    FIELD("read_rate", F64, "B/s", "Read from storage."),
    FIELD("write_rate", F64, "B/s",
          "Written to storage; for the process: without data that was truncated before it was "
          "written."),
    FIELD("read_bytes", U64, "B", "Read from storage in the interval."),
    FIELD("write_bytes", U64, "B", "Written to storage in the interval."),
    FIELD("reads", U64, "", "Read calls of the process, or completed reads of the device."),
    FIELD("writes", U64, "", "Write calls of the process, or completed writes of the device."),
    FIELD("read_chars", U64, "B",
          "Read by calls, including reads from the cache; absent for a device."),
    FIELD("write_chars", U64, "B", "Written by calls; absent for a device."),
    FIELD("utilisation", F64, "%",
          "Share of time in which the device was busy; for the process: in which the process "
          "waited for "
          "storage; absent: not reported."),
    FIELD("queue", F64, "", "Mean number of requests in flight, absent for the process."),
    FIELD("interval", U64, "ns", "Time that the row covers; it ends at the row\'s time."),
};
KIND(host_disk, "host_disk", COUNTER, host_disk_fields,
     "Input and output of the process, or of one block device.");

static const StrobeField host_net_fields[] = {
    FIELD("rx_rate", F64, "B/s", "Received."),
    FIELD("tx_rate", F64, "B/s", "Sent."),
    FIELD("rx_bytes", U64, "B", "Received in the interval."),
    FIELD("tx_bytes", U64, "B", "Sent in the interval."),
    FIELD("rx_packets", U64, "", "Packets received in the interval."),
    FIELD("tx_packets", U64, "", "Packets sent in the interval."),
    FIELD("rx_errors", U64, "", "Received with an error in the interval."),
    FIELD("tx_errors", U64, "", "Sent with an error in the interval."),
    FIELD("rx_dropped", U64, "", "Received and dropped in the interval."),
    FIELD("tx_dropped", U64, "", "Dropped before sending in the interval."),
    FIELD("speed", F64, "B/s", "Speed of the link, absent: unknown."),
    FIELD("usage", F64, "%", "Received and sent as a share of the speed, absent: unknown."),
    FIELD("interval", U64, "ns", "Time that the row covers; it ends at the row\'s time."),
};
KIND(host_net, "host_net", COUNTER, host_net_fields,
     "Traffic of one network interface of the system.");

static const StrobeField host_pressure_fields[] = {
    FIELD("some", F64, "%", "Share of the time in which at least one task waited."),
    FIELD("full", F64, "%", "Share of the time in which every task waited, absent: not reported."),
    FIELD("interval", U64, "ns", "Time that the row covers; it ends at the row\'s time."),
};
KIND(host_pressure, "host_pressure", COUNTER, host_pressure_fields,
     "Time in which work on the system waited for a resource.");

static const StrobeField host_throttle_fields[] = {
    FIELD("throttled", F64, "%",
          "Throttled time as a share of the interval; may exceed 100 with several processors."),
    FIELD("throttled_time", U64, "ns", "Throttled time in the interval."),
    FIELD("periods", U64, "", "Periods of the limit in the interval."),
    FIELD("throttled_periods", U64, "", "Periods in which the limit was reached."),
    FIELD("limit", F64, "", "Processors that the limit allows, absent: no limit."),
    FIELD("interval", U64, "ns", "Time that the row covers; it ends at the row\'s time."),
};
KIND(host_throttle, "host_throttle", COUNTER, host_throttle_fields,
     "Throttling by the processor limit of the control group.");

static const StrobeField cpu_sample_fields[] = {
    FIELD("time", I64, "ns", "Processor time that the sample represents."),
    FIELD("cycles", U64, "", "Cycles that the sample represents, absent: time was counted."),
    FIELD("stack", STACK, "", "Call stack."),
    FIELD("processor", U32, "", "Processor on which the thread ran."),
    FIELD("process", U32, "", "Kernel id of the process: the program or a child."),
};
KIND(cpu_sample, "cpu_sample", INSTANT, cpu_sample_fields, "A sample of a running thread.");

static const StrobeField sampling_fields[] = {
    FIELD("interval", U64, "ns", "Requested time between two ticks."),
    FIELD("ticks", U64, "", "Samples taken; 0: this is a gap."),
    FIELD("missed", U64, "", "Ticks that were skipped."),
    FIELD("late_mean", F64, "ns", "Mean delay between a tick and its sample."),
    FIELD("late_max", U64, "ns", "Longest delay."),
    FIELD("took_mean", F64, "ns", "Mean duration of a sample, absent: a gap."),
    FIELD("took_max", U64, "ns", "Longest duration of a sample, absent: a gap."),
};
KIND(sampling, "sampling", SPAN, sampling_fields,
     "Accuracy of a periodic source's interval, over the window or over a gap.");
