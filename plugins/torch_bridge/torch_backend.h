/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface between cpu_op.so and its backend, the only part that is compiled against libtorch.
 *
 * The backend converts RecordFunction callbacks to C calls. For most functions it calls the host
 * directly (strobe_torch_begin and _end below). If more data about a function must be stored until
 * the function ends, the backend calls cpu_op.so. All of these calls may come from any thread, and
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
 * session, because a running callback may outlive its session. Only the control thread writes it;
 * this thread writes `close` and `open` last, after the fields that these two functions use. */
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
    /* Returns the host's writer, which must be passed to `stack`. */
    StrobeWriter *(*writer)(StrobeInstance *self);
} __attribute__((aligned(64))) StrobeTorchTarget;

/* Bits for the data that is recorded about functions, besides their names and times. */
enum {
    STROBE_TORCH_INPUTS = 1 << 0, /* shapes and types */
    STROBE_TORCH_FLOPS = 1 << 1,  /* floating point operations, for operators that PyTorch counts */
    STROBE_TORCH_VALUES = 1 << 2, /* values of the arguments that are not tensors */
    STROBE_TORCH_MODULES = 1 << 3,   /* names of the TorchScript modules that are running */
    STROBE_TORCH_OVERLOADS = 1 << 4, /* names of operators' overloads, if libtorch reports them */
    STROBE_TORCH_STACK = 1 << 5,     /* only for set_thread: stacks, if target.stack returns them */
    STROBE_TORCH_OWN = 1 << 6,       /* only for set_thread: the thread has its own options */
    STROBE_TORCH_OF_INPUTS = 7       /* the options that need a function's inputs */
};

/* A text, which may contain any bytes. It is valid only during the call. */
typedef struct StrobeTorchText {
    const char *bytes;
    size_t length;
} StrobeTorchText;

/* A function's inputs. */
typedef struct StrobeTorchInputs {
    StrobeTorchText shapes; /* for example "2,3;;4" */
    StrobeTorchText types;  /* for example "float;Scalar;None"; empty: the function has no inputs */
    /* a JSON array of texts, for example ["", "1.5", "[2, 3]"]; empty: not requested */
    StrobeTorchText values;
    StrobeTorchText modules;  /* for example "A(B).forward;C"; empty: there are none */
    StrobeTorchText overload; /* for example "Tensor"; empty: there is none */
    uint64_t flops;           /* STROBE_ABSENT_U64: unknown */
} StrobeTorchInputs;

/* The first bytes of an asynchronous function's memory belong to the backend. */
#define STROBE_TORCH_CONTEXT_SIZE 64

/* The functions that the backend calls. Names are C strings with any bytes, which are valid only
 * during the call. `inputs` may be NULL. */
typedef struct StrobeTorchEvents {
    uint32_t struct_size;
    uint32_t reserved;

    /* begin is called for a function that ends on the thread on which it began, if its inputs must
     * be recorded or it is a range. Ranges may end in any order. `key` distinguishes the function
     * from all others that are running. `stack` is the stack of a range; it is 0 for other
     * functions, whose stack comes with their end. begin_async always gets the stack. */
    void (*begin)(const void *key, const char *name, int64_t sequence, uint8_t scope,
                  const StrobeTorchInputs *inputs, StrobeStackId stack);
    void (*end)(const void *key, const struct strobe_cpu_op *fields);

    /* Called when strobe_torch_end has closed other spans besides the function's own. */
    void (*closed_inside)(StrobeClosed closed);

    /* Returns the stack with these frames, innermost first, for the thread's next record; 0: no
     * room. */
    StrobeStackId (*stack_of)(const StrobeTorchText *frames, size_t n);

    /* Called for a function that may end on another thread. begin_async returns memory for the
     * function, 16-byte aligned, whose first bytes the backend uses; NULL: the function is not
     * recorded. One call of free_async frees the memory, whether or not the function ended. */
    void *(*begin_async)(const char *name, const StrobeTorchInputs *inputs, StrobeStackId stack);
    void (*end_async)(void *memory, const struct strobe_cpu_op *fields);
    void (*free_async)(void *memory);
} StrobeTorchEvents;

typedef struct StrobeTorchBackend {
    uint32_t struct_size;
    uint32_t reserved;
    const char *torch_version; /* version of PyTorch against which the backend was compiled */
    StrobeTorchTarget *target; /* memory of the backend, which cpu_op.so sets */

    /* Begins to report functions, with the data in `wanted` (bits STROBE_TORCH_*). `events` must
     * stay valid. Returns NULL, or the reason of a failure. */
    const char *(*enable)(const StrobeTorchEvents *events, uint32_t wanted);
    /* Stops reporting begins, except in callbacks that are already running. Ends are still reported
     * afterwards. */
    void (*disable)(void);

    /* Begins a function with this name for all callbacks of libtorch. Returns NULL if there is no
     * callback. The same thread must call end_function. */
    void *(*begin_function)(const char *name, int is_user_range);
    void (*end_function)(void *function);

    /* From now on, functions of the calling thread are reported with these options (STROBE_TORCH_*,
     * with STROBE_TORCH_OWN) in place of the options of enable(). 0: with the options of enable()
     * again. The caller may set STROBE_TORCH_FLOPS, _VALUES and _MODULES only if enable() got the
     * same option, because otherwise the records do not have the field. */
    void (*set_thread)(uint32_t options);
} StrobeTorchBackend;

/* ---- operators ---------------------------------------------------------------------------- */

/* Returns whether this is one of the two operators by which a Python record_function opens and
 * closes its range. The range begins inside the first operator and ends inside the second one, so
 * it does not nest with them. PyTorch's own profiler hides these operators as well. */
static inline int strobe_torch_is_bookkeeping(const char *name)
{
    static const char prefix[] = "profiler::_record_function_";
    for (size_t i = 0; prefix[i]; i++)
        if (name[i] != prefix[i])
            /* mostly returns at the first byte; a call of strncmp would have to save registers */
            return 0;
    return 1;
}

/* Returns a function's data at its end. The data is written as 64-bit words: if single bytes are
 * stored and then read as a word, the processor stalls until the bytes have reached the cache. */
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

/* Begin and end a function of which the host's span contains all data. The functions are inlined
 * into the callbacks, because each call into another library costs nanoseconds for each
 * operator. */
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
