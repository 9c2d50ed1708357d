/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface between cpu_op.so and its backend, the only part that is compiled against libtorch.
 *
 * The backend turns RecordFunction callbacks into plain C calls. For most functions it calls the
 * host directly (strobe_torch_begin and _end below). If more must be remembered about a function
 * until the function ends, it calls cpu_op.so. All of these calls may come from any thread, and
 * none throws, blocks or, in steady state, allocates. The backend lives as long as the process.
 */
#ifndef STROBE_TORCH_BACKEND_H
#define STROBE_TORCH_BACKEND_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <strobe/collector.h>
#include <strobe/kinds.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define STROBE_TORCH_BACKEND_SYMBOL "strobe_torch_backend_4"

/* The target of records: the data that a callback needs, in one cache line. It outlives every
 * session, because a running callback does. The control thread writes it, and `close` and `open`
 * only after the fields that these two use. */
typedef struct StrobeTorchTarget {
    /* The host's span_open; NULL: functions that begin are not recorded. */
    uint32_t (*open)(StrobeInstance *self, uint64_t key, StrobeKindId kind, const char *name,
                     uint64_t argument);
    /* The host's span_close; NULL: there is no session. */
    StrobeClosed (*close)(StrobeInstance *self, uint64_t key, StrobeKindId kind, const void *fields,
                          size_t size);
    StrobeInstance *self;
    StrobeKindId kind;
    uint32_t reserved;
    /* Returns the Python stack of the calling thread; NULL: stacks are not wanted. */
    StrobeStackId (*stack)(StrobeWriter *writer);
    /* The host's writer, to be passed to `stack`. */
    StrobeWriter *(*writer)(StrobeInstance *self);
} __attribute__((aligned(64))) StrobeTorchTarget;

/* Data to find out about functions, beyond their names and times. */
enum {
    STROBE_TORCH_INPUTS = 1 << 0, /* shapes and types */
    STROBE_TORCH_FLOPS = 1 << 1,  /* floating point operations, for operators that PyTorch counts */
    STROBE_TORCH_VALUES = 1 << 2, /* values of the arguments that are not tensors */
    STROBE_TORCH_MODULES = 1 << 3,   /* names of the TorchScript modules that are running */
    STROBE_TORCH_OVERLOADS = 1 << 4, /* names of operators' overloads, if libtorch reports them */
    STROBE_TORCH_STACK = 1 << 5,     /* only for set_thread: stacks, if target.stack returns them */
    STROBE_TORCH_OWN = 1 << 6,       /* only for set_thread: the thread has options of its own */
    STROBE_TORCH_OF_INPUTS = 7       /* the options that need a function's inputs */
};

/* A text, which may contain any bytes; valid only during the call. */
typedef struct StrobeTorchText {
    const char *bytes;
    size_t length;
} StrobeTorchText;

/* A function's inputs. */
typedef struct StrobeTorchInputs {
    StrobeTorchText shapes;   /* "2,3;;4" */
    StrobeTorchText types;    /* "float;Scalar;None"; empty: no inputs */
    StrobeTorchText values;   /* a JSON array of texts: ["", "1.5", "[2, 3]"]; empty: not wanted */
    StrobeTorchText modules;  /* "A(B).forward;C"; empty: none */
    StrobeTorchText overload; /* "Tensor"; empty: none */
    uint64_t flops;           /* STROBE_ABSENT_U64: not known */
} StrobeTorchInputs;

/* The first bytes of an asynchronous function's memory belong to the backend. */
#define STROBE_TORCH_CONTEXT_SIZE 64

/* Names are C strings with any bytes, valid only during the call. `inputs` may be NULL. */
typedef struct StrobeTorchEvents {
    uint32_t struct_size;
    uint32_t reserved;

    /* A function that ends on the thread on which it began, and has inputs to be recorded or is a
     * range, which may end in any order. `key` tells it from all others that run. `stack` is the
     * range's; 0 for other functions, whose stack comes with the end. begin_async always has it. */
    void (*begin)(const void *key, const char *name, int64_t sequence, uint8_t scope,
                  const StrobeTorchInputs *inputs, StrobeStackId stack);
    void (*end)(const void *key, const struct strobe_cpu_op *fields);

    /* Called when strobe_torch_end has closed more spans than its own. */
    void (*closed_inside)(StrobeClosed closed);

    /* Returns the stack with these frames, innermost first, for the thread's next record; 0: no
     * room. */
    StrobeStackId (*stack_of)(const StrobeTorchText *frames, size_t n);

    /* A function that may end on another thread. begin_async returns memory for it, 16-byte
     * aligned, whose head is the backend's; NULL when it is not recorded. The memory is given
     * back by one free_async, whether or not the function ended. */
    void *(*begin_async)(const char *name, const StrobeTorchInputs *inputs, StrobeStackId stack);
    void (*end_async)(void *memory, const struct strobe_cpu_op *fields);
    void (*free_async)(void *memory);
} StrobeTorchEvents;

