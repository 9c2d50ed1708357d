/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The standard kinds: any collector may emit them, and every exporter knows them.
 *
 * A collector fills the struct of a kind. The descriptions (strobe_kind_*) are in the static
 * helper library. A test compares structs and descriptions. Since ABI 1.0.
 */
#ifndef STROBE_KINDS_H
#define STROBE_KINDS_H

#include <strobe/kinds-derived.h>
#include <strobe/kinds-device.h>
#include <strobe/kinds-host.h>
#include <strobe/record.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* "step": one iteration that the program announced; span on the steps track, named
 * ProfilerStep#<number>. Emitted by the core. */
struct strobe_step {
    int64_t number;
    uint64_t thread; /* kernel id of the thread that announced the step */
};

/* "cpu_op": one operator that the framework ran; span on its thread. */
struct strobe_cpu_op {
    int64_t sequence; /* autograd sequence number, -1: none */
    uint64_t
        forward_thread;    /* framework's logical id of the forward thread, 0: not a backward op */
    StrobeStringId shapes; /* "2,3;;4": one entry per input; 0: not recorded */
    StrobeStringId types;  /* "float;Scalar;None"; 0: not recorded */
    StrobeStackId stack;   /* Python call stack; 0: not recorded */
    uint8_t scope;         /* at::RecordScope */
    uint8_t is_async;      /* ended on another thread: ignored in the nesting of operators */
    /* framework's logical id of the thread that ran the operator, 0: unknown */
    uint64_t logical_thread;
};

/* "gc": one collection of the interpreter's garbage collector; span on the thread that ran it. */
struct strobe_gc {
    uint32_t generation;
    uint32_t reserved;
    uint64_t collected;
    uint64_t uncollectable;
};

/* "marker": a range or an instant that the program marked itself. Ranges are spans, so there are
 * two kinds, "marker" (range) and "marker_instant". A collector of marks with domains adds the
 * field "marker.domain" (string). */
struct strobe_marker {
    uint64_t argument; /* STROBE_ABSENT_U64: none */
};

/* "counter": a value that the program reported; named by the counter. */
struct strobe_counter {
    double value;
};

/* "host_cpu": processor use since the previous sample. */
struct strobe_host_cpu {
    double usage;        /* %; of one processor, user + system */
    double user;         /* % */
    double system;       /* % */
    uint32_t processors; /* processors that the process may use */
    uint32_t threads;
    double wait; /* %; of one processor: time in which ready threads waited for a processor;
                  * absent: unknown for some thread */
};

/* "host_mem": memory of the process. */
struct strobe_host_mem {
    double usage;          /* resident set, % of the machine's memory */
    uint64_t resident;     /* B */
    uint64_t virtual_size; /* B */
    uint64_t shared;       /* B */
    uint64_t swap;         /* B; of the process, paged out */
    uint64_t pss; /* B; each shared page divided by its number of users; absent: not requested */
    uint64_t minor_faults; /* since the previous sample */
    uint64_t major_faults; /* with reading from storage, since the previous sample */
    uint64_t cgroup_usage; /* B; of the process's control group */
    uint64_t cgroup_limit; /* B; absent: none */
    uint64_t available;    /* B; of the machine, available without paging out */
};

/* "metadata": one metadata value of the run; instant; named by its key. */
struct strobe_metadata {
    StrobeStringId value; /* text, or JSON if is_json */
    uint8_t is_json;
};

/* Name of a metadata record for a folder in the result directory that a vendor's library or tool
 * filled. Its value is the folder's name. An analysis reads the folder with the importer that
 * accepts it, and joins the imported records with the recorded ones. */
#define STROBE_METADATA_EXTERNAL "external_data"

/* "loss": number of lost records, by cause and thread; span over the interval in which they were
 * lost, named by the cause. Emitted by the core. */
struct strobe_loss {
    uint64_t count;
    uint32_t cause; /* STROBE_LOSS_* */
    /* track of the thread that lost the records; 0: the loss is not of one thread */
    StrobeTrackId thread;
};

/* Name of a cause, such as "pool_empty"; NULL if there is no such cause. */
const char *strobe_loss_name(uint32_t cause);

/* "collector_call": cost of Strobe itself: one call into a collector, or work of the writer
 * thread; span on the process track, named "<collector>.<call>". Emitted by the core. */
struct strobe_collector_call {
    int64_t status; /* StrobeStatus that the call returned */
};

/* "diagnostic": a failure or limitation in this result, in words; instant; named by the
 * component. Emitted by the core. */
struct strobe_diagnostic {
    StrobeStringId text;
    uint32_t level; /* STROBE_LOG_* */
};

