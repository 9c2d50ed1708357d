/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Standard kinds of devices: what an accelerator, its runtime and its links do.
 *
 * Included by kinds.h. A record's track gives device, stream and plane; the field `device` repeats
 * the number where a table needs it. A field that the source does not state is absent
 * (STROBE_ABSENT_*, 0 for a string). `exact_us` is for older sources, which state durations with
 * digits below 1 ns. It is absent if the duration is a whole number of ns, because the record's
 * begin and end then give the duration. Since ABI 1.0.
 */
#ifndef STROBE_KINDS_DEVICE_H
#define STROBE_KINDS_DEVICE_H

#include <strobe/record.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* "api_call": one call into a driver, runtime or library interface; span on its thread, named by
 * the interface function. */
struct strobe_api_call {
    /* layer of the interface, such as acl, runtime, node, model, communication, opencl */
    StrobeStringId level;
    StrobeStringId mode; /* type of call within its level, such as ACL_OP, launch */
    StrobeStringId item; /* subject of the call, such as the operator that it launches */
    uint64_t connection; /* id that this call shares with the tasks that it caused */
    double exact_us;     /* us; duration in the source, if it is not a whole number of ns */
};

/* "task_queue": one side of the framework's own task queue; span on its thread. */
struct strobe_task_queue {
    uint64_t correlation; /* id that both sides share */
    uint8_t is_dequeue;   /* 0: enqueued; 1: dequeued and run */
};

/* "python_call": one call of a Python function or module; span on its thread. */
struct strobe_python_call {
    uint64_t id;     /* id of the call in its thread */
    uint64_t parent; /* id of the enclosing call, 0: none */
    int64_t module;  /* number of the nn.Module instance of its class, absent: no module */
};

/* "device_task": one task on a device; span on its stream's track, named by the operator or the
 * type of task. */
struct strobe_device_task {
    uint64_t task;                 /* id of the task in the capture */
    uint64_t connection;           /* id of the call that caused it, absent: none */
    uint32_t batch;                /* batch of task ids */
    uint32_t task_id;              /* task id in its stream */
    uint32_t stream;               /* stream on the device */
    uint32_t context;              /* sub-task of a fused task, absent: none */
    uint32_t model;                /* model, absent: none */
    uint32_t block_num;            /* cores used */
    uint32_t mix_block_num;        /* cores used on the other side of a mixed task */
    StrobeStringId task_type;      /* task type in the device's terms */
    StrobeStringId host_type;      /* task type in the host's terms */
    StrobeStringId core;           /* core type, such as AI_CORE, AI_VECTOR_CORE, MIX_AIC, AI_CPU */
    StrobeStringId op_type;        /* operator type */
    StrobeStringId op_state;       /* static or dynamic */
    StrobeStringId hf32;           /* YES or NO: may use HF32 */
    StrobeStringId input_shapes;   /* shapes, joined by semicolons, with the source's quotes */
    StrobeStringId input_types;    /* data types, joined by semicolons */
    StrobeStringId input_formats;  /* formats, joined by semicolons */
    StrobeStringId output_shapes;  /* shapes, joined by semicolons, with the source's quotes */
    StrobeStringId output_types;   /* data types, joined by semicolons */
    StrobeStringId output_formats; /* formats, joined by semicolons */
    StrobeStringId attributes;     /* attributes of the operator */
    StrobeStringId grid_dim;       /* grid of a SIMT kernel */
    StrobeStringId block_dim;      /* block of a SIMT kernel */
    uint64_t copy_bytes;           /* B; size of a copy */
    StrobeStringId copy_direction; /* direction of a copy, such as host to device */
    double copy_bandwidth;         /* GB/s; bandwidth of a copy */
    uint8_t is_kernel;             /* has operator information: it is a kernel, not a copy or an
                                    * event */
    double exact_us; /* us; duration in the source, if it is not a whole number of ns */
};

/* "device_pmu": metrics of one device task, with the task's times and track; named by the metrics
 * set. The names of the metrics are in `metrics`, their values in value_00 and on. */
