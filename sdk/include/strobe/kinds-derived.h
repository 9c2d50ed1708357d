/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Derived kinds of device data: what passes make of the kinds in kinds-device.h.
 *
 * Included by kinds.h. Units are those of the tables that they end in. Since ABI 1.0.
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
    int64_t step;            /* step that holds its begin, absent: none */
    double wait;             /* ns; gap since the end of the row before, absent: not known */
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
    double exact_us; /* us; duration as the source states it, where that is no whole number of ns */
    double value[40]; /* the fields value_00 to value_39 */
};

/* "operator_device": one occurrence of an operator with the time of the kernels that it launched
 * (pass operator_device). */
struct strobe_operator_device {
    int64_t host_self;          /* ns; duration less that of the direct children */
    int64_t host_total;         /* ns; duration */
    double device_self;         /* us; kernels of the operator itself, absent: none */
    double device_total;        /* us; kernels of it and what it called, absent: none */
    double device_self_aicore;  /* us; those on AI cores, absent: none */
    double device_total_aicore; /* us; those on AI cores, absent: none */
    StrobeStringId shapes;      /* input shapes */
    StrobeStringId types;       /* input types */
    StrobeStackId stack;        /* python call stack */
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

/* "step_trace": where the time of one step went on one device (pass step_trace); names as in
 * step_trace_time.csv. */
struct strobe_step_trace {
    int64_t step;                        /* number of the step, absent: no steps */
    double computing;                    /* us; computing */
    double communication_not_overlapped; /* us; communication alone */
    double overlapped;                   /* us; computing and communication at once */
    double communication;                /* us; communication */
    double free;                         /* us; neither */
    double stage;                        /* us; from first to last, less waiting for a neighbour */
    double bubble;                       /* us; waiting for a neighbour */
    /* us; communication alone, less waiting for a neighbour */
    double communication_exclude_receive;
    double preparing; /* us; from the start of the step to the first task */
    int32_t device;   /* device, -1: the host */
    uint8_t is_exact; /* 1: from integer ns (the database); 0: from the trace's microseconds */
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

/* "communication_time": where the time of one communication operation went (pass communication);
 * named <op>@<hash>. */
struct strobe_communication_time {
    int64_t step;           /* number of the step, absent: no steps */
    StrobeStringId group;   /* hash of the communicator's name, decimal */
    StrobeStringId type;    /* collective or p2p */
    double start;           /* us; start of the first task */
    double elapse;          /* ms; from first to last */
    double transit;         /* ms; moving data */
    double wait;            /* ms; waiting for notifications */
    double synchronization; /* ms; waiting before the first transfer */
    double idle;            /* ms; the rest */
    uint8_t is_total;       /* 1: the sum of the operations of a step and type */
    int32_t device;         /* device, -1: the host */
};

/* "communication_bandwidth": what one communication operation moved over one transport, one record
 * a packet size (pass communication). */
struct strobe_communication_bandwidth {
    int64_t step;             /* number of the step, absent: no steps */
    StrobeStringId group;     /* hash of the communicator's name, decimal */
    StrobeStringId type;      /* collective or p2p */
    StrobeStringId transport; /* RDMA, HCCS, PCIE, SDMA or SIO */
    double transit_size;      /* MB; moved in all */
    double transit_time;      /* ms; moving data */
    double bandwidth;         /* GB/s; size over time */
    double large_ratio;       /* share of large packets */
    double package_size;      /* MB; size of the packets counted here, absent: no packets */
    uint64_t package_count;   /* packets of this size */
    double package_time;      /* ms; time of the packets of this size */
    uint8_t is_total;         /* 1: the sum of the operations of a step and type */
    int32_t device;           /* device, -1: the host */
};

/* "communication_matrix": what went over one link, by operation type (pass communication); named
 * <type>-<rank>@<hash>. */
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
    StrobeStringId op_name;   /* operation that the numbers are of, 0: a total */
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
    int64_t allocated; /* B; allocated, absent: not told */
    int64_t reserved;  /* B; reserved */
    int64_t active;    /* B; active, absent: not told */
    uint64_t stream;   /* stream's address, absent: none */
    int32_t device;    /* device, -1: the host */
};

/* "correlation": how many causes and effects of one type found each other by their ids (pass
 * correlation); named by the sort, such as api_to_task. */
struct strobe_correlation {
    StrobeStringId source;  /* collector or importer whose ids these are, 0: not known */
    uint64_t linked;        /* effects with the one cause that their id names */
    uint64_t orphan_cause;  /* causes whose id no effect has */
    uint64_t orphan_effect; /* effects without an id, or with one that no cause has */
    uint64_t ambiguous;     /* effects whose id several causes have */
    uint64_t violations;    /* of linked: begun before their cause by more than the clocks' error */
    int64_t worst;          /* ns; the most by which one did, absent: none did */
    uint64_t error;         /* ns; error of the clocks that was allowed for, absent: not known */
    uint64_t unchecked;     /* of linked: no clock says which came first */
    uint64_t forgotten;     /* causes and effects that there was no room to remember */
};

/* "device_clock": how a device's clock was placed on the host's (pass correlation); on the clock's
 * track, named by it. */
struct strobe_device_clock {
    uint64_t pairs;      /* moments in both clocks, 0: its times have no place on the host's */
    uint64_t knots;      /* of these, used */
    uint64_t error;      /* ns; no time outside of jumps is off by more, absent: not known */
    uint64_t host_error; /* ns; of a time of the host, absent: not known */
    uint64_t width;      /* ns; the widest reading that was used, absent: none */
    uint64_t residual;   /* ns; the most by which a pair lies off the line through its neighbours */
    uint64_t broken;     /* ns; between the pairs around jumps */
    uint32_t jumps;      /* of the clock */
    double drift;        /* ppm; device time per host time less 1, absent: not known */
};

/* "head_overhead": one inference of a graph by TorchAir with the time before its first kernel,
 * from the entry into the compiled module to its end, on its thread (pass head_overhead); named
 * by its marker. */
struct strobe_head_overhead {
    int64_t step;      /* number of the step, absent: none */
    int64_t framework; /* ns; from the entry to the inference: framework or platform */
    /* ns; from the step or the inference before to the entry, in no sum; absent: no step around
     * the entry */
    int64_t platform;
    int64_t torchair; /* ns; from the inference to the call of GE, absent: no such call */
    int64_t python;   /* ns; of torchair: up to the C++ side, absent: its begin is not marked */
    int64_t cpp;      /* ns; of torchair: the rest, absent: its begin is not marked */
    int64_t ge;       /* ns; from the call of GE to the end, absent: no such call */
    int64_t ge_to_first_kernel; /* ns; from the call of GE to its first kernel, absent: not known */
    int64_t total;           /* ns; from the entry to the end; of a nested inference its duration */
    int64_t to_first_kernel; /* ns; from the entry to the first kernel, absent: not known */
    double framework_share;  /* %; of the total */
    double torchair_share;   /* %; of the total */
    double python_share;     /* %; of the total */
    double cpp_share;        /* %; of the total */
    double ge_share;         /* %; of the total */
    int64_t python_build;    /* ns; of python: operators that make tensors of scalars and lists */
    /* ns; of python: operators that make tensors contiguous, and copies */
    int64_t python_contiguous;
    int64_t python_aten;   /* ns; of python: other ATen operators */
    int64_t python_rest;   /* ns; of python: the rest, Python itself */
    int64_t cpp_inputs;    /* ns; of cpp: AssembleInputs */
    int64_t cpp_outputs;   /* ns; of cpp: AssembleOutputs */
    int64_t cpp_load;      /* ns; of cpp: LoadGraph */
    int64_t cpp_rest;      /* ns; of cpp: the rest, such as arguments and the stream */
    int64_t ge_execute;    /* ns; of ge: the call itself */
    int64_t ge_refresh;    /* ns; of ge: taking over its outputs */
    int64_t ge_rest;       /* ns; of ge: the rest */
    int64_t lookup;        /* ns; cache lookups of the compiler from the entry to the inference */
    uint64_t pid;          /* process */
    uint64_t thread;       /* thread */
    uint32_t graph;        /* place among the inferences of its step, from 1; 0: nested */
    StrobeStringId mode;   /* ge, aclgraph, eager or unknown */
    StrobeStringId marker; /* inference, or cache where only the cached entry is marked */
    /* what the entry was told by: pattern, cache, lookup, region, frame, step, previous, thread */
    StrobeStringId entry_source;
    StrobeStringId error; /* parts that do not fit together, in words; 0: none */
    /* 1: the entry is no later than told, so that framework may be too long */
    uint8_t is_upper_bound;
    uint8_t is_compile; /* 1: it compiled, loaded or captured a graph */
    uint8_t is_nested;  /* 1: inside another inference: only its duration is told */
};

/* "head_overhead_step": sums of the inferences of a step (pass head_overhead); named by the step.
 */
struct strobe_head_overhead_step {
    int64_t step;      /* number of the step */
    uint64_t graphs;   /* inferences, without nested ones */
    uint64_t compiled; /* of these, that compiled a graph */
    int64_t framework; /* ns; sum over the inferences */
    int64_t platform;  /* ns; sum over the inferences, absent: not known of any */
    int64_t torchair;  /* ns; sum over the inferences, absent: not known of any */
    int64_t python;    /* ns; sum over the inferences, absent: not known of any */
    int64_t cpp;       /* ns; sum over the inferences, absent: not known of any */
    int64_t ge;        /* ns; sum over the inferences, absent: not known of any */
    int64_t total;     /* ns; sum over the inferences */
};

/* "head_overhead_summary": one part of the head overhead over all inferences that compiled
 * nothing (pass head_overhead); named by the part. */
struct strobe_head_overhead_summary {
    uint64_t count;   /* inferences of which the part is known */
    double mean;      /* ns; mean */
    double median;    /* ns; median */
    double p95;       /* ns; 95 % are no longer */
    double min;       /* ns; shortest */
    double max;       /* ns; longest */
    double deviation; /* ns; standard deviation, absent: of fewer than two */
};

/* "head_overhead_advice": what to do about the head overhead (pass head_overhead); named ranking,
 * one a part and longest first, or hint. */
struct strobe_head_overhead_advice {
    StrobeStringId part; /* part that it is about */
    double share;        /* %; of the mean total; of a hint: of the part */
    double mean;         /* ns; mean of what it is about */
    StrobeStringId text; /* what to do, or whom to ask */
};

/* "finding": one thing that cost the program time, or that makes the numbers unsure, with what to
 * do about it (pass finding); named by its id, such as data_loading; the heaviest first. */
struct strobe_finding {
    StrobeStringId severity; /* high, medium, low; unknown: it cannot be told */
    double share;            /* %; of the time of all steps, absent: not a share of time */
    double confidence;       /* %; how sure it is */
    uint64_t count;          /* records that it rests on */
    StrobeStringId summary;  /* what was found, in one sentence */
    StrobeStringId evidence; /* the names or values that weigh most */
    StrobeStringId table;    /* kind of the records that it rests on */
    StrobeStringId advice;   /* what to do */
};

/* "step_part": where the time of one step went on the thread that announced it (pass finding); each
 * moment counts once, for the first of these that holds it. Number -1: the whole window, where no
 * steps were announced. */
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