typedef struct StrobeTorchBackend {
    uint32_t struct_size;
    uint32_t reserved;
    const char *torch_version; /* version against which it was compiled */
    StrobeTorchTarget *target; /* memory of the backend; cpu_op.so fills it in */

    /* Begins to report functions, with the data that `wanted` names (STROBE_TORCH_*). `events` must
     * stay valid. Returns NULL, or the reason of a failure. */
    const char *(*enable)(const StrobeTorchEvents *events, uint32_t wanted);
    /* Stops reporting begins, except those in callbacks that already run. Ends are still
     * reported. */
    void (*disable)(void);

    /* Opens a function of that name for all callbacks of libtorch; NULL: there is no callback.
     * The thread that opened it ends it. */
    void *(*begin_function)(const char *name, int is_user_range);
    void (*end_function)(void *function);

    /* Reports functions of the calling thread from now on with these options (STROBE_TORCH_*, with
     * OWN) in place of those of enable(); 0: with those of enable() again. FLOPS, VALUES and
     * MODULES need the same option in enable(), because otherwise the records have no place for
     * them. */
    void (*set_thread)(uint32_t options);
} StrobeTorchBackend;

/* ---- operators ---------------------------------------------------------------------------- */

/* The operators by which a Python record_function opens and closes its range. The range begins
 * within the one and ends within the other, so they cannot be nested; PyTorch's own profiler hides
 * them, too. */
static inline int strobe_torch_is_bookkeeping(const char *name)
{
    static const char prefix[] = "profiler::_record_function_";
    for (size_t i = 0; prefix[i]; i++)
        if (name[i] != prefix[i])
            return 0; /* mostly at the first byte; a call of strncmp would cost saved registers */
    return 1;
}

/* Data of a function at its end. It is written in whole words: bytes that are stored one by one
 * and then read as a word stall the processor until they have reached the cache. */
static inline struct strobe_cpu_op strobe_torch_fields(int64_t sequence, uint64_t forward_thread,
                                                       uint64_t logical_thread, uint8_t scope,
                                                       StrobeStackId stack)
{
    const size_t rest_at = offsetof(struct strobe_cpu_op, stack);
    const size_t shift = 8 * (offsetof(struct strobe_cpu_op, scope) - rest_at);
    const uint64_t rest = (uint64_t)scope << shift | stack;
    struct strobe_cpu_op fields;
    fields.sequence = sequence;
    fields.forward_thread = forward_thread;
    fields.shapes = fields.types = 0;
    memcpy((char *)&fields + rest_at, &rest, sizeof rest);
    fields.logical_thread = logical_thread;
    return fields;
}

/* Begin and end of a function about which nothing else must be remembered. Inlined into the
 * callbacks: each further library that an operator's record passes through costs nanoseconds. */
static inline void strobe_torch_begin(const StrobeTorchTarget *target, const void *key,
                                      const char *name, int64_t sequence)
{
    if (strobe_torch_is_bookkeeping(name))
        return;
    __typeof__(target->open) open = __atomic_load_n(&target->open, __ATOMIC_ACQUIRE);
    if (open)
        open(target->self, (uintptr_t)key, target->kind, name, (uint64_t)sequence);
}

static inline void strobe_torch_end(const StrobeTorchTarget *target,
                                    const StrobeTorchEvents *events, const void *key,
                                    const struct strobe_cpu_op *fields)
{
    __typeof__(target->close) close = __atomic_load_n(&target->close, __ATOMIC_ACQUIRE);
    if (!close)
        return;
    StrobeClosed closed = close(target->self, (uintptr_t)key, target->kind, fields, sizeof *fields);
    if (closed.n_inside)
        events->closed_inside(closed);
}

#if defined(__cplusplus)
}
#endif

#endif