struct strobe_device_pmu {
    uint64_t task;          /* task that the metrics belong to */
    StrobeStringId metrics; /* names of the values, joined by semicolons; times in ns */
    uint32_t frequency;     /* MHz; clock of the cores, absent: unknown */
    double value[48];       /* the fields value_00 to value_47 */
};

/* "comm_op": one collective or point-to-point operation; span on its group's track, named by the
 * operation. */
struct strobe_comm_op {
    uint64_t op;              /* id of the operation in the capture */
    uint64_t connection;      /* id of the call that caused it, absent: none */
    uint64_t count;           /* elements */
    uint32_t model;           /* model, absent: none */
    uint32_t rank_size;       /* ranks in the group, absent: unknown */
    uint32_t relay;           /* 1: relayed; absent: unknown */
    uint32_t retry;           /* 1: repeated; absent: unknown */
    StrobeStringId group;     /* name of the communicator */
    StrobeStringId op_type;   /* operator type, such as hcom_allReduce_ */
    StrobeStringId algorithm; /* algorithm, such as MESH-RING */
    StrobeStringId data_type; /* data type */
    double exact_us;          /* us; duration in the source, if it is not a whole number of ns */
};

/* "comm_task": one transfer or wait of a communication operation; span on its plane's track, named
 * by the type of task. */
struct strobe_comm_task {
    uint64_t op;              /* operation that the task belongs to */
    uint64_t task;            /* device task that carries it out, absent: none */
    uint64_t connection;      /* id of the call that caused it, absent: none */
    uint64_t size;            /* B; bytes moved */
    StrobeStringId notify;    /* notification that is sent or awaited */
    double estimated;         /* us; estimated duration */
    double bandwidth;         /* GB/s; bytes over time */
    uint32_t plane;           /* communication plane */
    uint32_t stream;          /* stream on the device */
    uint32_t task_id;         /* task id in its stream */
    uint32_t context;         /* sub-task of a fused task, absent: none */
    uint32_t batch;           /* batch of task ids */
    uint32_t model;           /* model, absent: none */
    uint32_t source_rank;     /* sender, absent: none */
    uint32_t target_rank;     /* receiver, absent: none */
    uint32_t is_master;       /* 1: on the plane whose times are used; absent: unknown */
    StrobeStringId group;     /* name of the communicator */
    StrobeStringId transport; /* transport, such as SDMA, RDMA */
    StrobeStringId link_type; /* link, such as HCCS_SW, ON_CHIP */
    StrobeStringId rdma_type; /* type of RDMA task */
    StrobeStringId data_type; /* data type */
    double exact_us;          /* us; duration in the source, if it is not a whole number of ns */
};

/* "memory_event": one allocation or release, or the state of an allocator after it; on the thread's
 * track, named by the operator if the source states it. */
struct strobe_memory_event {
    uint64_t address;         /* address, absent: unknown */
    int64_t size;             /* B; bytes taken, negative: given back; absent: unknown */
    int64_t total_allocated;  /* B; allocated after the event */
    int64_t total_reserved;   /* B; reserved after the event */
    int64_t total_active;     /* B; active after the event */
    uint64_t stream;          /* stream's address, absent: none */
    uint32_t action;          /* 0 allocation, 1 release, 2 release of the block, 3 state only */
    int32_t device;           /* device, -1: the host */
    StrobeStringId component; /* allocator: PTA, GE, WORKSPACE  */
    /* id of the allocation in the capture, if the source pairs releases with allocations but states
     * no addresses; absent: the address is the id */
    uint64_t block;
};

/* "memory_usage": memory in use on a device; named app (by the program) or device (by all). */
struct strobe_memory_usage {
    int64_t ddr;    /* B; DDR in use */
    int64_t hbm;    /* B; HBM in use */
    int32_t device; /* device, -1: the host */
};

/* "module_memory": memory that one part of the system reserved on a device; named by the part. */
struct strobe_module_memory {
    int64_t reserved; /* B; reserved bytes; negative: the device did not report them */
    uint32_t module;  /* number of the part, absent: unknown */
    int32_t device;   /* device, -1: the host */
};

