/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Derived kinds of device data: passes compute them from the kinds in kinds-device.h.
 *
 * Included by kinds.h. The units are those of the output tables. Since ABI 1.0.
 */
#ifndef STROBE_KINDS_DERIVED_H
#define STROBE_KINDS_DERIVED_H

#include <strobe/record.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* "kernel_detail": one kernel or communication operation with step, wait time and metrics (pass
 * kernel_detail). */
struct strobe_kernel_detail {
    uint64_t task;           /* id of the task in the capture, absent: a communication operation */
    int64_t step;            /* step in which it begins, absent: none */
    double wait;             /* ns; gap after the end of the previous row, absent: unknown */
    int32_t device;          /* device, -1: the host */
    uint32_t task_id;        /* task id in its stream */
    uint32_t stream;         /* stream on the device */
    uint32_t model;          /* model, absent: none */
    uint32_t context;        /* sub-task of a fused task, absent: none */
    uint32_t block_num;      /* cores used */
    uint32_t mix_block_num;  /* cores used on the other side */
    StrobeStringId core;     /* core type */
    StrobeStringId op_type;  /* operator type */
    StrobeStringId op_state; /* static or dynamic */
    StrobeStringId hf32;     /* YES or NO */
    StrobeStringId input_shapes;   /* shapes */
    StrobeStringId input_types;    /* data types */
    StrobeStringId input_formats;  /* formats */
    StrobeStringId output_shapes;  /* shapes */
    StrobeStringId output_types;   /* data types */
    StrobeStringId output_formats; /* formats */
    StrobeStringId metrics;        /* names of the values, joined by semicolons; times in ns */
    uint8_t is_communication;      /* 1: a communication operation */
    double exact_us;  /* us; duration in the source, if it is not a whole number of ns */
    double value[40]; /* the fields value_00 to value_39 */
};

/* "operator_device": one occurrence of an operator with the time of the kernels that it launched
 * (pass operator_device). */
struct strobe_operator_device {
    int64_t host_self;          /* ns; duration minus that of the direct children */
    int64_t host_total;         /* ns; duration */
    double device_self;         /* us; kernels of the operator itself, absent: none */
    double device_total;        /* us; kernels of the operator and its children, absent: none */
    double device_self_aicore;  /* us; kernels on AI cores, absent: none */
    double device_total_aicore; /* us; kernels on AI cores, absent: none */
    StrobeStringId shapes;      /* input shapes */
    StrobeStringId types;       /* input types */
    StrobeStackId stack;        /* Python call stack */
};

/* "kernel_link": operator and a kernel that it launched (pass operator_device); begin: start of the
 * operator, on its track. */
struct strobe_kernel_link {
    uint64_t task;          /* the kernel */
    int64_t to_begin;       /* ns; start of the kernel, since the epoch */
    StrobeTrackId to_track; /* track of the kernel */
};

/* "step_range": a step with the device time that belongs to it (pass operator_device). */
struct strobe_step_range {
    int64_t number;     /* number of the step */
    int64_t host_begin; /* ns; start of the step on the host, since the epoch */
    int32_t device;     /* device, -1: the host */
};

/* "step_trace": parts of the time of one step on one device (pass step_trace); names as in
 * step_trace_time.csv. */
struct strobe_step_trace {
    int64_t step;                        /* number of the step, absent: no steps */
    double computing;                    /* us; computing */
    double communication_not_overlapped; /* us; communication alone */
    double overlapped;                   /* us; computing and communication at the same time */
    double communication;                /* us; communication */
    double free;                         /* us; neither computing nor communication */
    double stage;                        /* us; from the first to the last task, minus the wait
                                          * for a neighbour */
    double bubble;                       /* us; waiting for a neighbour */
    /* us; communication alone, minus the wait for a neighbour */
    double communication_exclude_receive;
    double preparing; /* us; from the start of the step to the first task */
    int32_t device;   /* device, -1: the host */
    uint8_t is_exact; /* 1: computed from integer ns (the database); 0: from microseconds (the
                       * trace) */
};

/* "overlap": a stretch of one device; named Computing, Communication, Communication(Not
 * Overlapped), Free (pass overlap). */
struct strobe_overlap {
    uint32_t type;  /* 0 computing, 1 communication, 2 communication alone, 3 free */
    int32_t device; /* device, -1: the host */
};

/* "op_statistic": totals of the kernels of one operator type and core (pass op_statistic); named by
 * the type. */
