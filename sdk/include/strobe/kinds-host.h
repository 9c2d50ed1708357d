/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Standard kinds of the host: its processors, disks, networks, and limits set on the process.
 *
 * Included by kinds.h. Rates and differences cover the interval that ends at the record's time.
 * A field that was not sampled is absent (STROBE_ABSENT_*). Since ABI 1.0.
 */
#ifndef STROBE_KINDS_HOST_H
#define STROBE_KINDS_HOST_H

#include <strobe/record.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* "host_thread": processor use of one thread; named by the thread. A thread that becomes idle gets
 * one row with zeros, and no further row until it runs again. */
struct strobe_host_thread {
    double usage;       /* % of one processor */
    double user;        /* %; share in user mode, absent: unknown so far */
    double system;      /* %; share in the kernel, absent: unknown so far */
    double wait;        /* %; share of time in which the thread was ready to run and waited for a
                         * processor */
    uint64_t tid;       /* kernel id of the thread */
    uint64_t interval;  /* ns; time that the row covers; it ends at the row's time */
    uint32_t processor; /* processor on which it ran last, absent: unknown */
};

/* "host_core": use of one processor by everything on the machine; named by the processor, or All
 * for all processors together. */
struct strobe_host_core {
    double usage;       /* %; share of the time in use */
    double user;        /* %; user mode, guests included */
    double system;      /* %; the kernel */
    double iowait;      /* %; idle with input or output outstanding */
    double irq;         /* %; interrupts */
    double steal;       /* %; used by other guests of the hypervisor, absent: not reported */
    uint64_t interval;  /* ns; time that the row covers; it ends at the row's time */
    uint32_t processor; /* number of the processor, absent: all */
};

/* "host_disk": input and output of the process, or of a device; named Process, or by the device. */
struct strobe_host_disk {
    double read_rate;     /* B/s; read from storage */
    double write_rate;    /* B/s; written to storage; for the process: without data that was
                             truncated before it was written */
    uint64_t read_bytes;  /* B; read from storage in the interval */
    uint64_t write_bytes; /* B; written to storage in the interval */
    uint64_t reads;       /* read calls of the process, or completed reads of the device */
    uint64_t writes;      /* write calls of the process, or completed writes of the device */
    uint64_t read_chars;  /* B; read by calls, including reads from the cache; absent for a
                           * device */
    uint64_t write_chars; /* B; written by calls; absent for a device */
    double utilisation;   /* %; share of time in which the device was busy; for the process: in
                             which the process waited for storage; absent: not reported */
    double queue;         /* mean number of requests in flight, absent for the process */
    uint64_t interval;    /* ns; time that the row covers; it ends at the row's time */
};

/* "host_net": traffic of one network interface of the system; named by the interface. */
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
    double speed;        /* B/s; speed of the link, absent: unknown */
    double usage;        /* %; received and sent as a share of the speed, absent: unknown */
    uint64_t interval;   /* ns; time that the row covers; it ends at the row's time */
};

/* "host_pressure": time lost by waiting for a resource, on the whole system; named cpu, memory, io.
 */
struct strobe_host_pressure {
    double some;       /* %; share of the time in which at least one task waited */
    double full;       /* %; share of the time in which every task waited, absent: not reported */
    uint64_t interval; /* ns; time that the row covers; it ends at the row's time */
};

/* "host_throttle": how much the control group's processor limit slowed the process down; named by
 * the group. */
struct strobe_host_throttle {
    double throttled;           /* %; throttled time as a share of the interval; may exceed 100 with
                                   several processors */
    uint64_t throttled_time;    /* ns; throttled time in the interval */
    uint64_t periods;           /* periods of the limit in the interval */
    uint64_t throttled_periods; /* periods in which the limit was reached */
    double limit;               /* processors that the limit allows, absent: no limit */
    uint64_t interval;          /* ns; time that the row covers; it ends at the row's time */
};

/* "cpu_sample": a sample of a running thread; instant on its thread, named by the thread. */
struct strobe_cpu_sample {
    int64_t time;        /* ns; processor time that the sample represents */
    uint64_t cycles;     /* cycles that the sample represents, absent: time was counted */
    StrobeStackId stack; /* 0: unknown */
    uint32_t processor;  /* processor on which the thread ran */
    uint32_t process;    /* kernel id of the process: the program or a child */
};

/* "sampling": how well a periodic source kept its interval; span over the window or, where ticks
 * were missed, over the gap; named by the component. Emitted by the core. */
struct strobe_sampling {
    uint64_t interval; /* ns; requested time between two ticks */
    uint64_t ticks;    /* samples taken; 0: this is a gap */
    uint64_t missed;   /* ticks that were skipped */
    double late_mean;  /* ns; mean delay between a tick and its sample */
    uint64_t late_max; /* ns; longest delay */
    double took_mean;  /* ns; mean duration of a sample, absent: a gap */
    uint64_t took_max; /* ns; longest duration of a sample, absent: a gap */
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