/* "nic": one port of a device's network interface. */
struct strobe_port {
    double bandwidth;       /* B/s; bandwidth of the port */
    double rx_packet_rate;  /* 1/s; received packets a second */
    double rx_byte_rate;    /* B/s; received bytes a second */
    uint64_t rx_packets;    /* received packets */
    uint64_t rx_bytes;      /* B; received bytes */
    uint64_t rx_errors;     /* received with an error */
    uint64_t rx_dropped;    /* received and dropped */
    double rx_efficiency;   /* %; use of the bandwidth */
    double rx_error_rate;   /* %; share with an error */
    double rx_dropped_rate; /* %; share dropped */
    double tx_packet_rate;  /* 1/s; sent packets a second */
    double tx_byte_rate;    /* B/s; sent bytes a second */
    uint64_t tx_packets;    /* sent packets */
    uint64_t tx_bytes;      /* B; sent bytes */
    uint64_t tx_errors;     /* sent with an error */
    uint64_t tx_dropped;    /* sent and dropped */
    double tx_efficiency;   /* %; use of the bandwidth */
    double tx_error_rate;   /* %; share with an error */
    double tx_dropped_rate; /* %; share dropped */
    uint32_t port;          /* number of the port */
    int32_t device;         /* device, -1: the host */
};

/* "roce": one RoCE port of a device. */

/* "mac": counters of a device's network card, by layer. */
struct strobe_mac {
    uint64_t mac_tx_pfc_packets; /* pause frames sent */
    uint64_t mac_rx_pfc_packets; /* pause frames received */
    uint64_t mac_tx_bytes;       /* B; bytes sent */
    double mac_tx_bandwidth;     /* B/s; bytes sent a second */
    uint64_t mac_rx_bytes;       /* B; bytes received */
    double mac_rx_bandwidth;     /* B/s; bytes received a second */
    uint64_t mac_tx_bad_bytes;   /* B; bad bytes sent */
    uint64_t mac_rx_bad_bytes;   /* B; bad bytes received */
    uint64_t roce_tx_packets;    /* RoCE packets sent */
    uint64_t roce_rx_packets;    /* RoCE packets received */
    uint64_t roce_tx_errors;     /* RoCE packets sent with an error */
    uint64_t roce_rx_errors;     /* RoCE packets received with an error */
    uint64_t roce_tx_cnp;        /* congestion notices sent */
    uint64_t roce_rx_cnp;        /* congestion notices received */
    uint64_t roce_retries;       /* RoCE packets repeated */
    uint64_t nic_tx_bytes;       /* B; bytes sent by the interface */
    double nic_tx_bandwidth;     /* B/s; bytes sent a second by the interface */
    uint64_t nic_rx_bytes;       /* B; bytes received by the interface */
    double nic_rx_bandwidth;     /* B/s; bytes received a second by the interface */
    int32_t device;              /* device, -1: the host */
};

/* "pcie": traffic of a device on PCIe. */
struct strobe_pcie {
    double tx_post_min;            /* B/s; least bandwidth in the interval */
    double tx_post_max;            /* B/s; greatest bandwidth in the interval */
    double tx_post_avg;            /* B/s; mean bandwidth in the interval */
    double tx_nonpost_min;         /* B/s; least bandwidth in the interval */
    double tx_nonpost_max;         /* B/s; greatest bandwidth in the interval */
    double tx_nonpost_avg;         /* B/s; mean bandwidth in the interval */
    double tx_cpl_min;             /* B/s; least bandwidth in the interval */
    double tx_cpl_max;             /* B/s; greatest bandwidth in the interval */
    double tx_cpl_avg;             /* B/s; mean bandwidth in the interval */
    double tx_nonpost_latency_min; /* ns; least latency in the interval */
    double tx_nonpost_latency_max; /* ns; greatest latency in the interval */
    double tx_nonpost_latency_avg; /* ns; mean latency in the interval */
    double rx_post_min;            /* B/s; least bandwidth in the interval */
    double rx_post_max;            /* B/s; greatest bandwidth in the interval */
    double rx_post_avg;            /* B/s; mean bandwidth in the interval */
    double rx_nonpost_min;         /* B/s; least bandwidth in the interval */
    double rx_nonpost_max;         /* B/s; greatest bandwidth in the interval */
    double rx_nonpost_avg;         /* B/s; mean bandwidth in the interval */
    double rx_cpl_min;             /* B/s; least bandwidth in the interval */
    double rx_cpl_max;             /* B/s; greatest bandwidth in the interval */
    double rx_cpl_avg;             /* B/s; mean bandwidth in the interval */
    int32_t device;                /* device, -1: the host */
    double resolution;             /* B/s; step of the bandwidths, absent: unknown */
};