struct strobe_op_statistic {
    uint64_t count;      /* kernels */
    double total;        /* ns; sum of the durations */
    double min;          /* ns; shortest */
    double avg;          /* ns; mean */
    double max;          /* ns; longest */
    double ratio;        /* %; share of all kernels of the device */
    StrobeStringId core; /* core type */
    int32_t device;      /* device, -1: the host */
};

/* "api_statistic": totals of the calls of one interface function (pass api_statistic); named by the
 * function. */
struct strobe_api_statistic {
    uint64_t count;       /* calls */
    double total;         /* us; sum of the durations */
    double avg;           /* us; mean */
    double min;           /* us; shortest */
    double max;           /* us; longest */
    double variance;      /* variance of the durations in microseconds */
    StrobeStringId level; /* layer of the interface */
};

/* "communication_time": parts of the time of one communication operation (pass communication);
 * named <op>@<hash>. */
struct strobe_communication_time {
    int64_t step;           /* number of the step, absent: no steps */
    StrobeStringId group;   /* hash of the communicator's name, decimal */
    StrobeStringId type;    /* collective or p2p */
    double start;           /* us; start of the first task */
    double elapse;          /* ms; from the first to the last task */
    double transit;         /* ms; moving data */
    double wait;            /* ms; waiting for notifications */
    double synchronization; /* ms; waiting before the first transfer */
    double idle;            /* ms; the rest */
    uint8_t is_total;       /* 1: the sum of the operations of a step and type */
    int32_t device;         /* device, -1: the host */
};

/* "communication_bandwidth": data that one communication operation moved over one transport, with
 * one record for each packet size (pass communication). */
struct strobe_communication_bandwidth {
    int64_t step;             /* number of the step, absent: no steps */
    StrobeStringId group;     /* hash of the communicator's name, decimal */
    StrobeStringId type;      /* collective or p2p */
    StrobeStringId transport; /* RDMA, HCCS, PCIE, SDMA or SIO */
    double transit_size;      /* MB; total size */
    double transit_time;      /* ms; moving data */
    double bandwidth;         /* GB/s; size over time */
    double large_ratio;       /* share of large packets */
    double package_size;      /* MB; size of the packets counted here, absent: no packets */
    uint64_t package_count;   /* packets of this size */
    double package_time;      /* ms; time of the packets of this size */
    uint8_t is_total;         /* 1: the sum of the operations of a step and type */
    int32_t device;           /* device, -1: the host */
};

/* "communication_matrix": data that went over one link, by operation type (pass communication);
 * named <type>-<rank>@<hash>. */
struct strobe_communication_matrix {
    int64_t step;             /* number of the step, absent: no steps */
    StrobeStringId group;     /* hash of the communicator's name, decimal */
    StrobeStringId type;      /* collective or p2p */
    StrobeStringId source;    /* rank of the sender */
    StrobeStringId target;    /* rank of the receiver */
    StrobeStringId transport; /* transport */
    double transit_size;      /* MB; moved */
    double transit_time;      /* ms; moving data */
    double bandwidth;         /* GB/s; size over time */
    StrobeStringId op_name;   /* operation, 0: the total */
    int32_t device;           /* device, -1: the host */
};

/* "memory_block": one allocation with its release (pass memory_block); named by the operator. */
struct strobe_memory_block {
    int64_t size;                 /* B; bytes */
    int64_t release_time;         /* ns; release, absent: none */
    int64_t active_release_time;  /* ns; release of the block, absent: none */
    int64_t duration;             /* ns; until the release, absent: none */
    int64_t active_duration;      /* ns; until the release of the block, absent: none */
    int64_t allocation_allocated; /* B; allocated after the allocation */
    int64_t allocation_reserved;  /* B; reserved after the allocation */
    int64_t allocation_active;    /* B; active after the allocation */
    int64_t release_allocated;    /* B; allocated after the release */
    int64_t release_reserved;     /* B; reserved after the release */
    int64_t release_active;       /* B; active after the release */
    uint64_t stream;              /* stream's address, absent: none */
    int32_t device;               /* device, -1: the host */
    StrobeStringId component;     /* allocator */
};

/* "memory_total": memory of a device by allocator and in sum (pass memory_total); named APP, PTA,
 * GE, PTA+GE, WORKSPACE. */
struct strobe_memory_total {
    int64_t allocated; /* B; allocated, absent: not reported */
    int64_t reserved;  /* B; reserved */
    int64_t active;    /* B; active, absent: not reported */
    uint64_t stream;   /* stream's address, absent: none */
    int32_t device;    /* device, -1: the host */
};

/* "correlation": number of linked causes and effects of one type by their ids (pass
 * correlation); named by the type, such as api_to_task. */