extern const StrobeKind strobe_kind_step;
extern const StrobeKind strobe_kind_cpu_op;
extern const StrobeKind strobe_kind_gc;
extern const StrobeKind strobe_kind_marker;
extern const StrobeKind strobe_kind_marker_instant;
extern const StrobeKind strobe_kind_counter;
extern const StrobeKind strobe_kind_host_cpu;
extern const StrobeKind strobe_kind_host_mem;
extern const StrobeKind strobe_kind_metadata;
extern const StrobeKind strobe_kind_loss;
extern const StrobeKind strobe_kind_collector_call;
extern const StrobeKind strobe_kind_diagnostic;

/* Derived kinds, emitted by the bundled passes. */

/* "operator_detail": one occurrence of an operator with its self time (pass operator_tree). */
struct strobe_operator_detail {
    int64_t host_total; /* ns */
    int64_t host_self;  /* ns: total minus the durations of the direct children */
    int64_t sequence;
    uint64_t forward_thread;
    StrobeStringId shapes;
    StrobeStringId types;
    StrobeStackId stack;
    uint32_t children; /* direct children */
    uint8_t scope;
    uint8_t is_async;
    uint8_t is_top; /* no operator of its thread encloses it */
};

/* "operator_link": forward operator and the backward operator that it caused (pass
 * forward_backward); begin: start of the forward operator, on its track. */
struct strobe_operator_link {
    int64_t sequence;
    int64_t to_begin; /* ns since the epoch: start of the backward operator */
    StrobeTrackId to_track;
};

/* "operator_average": totals of all operators of one name (pass operator_average). */
struct strobe_operator_average {
    uint64_t calls;
    int64_t host_self;     /* ns */
    int64_t host_total;    /* ns */
    int64_t host_min;      /* ns */
    int64_t host_max;      /* ns */
    double host_average;   /* ns */
    double self_share;     /* % of the self time of all operators */
    StrobeStringId shapes; /* only when grouped by shape */
};

/* "step_summary": totals of one step (pass step_assignment). A record belongs to the step in
 * which it begins. Number -1: outside every step. */
struct strobe_step_summary {
    int64_t number;
    int64_t duration;      /* ns; 0 for number -1 */
    uint64_t operators;    /* count */
    int64_t operator_self; /* ns, all threads */
    int64_t gc;            /* ns */
    uint64_t markers;      /* count */
};

/* "stack_total": time at one operator or call path (pass stack_total). */
struct strobe_stack_total {
    int64_t host_self; /* ns */
    uint64_t calls;
    StrobeStackId path; /* innermost first */
    double device_self; /* us; kernels that the operators launched themselves, absent: none */
};

/* "function": time or memory of one function on all threads, by its name (pass function). The
 * totals include called functions; each function counts once in a stack. */
struct strobe_function {
    StrobeStringId source;   /* kind of the records in which it was found: cpu_sample,
                                cpu_sample.wait, python_call,   heap.block */
    StrobeStringId location; /* "file:line" at which most samples, calls or bytes of the function
                                were found; 0: not known */
    uint64_t count;          /* samples, calls, or blocks, of the function itself */
    int64_t self;            /* ns; absent for heap.block */
    int64_t total;           /* ns; absent for heap.block */
    int64_t self_bytes;      /* B; allocated; only for heap.block */
    int64_t total_bytes;     /* B */
    double self_share;       /* %; share of the total of its source */
    double total_share;      /* % */
};

/* "call_path": time on one path of functions (pass call_path). */
struct strobe_call_path {
    StrobeStringId source; /* kind of the records in which it was found: cpu_sample,
                              cpu_sample.wait, python_call */
    StrobeStackId path;    /* functions, innermost first, then the thread's name (not for calls) */
    int64_t time;          /* ns; for calls: self time of the innermost function */
    uint64_t count;        /* samples, waits, or calls */
};

extern const StrobeKind strobe_kind_operator_detail;
extern const StrobeKind strobe_kind_operator_link;
extern const StrobeKind strobe_kind_operator_average;
extern const StrobeKind strobe_kind_step_summary;
extern const StrobeKind strobe_kind_stack_total;
extern const StrobeKind strobe_kind_function;
extern const StrobeKind strobe_kind_call_path;

/* All standard kinds, raw then derived; NULL-terminated. */
extern const StrobeKind *const strobe_standard_kinds[];

/* Byte offset of field `index`, or of the end of the fields for index == n_fields (before the
 * rounding up to 8). UINT32_MAX if the kind has a field of an unknown type. */
uint32_t strobe_kind_offset(const StrobeKind *kind, uint32_t index);

/* Makes a field absent: stores the type's STROBE_ABSENT_* value, or 0 for the types that have none
 * (string, stack, track, bool, u8). */
void strobe_field_put_absent(void *at, uint32_t type);

#if defined(__cplusplus)
}
#endif

#endif