/* "hccs": traffic of a device on HCCS links. */
struct strobe_hccs {
    double tx;      /* B/s; sent */
    double rx;      /* B/s; received */
    int32_t device; /* device, -1: the host */
};

/* "hbm": bandwidth of one HBM stack; named read or write. */
struct strobe_hbm {
    double bandwidth; /* B/s; bandwidth */
    uint32_t id;      /* number of the stack */
    int32_t device;   /* device, -1: the host */
};

/* "ddr": bandwidth of a device's DDR. */
struct strobe_ddr {
    double read;    /* B/s; read */
    double write;   /* B/s; written */
    int32_t device; /* device, -1: the host */
};

/* "llc": one last-level cache of a device; named read or write. */
struct strobe_llc {
    double hit_rate;   /* %; hits */
    double throughput; /* B/s; throughput */
    uint32_t id;       /* number of the cache */
    int32_t device;    /* device, -1: the host */
};

/* "qos": bandwidth of one stream of the device's memory system; named by the stream. */
struct strobe_qos {
    double bandwidth; /* B/s; bandwidth */
    int32_t die;      /* die, -1: not distinguished */
    int32_t device;   /* device, -1: the host */
};

/* "sio": traffic between dies; named by the pair. */
struct strobe_sio {
    double rx_req;  /* B/s; requests received */
    double rx_rsp;  /* B/s; responses received */
    double rx_snp;  /* B/s; snoops received */
    double rx_dat;  /* B/s; data received */
    double tx_req;  /* B/s; requests sent */
    double tx_rsp;  /* B/s; responses sent */
    double tx_snp;  /* B/s; snoops sent */
    double tx_dat;  /* B/s; data sent */
    int32_t device; /* device, -1: the host */
};

/* "core_frequency": clock of a device's cores. */
struct strobe_core_frequency {
    double frequency; /* MHz; frequency */
    int32_t die;      /* die, -1: not distinguished */
    int32_t device;   /* device, -1: the host */
};

/* "acc_pmu": load of one accelerator unit of a device. */
struct strobe_acc_pmu {
    int64_t read_bandwidth;  /* level of the reading bandwidth */
    int64_t write_bandwidth; /* level of the writing bandwidth */
    int64_t read_ost;        /* level of outstanding reads */
    int64_t write_ost;       /* level of outstanding writes */
    uint32_t id;             /* number of the unit */
    int32_t device;          /* device, -1: the host */
};

/* "soc_bandwidth": load of a device's shared buffers. */
struct strobe_soc_bandwidth {
    int64_t l2_buffer; /* level of the L2 buffer */
    int64_t mata;      /* level of the memory access unit */
    int32_t device;    /* device, -1: the host */
};

/* "l2_cache": use of the L2 cache by one device task, with the task's times and track; named by the
 * operator. */
struct strobe_l2_cache {
    uint64_t task;      /* device task, absent: unknown */
    double hit_rate;    /* share of hits, absent: not counted */
    double victim_rate; /* share of evictions */
    uint32_t stream;    /* stream on the device */
    uint32_t task_id;   /* task id in its stream */
};

/* "soc_pmu": use of the address translation by one device task, with the task's times and track;
 * named by the operator. */