struct strobe_correlation {
    StrobeStringId source;  /* collector or importer that assigned the ids, 0: unknown */
    uint64_t linked;        /* effects whose id has exactly one cause */
    uint64_t orphan_cause;  /* causes without an effect */
    uint64_t orphan_effect; /* effects without an id or without a cause */
    uint64_t ambiguous;     /* effects with several causes */
    uint64_t violations;    /* linked effects that began before their cause, by more than the
                             * clocks' error */
    int64_t worst;          /* ns; longest time from such an effect to its cause, absent: none */
    uint64_t error;         /* ns; clock error used for this check, absent: unknown */
    uint64_t unchecked;     /* linked effects for which no clock gives the order */
    uint64_t forgotten;     /* causes and effects that were dropped for lack of memory */
};

/* "device_clock": conversion of a device's clock to the host clock (pass correlation); on the
 * clock's track, named by the track. */
struct strobe_device_clock {
    uint64_t pairs;      /* moments known on both clocks; 0: the device's times cannot be converted
                          * to host time */
    uint64_t knots;      /* pairs that were used */
    uint64_t error;      /* ns; largest error of a time, except near jumps, absent: unknown */
    uint64_t host_error; /* ns; largest error of a host time, absent: unknown */
    uint64_t width;      /* ns; widest reading that was used, absent: none */
    uint64_t residual;   /* ns; largest distance of a pair from the line through its neighbours */
    uint64_t broken;     /* ns; total time between the pairs around jumps */
    uint32_t jumps;      /* jumps of the clock */
    double drift;        /* ppm; device time per host time minus 1, absent: unknown */
};

/* "head_overhead": one inference of a graph by TorchAir, with the parts of the time before its
 * first kernel; span from the entry into the compiled module to the end of the inference, on its
 * thread (pass head_overhead); named by its marker. */
struct strobe_head_overhead {
    int64_t step;      /* number of the step, absent: none */
    int64_t framework; /* ns; from the entry to the inference (framework or platform) */
    /* ns; from the step or the previous inference to the entry; not part of total; absent: no step
     * around the entry */
    int64_t platform;
    int64_t torchair; /* ns; from the inference to the call of GE, absent: no such call */
    int64_t python;   /* ns; part of torchair up to the C++ side, absent: its begin is not marked */
    int64_t cpp;      /* ns; rest of torchair, absent: its begin is not marked */
    int64_t ge;       /* ns; from the call of GE to the end, absent: no such call */
    int64_t ge_to_first_kernel; /* ns; from the call of GE to its first kernel, absent: unknown */
    int64_t total; /* ns; from the entry to the end; for a nested inference: its duration */
    int64_t to_first_kernel; /* ns; from the entry to the first kernel, absent: unknown */
    double framework_share;  /* %; share of the total */
    double torchair_share;   /* %; share of the total */
    double python_share;     /* %; share of the total */
    double cpp_share;        /* %; share of the total */
    double ge_share;         /* %; share of the total */
    int64_t python_build;    /* ns; part of python: operators that make tensors from scalars and
                              * lists */
    /* ns; part of python: operators that make tensors contiguous, and copies */
    int64_t python_contiguous;
    int64_t python_aten;   /* ns; part of python: other ATen operators */
    int64_t python_rest;   /* ns; part of python: the rest, Python itself */
    int64_t cpp_inputs;    /* ns; part of cpp: AssembleInputs */
    int64_t cpp_outputs;   /* ns; part of cpp: AssembleOutputs */
    int64_t cpp_load;      /* ns; part of cpp: LoadGraph */
    int64_t cpp_rest;      /* ns; part of cpp: the rest, such as arguments and the stream */
    int64_t ge_execute;    /* ns; part of ge: the call itself */
    int64_t ge_refresh;    /* ns; part of ge: taking over its outputs */
    int64_t ge_rest;       /* ns; part of ge: the rest */
    int64_t lookup;        /* ns; cache lookups of the compiler from the entry to the inference */
    uint64_t pid;          /* process */
    uint64_t thread;       /* thread */
    uint32_t graph;        /* number of the inference in its step, from 1; 0: nested */
    StrobeStringId mode;   /* ge, aclgraph, eager or unknown */
    StrobeStringId marker; /* inference, or cache if only the cached entry is marked */
    /* how the entry was found: pattern, cache, lookup, region, frame, step, previous, thread */
    StrobeStringId entry_source;
    StrobeStringId error; /* parts that contradict each other, as text; 0: none */
    /* 1: the entry may be later than given, so framework may be too long */
    uint8_t is_upper_bound;
    uint8_t is_compile; /* 1: it compiled, loaded or captured a graph */
    uint8_t is_nested;  /* 1: inside another inference; only its duration is known */
};

