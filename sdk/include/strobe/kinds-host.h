/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Standard kinds of the host: its processors, disks, networks, and limits set on the process.
 *
 * Included by kinds.h. Rates and differences are of the interval that ended with the row's moment.
 * A field that was not sampled is absent (STROBE_ABSENT_*). Since ABI 1.0.
 */
#ifndef STROBE_KINDS_HOST_H
#define STROBE_KINDS_HOST_H

#include <strobe/record.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* "host_thread": processor use of one thread; named by the thread. An idle thread has one row. */
struct strobe_host_thread {
    double usage;       /* %; of one processor */
    double user;        /* %; part of it in user mode, absent: not known yet */
    double system;      /* %; part of it in the kernel, absent: not known yet */
    double wait;        /* %; share of the time in which it was ready and waited for a processor */
    uint64_t tid;       /* kernel id of the thread */
    uint64_t interval;  /* ns; time that the row covers, up to its moment */
    uint32_t processor; /* processor that it ran on last, absent: not known */
};

/* "host_core": use of one processor by everything on the machine; named by it, or All. */
struct strobe_host_core {
    double usage;       /* %; share of the time in use */
    double user;        /* %; user mode, guests included */
    double system;      /* %; the kernel */
    double iowait;      /* %; idle with input or output outstanding */
    double irq;         /* %; interrupts */
    double steal;       /* %; taken by other guests of the hypervisor, absent: not told */
    uint64_t interval;  /* ns; time that the row covers, up to its moment */
    uint32_t processor; /* number of the processor, absent: all */
};

/* "host_disk": input and output of the process, or of a device; named Process, or by the device. */
struct strobe_host_disk {
    double read_rate;    /* B/s; read from storage */
    double write_rate;   /* B/s; written to storage; by the process: less what was cut off before it
                            got there */
    uint64_t read_bytes; /* B; read from storage in the interval */
    uint64_t write_bytes; /* B; written to storage in the interval */
    uint64_t reads;       /* reading calls of the process; finished reads of the device */
    uint64_t writes;      /* writing calls of the process; finished writes of the device */
    uint64_t read_chars;  /* B; read by calls, from the cache too; absent: of a device */
    uint64_t write_chars; /* B; written by calls; absent: of a device */
    double utilisation;   /* %; share of the time in which the device was busy; of the process: in
                             which it waited for storage; absent: not told */
    double queue;         /* requests in flight on the average, absent: of the process */
    uint64_t interval;    /* ns; time that the row covers, up to its moment */
};

/* "host_net": traffic of one network interface of the system; named by it. */
struct strobe_host_net {
    double rx_rate;      /* B/s; received */
    double tx_rate;      /* B/s; sent */
    uint64_t rx_bytes;   /* B; received in the interval */
    uint64_t tx_bytes;   /* B; sent in the interval */
    uint64_t rx_packets; /* packets received in the interval */
    uint64_t tx_packets; /* packets sent in the interval */
    uint64_t rx_errors;  /* received with an error in the interval */
    uint64_t tx_errors;  /* sent with an error in the interval */
    uint64_t rx_dropped; /* received and dropped in the interval */
    uint64_t tx_dropped; /* dropped before sending in the interval */
    double speed;        /* B/s; speed of the line, absent: not known */
    double usage;        /* %; received and sent as a share of the speed, absent: not known */
    uint64_t interval;   /* ns; time that the row covers, up to its moment */
};

/* "host_pressure": time lost by waiting for a resource, on the whole system; named cpu, memory, io.
 */
struct strobe_host_pressure {
    double some;       /* %; share of the time in which at least one task waited */
    double full;       /* %; share of the time in which every task waited, absent: not told */
    uint64_t interval; /* ns; time that the row covers, up to its moment */
};

/* "host_throttle": how the control group's processor limit held the process up; named by the group.
 */
struct strobe_host_throttle {
    double throttled; /* %; time that was held up, as a share of the interval; more than 100 with
                         several processors */
    uint64_t throttled_time;    /* ns; time that was held up in the interval */
    uint64_t periods;           /* periods of the limit in the interval */
    uint64_t throttled_periods; /* periods in which the limit was reached */
    double limit;               /* processors that the limit allows, absent: no limit */
    uint64_t interval;          /* ns; time that the row covers, up to its moment */
};

/* "cpu_sample": a thread was found at work; instant on its thread, named by it. */
struct strobe_cpu_sample {
    int64_t time;        /* ns; processor time that the sample stands for */
    uint64_t cycles;     /* cycles that it stands for, absent: time was counted */
    StrobeStackId stack; /* 0: not known */
    uint32_t processor;  /* processor that it ran on */
    uint32_t process;    /* kernel id of the process: the program, or one that it has started */
};

/* "sampling": how well a periodic source kept its interval; span over the window or, where ticks
 * were missed, over the gap; named by the component. Emitted by the core. */
struct strobe_sampling {
    uint64_t interval; /* ns; time between two ticks as asked for */
    uint64_t ticks;    /* samples taken; 0: this is a gap */
    uint64_t missed;   /* ticks that were left out */
    double late_mean;  /* ns; how long after its moment a sample began, on the average */
    uint64_t late_max; /* ns; the longest of these */
    double took_mean;  /* ns; how long a sample took, on the average, absent: a gap */
    uint64_t took_max; /* ns; the longest of these, absent: a gap */
};

extern const StrobeKind strobe_kind_host_thread;
extern const StrobeKind strobe_kind_host_core;
extern const StrobeKind strobe_kind_host_disk;
extern const StrobeKind strobe_kind_host_net;
extern const StrobeKind strobe_kind_host_pressure;
extern const StrobeKind strobe_kind_host_throttle;
extern const StrobeKind strobe_kind_cpu_sample;
extern const StrobeKind strobe_kind_sampling;

#if defined(__cplusplus)
}
#endif

#endif