struct strobe_soc_pmu {
    uint64_t task;        /* device task, absent: unknown */
    double tlb_hit_rate;  /* share of hits */
    double tlb_miss_rate; /* share of misses */
    uint32_t stream;      /* stream on the device */
    uint32_t task_id;     /* task id in its stream */
};

/* "aicpu": one operator on a device's control processors, with the parts of its time; named by the
 * operator. */
struct strobe_aicpu {
    double compute;   /* ns; computing */
    double copy;      /* ns; copying */
    double task_time; /* ns; running the task */
    double dispatch;  /* ns; being dispatched */
    double total;     /* ns; sum of the above */
    uint32_t stream;  /* stream on the device */
    uint32_t task_id; /* task id in its stream */
    int32_t device;   /* device, -1: the host */
};

/* "usage": use of a part of the host; named CPU <n>, Memory, Disk, Network. */
struct strobe_usage {
    double usage;       /* %; share in use */
    double read_rate;   /* B/s; read, only for a disk */
    double write_rate;  /* B/s; written, only for a disk */
    double speed;       /* B/s; speed of the link, only for a network */
    uint32_t processor; /* number of the processor, absent: the record is not of one processor */
};

/* "os_call": one call of the operating system or the C library; span on its thread. */
struct strobe_os_call {
    int64_t status; /* returned value, absent: unknown */
};

/* "flow_point": one end of a flow event of the source; named by its category. */
struct strobe_flow_point {
    StrobeStringId id; /* id that both ends share, as text */
    uint8_t is_end;    /* 0: begin; 1: end */
};

/* "device_info": a device of the run; named by its model. */
struct strobe_device_info {
    int32_t device; /* device, -1: the host */
    int32_t rank;   /* rank that used it, -1: unknown */
};

/* "clock_sync": one moment on two clocks; on the track whose clock it describes
 * (STROBE_CLOCK_OF_TRACK). The device's clock is read between two readings of the host's. Each
 * window needs at least one pair at its begin and one at its end; one every few seconds shows
 * drift and jumps. */
struct strobe_clock_sync {
    int64_t device_time; /* time on the track's clock */
    int64_t host_time;   /* ns; in CLOCK_MONOTONIC: the middle of the two readings */
    uint64_t width_ns;   /* second reading minus first: host_time is off by half of it at most */
};

extern const StrobeKind strobe_kind_api_call;
extern const StrobeKind strobe_kind_task_queue;
extern const StrobeKind strobe_kind_python_call;
extern const StrobeKind strobe_kind_device_task;
extern const StrobeKind strobe_kind_device_pmu;
extern const StrobeKind strobe_kind_comm_op;
extern const StrobeKind strobe_kind_comm_task;
extern const StrobeKind strobe_kind_memory_event;
extern const StrobeKind strobe_kind_memory_usage;
extern const StrobeKind strobe_kind_module_memory;
extern const StrobeKind strobe_kind_nic;
extern const StrobeKind strobe_kind_roce;
extern const StrobeKind strobe_kind_mac;
extern const StrobeKind strobe_kind_pcie;
extern const StrobeKind strobe_kind_hccs;
extern const StrobeKind strobe_kind_hbm;
extern const StrobeKind strobe_kind_ddr;
extern const StrobeKind strobe_kind_llc;
extern const StrobeKind strobe_kind_qos;
extern const StrobeKind strobe_kind_sio;
extern const StrobeKind strobe_kind_core_frequency;
extern const StrobeKind strobe_kind_acc_pmu;
extern const StrobeKind strobe_kind_soc_bandwidth;
extern const StrobeKind strobe_kind_l2_cache;
extern const StrobeKind strobe_kind_soc_pmu;
extern const StrobeKind strobe_kind_aicpu;
extern const StrobeKind strobe_kind_usage;
extern const StrobeKind strobe_kind_os_call;
extern const StrobeKind strobe_kind_flow_point;
extern const StrobeKind strobe_kind_device_info;
extern const StrobeKind strobe_kind_clock_sync;

#if defined(__cplusplus)
}
#endif

#endif