/* "head_overhead_step": sums of the inferences of a step (pass head_overhead); named by the step.
 */
struct strobe_head_overhead_step {
    int64_t step;      /* number of the step */
    uint64_t graphs;   /* inferences, without nested ones */
    uint64_t compiled; /* inferences that compiled a graph */
    int64_t framework; /* ns; sum over the inferences */
    int64_t platform;  /* ns; sum over the inferences, absent: unknown for all */
    int64_t torchair;  /* ns; sum over the inferences, absent: unknown for all */
    int64_t python;    /* ns; sum over the inferences, absent: unknown for all */
    int64_t cpp;       /* ns; sum over the inferences, absent: unknown for all */
    int64_t ge;        /* ns; sum over the inferences, absent: unknown for all */
    int64_t total;     /* ns; sum over the inferences */
};

/* "head_overhead_summary": one part of the head overhead over all inferences that compiled
 * nothing (pass head_overhead); named by the part. */
struct strobe_head_overhead_summary {
    uint64_t count;   /* inferences for which the part is known */
    double mean;      /* ns; mean */
    double median;    /* ns; median */
    double p95;       /* ns; 95th percentile */
    double min;       /* ns; shortest */
    double max;       /* ns; longest */
    double deviation; /* ns; standard deviation, absent for fewer than two */
};

/* "head_overhead_advice": what to do about the head overhead (pass head_overhead); named ranking
 * (one record for each part, longest first) or hint. */
struct strobe_head_overhead_advice {
    StrobeStringId part; /* part of the head overhead */
    double share;        /* %; share of the sum of all totals; for a hint: share of the part */
    double mean;         /* ns; mean time */
    StrobeStringId text; /* advice, or the team to ask */
};

/* "finding": one thing that cost the program time, or that makes the numbers unsure, with advice
 * (pass finding); named by its id, such as data_loading; losses first, then by severity. */
struct strobe_finding {
    StrobeStringId severity; /* high, medium, low, or unknown */
    double share;            /* %; share of the time of all steps, absent: not a share of time */
    double confidence;       /* %; confidence in the finding */
    uint64_t count;          /* number of records that support it */
    StrobeStringId summary;  /* what was found, in one sentence */
    StrobeStringId evidence; /* the most important names or values */
    StrobeStringId table;    /* kind of the records that support it */
    StrobeStringId advice;   /* what to do */
};

/* "step_part": parts of the time of one step on the thread that announced the step (pass finding).
 * Each moment counts once, in the first of these parts that applies. Number -1: the whole window,
 * if no steps were announced. */
struct strobe_step_part {
    int64_t number;          /* number of the step */
    int64_t duration;        /* ns */
    int64_t gc;              /* ns; garbage collection, of any thread */
    int64_t data;            /* ns; waiting for data */
    int64_t synchronization; /* ns; waiting for a device */
    int64_t compile;         /* ns; compiling graphs or kernels */
    int64_t operators;       /* ns; operators */
    int64_t python;          /* ns; Python functions, as far as calls were recorded */
    int64_t other;           /* ns; the rest */
};

extern const StrobeKind strobe_kind_kernel_detail;
extern const StrobeKind strobe_kind_operator_device;
extern const StrobeKind strobe_kind_kernel_link;
extern const StrobeKind strobe_kind_step_range;
extern const StrobeKind strobe_kind_step_trace;
extern const StrobeKind strobe_kind_overlap;
extern const StrobeKind strobe_kind_op_statistic;
extern const StrobeKind strobe_kind_api_statistic;
extern const StrobeKind strobe_kind_communication_time;
extern const StrobeKind strobe_kind_communication_bandwidth;
extern const StrobeKind strobe_kind_communication_matrix;
extern const StrobeKind strobe_kind_memory_block;
extern const StrobeKind strobe_kind_memory_total;
extern const StrobeKind strobe_kind_correlation;
extern const StrobeKind strobe_kind_device_clock;
extern const StrobeKind strobe_kind_head_overhead;
extern const StrobeKind strobe_kind_head_overhead_step;
extern const StrobeKind strobe_kind_head_overhead_summary;
extern const StrobeKind strobe_kind_head_overhead_advice;
extern const StrobeKind strobe_kind_finding;
extern const StrobeKind strobe_kind_step_part;

#if defined(__cplusplus)
}
#endif

#endif
