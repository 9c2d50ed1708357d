/* SPDX-License-Identifier: Apache-2.0 */
#include "operators.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <strobe/kinds.h>

/* initial number of functions that can be open in one thread; then the stack grows */
#define STACK_FIRST 64
#define STACK_LAST 65536 /* maximum size of this stack */
/* maximum number of functions of a thread that stay open after an outer function has ended */
#define DETACHED_MAX 64
/* maximum number of asynchronous functions that are open in the process */
#define ASYNC_MAX 256
#define FRAMES_MAX 256     /* maximum number of frames in a TorchScript stack */
#define SCOPE_USER_RANGE 7 /* at::RecordScope::USER_SCOPE */

/* Details of a function that are known at its begin. */
typedef struct Details {
    StrobeStringId shapes, types, values, modules, overload;
    /* stack of a range or an asynchronous function; the stack of other functions is read at their
     * end */
    StrobeStackId stack;
    uint64_t flops;
} Details;

/* An open function of a thread, with the data that the host's span does not contain. */
typedef struct NotedFunction {
    const void *key;
    uint64_t begin;      /* 0: only the host's span contains the begin */
    StrobeStringId name; /* set only if `begin` is not 0 */
    Details details;
    uint32_t window;
    uint32_t depth; /* depth of the host's span */
    /* an outer function ended before this one, and thereby ended this function's span in the
     * host */
    uint32_t is_detached;
} NotedFunction;

typedef struct NoteStack {
    NotedFunction *open;
    uint32_t depth, size;
    uint32_t n_detached;
    uint32_t track_window; /* the window for which `track` was made */
    StrobeTrackId track;
} NoteStack;

typedef struct AsyncOperator {
    _Alignas(
        /* used by the backend; must be first */
        16) unsigned char context[STROBE_TORCH_CONTEXT_SIZE];
    uint64_t begin;
    StrobeStringId name;
    Details details;
    StrobeTrackId track;
    uint32_t window;
    _Atomic uint32_t is_used;
} AsyncOperator;

static struct {
    _Atomic(const StrobeHost *) host; /* NULL: there is no session */
    StrobeInstance *self;
    StrobeKindId kind;
    size_t size; /* size of the kind's fields */
    StrobeTorchTarget *target;
    _Atomic int is_on;            /* functions are recorded when they begin */
    _Atomic uint32_t n_stackless; /* number of records without their TorchScript stack */
} state;

static _Atomic uint32_t current_window; /* number of the current window */
static AsyncOperator async_operators[ASYNC_MAX];
static pthread_key_t stack_key;
/* Initial-exec, so that reading the variable takes one load. This works even in a program that is
 * already running, because static thread-local storage has room for a few bytes. */
static __thread NoteStack *own_stack __attribute__((tls_model("initial-exec")));

static void free_stack(void *memory)
{
    NoteStack *stack = memory;
    own_stack = NULL;
    free(stack->open);
    free(stack);
}

static void stop_in_child(void)
{
    strobe_operators_record(0);
}

static void prepare_process(void)
{
    pthread_key_create(&stack_key, free_stack);
    pthread_atfork(NULL, NULL, stop_in_child);
}

static NoteStack *make_stack(void)
{
    NoteStack *stack = calloc(1, sizeof *stack);
    if (stack)
        stack->open = malloc(STACK_FIRST * sizeof *stack->open);
    if (!stack || !stack->open) {
        free(stack);
        return NULL;
    }
    stack->size = STACK_FIRST;
    pthread_setspecific(stack_key, stack);
    return own_stack = stack;
}

static int grow_stack(NoteStack *stack)
{
    if (stack->size >= STACK_LAST)
        return 0;
    NotedFunction *grown = realloc(stack->open, 2 * stack->size * sizeof *grown);
    if (!grown)
        return 0;
    stack->open = grown;
    stack->size *= 2;
    return 1;
}

/* Returns the thread's stack with room for one more function; NULL: out of memory. */
static NoteStack *stack_with_room(void)
{
    NoteStack *stack = own_stack ? own_stack : make_stack();
    if (stack && stack->depth == stack->size && !grow_stack(stack))
        return NULL;
    return stack;
}

static const StrobeHost *end_host(void)
{
    return atomic_load_explicit(&state.host, memory_order_acquire);
}

static const StrobeHost *begin_host(void)
{
    return atomic_load_explicit(&state.is_on, memory_order_acquire) ? end_host() : NULL;
}

static uint32_t window_now(void)
{
    return atomic_load_explicit(&current_window, memory_order_relaxed);
}

static StrobeStringId intern_text(const StrobeHost *host, StrobeWriter *writer,
                                  const StrobeTorchText *text)
{
    return text->length ? host->intern(writer, text->bytes, text->length) : 0;
}

static Details details_of(const StrobeHost *host, StrobeWriter *writer,
                          const StrobeTorchInputs *inputs, StrobeStackId stack)
{
    Details details = {.stack = stack, .flops = STROBE_ABSENT_U64};

    if (!inputs)
        return details;
    /* checks the types, because shapes may be empty: a single input without dimensions */
    if (inputs->types.length) {
        details.shapes = host->intern(writer, inputs->shapes.bytes, inputs->shapes.length);
        details.types = host->intern(writer, inputs->types.bytes, inputs->types.length);
    }
    details.values = intern_text(host, writer, &inputs->values);
    details.modules = intern_text(host, writer, &inputs->modules);
    details.overload = intern_text(host, writer, &inputs->overload);
    details.flops = inputs->flops;
    return details;
}

static struct strobe_cpu_op_more fields_of(const struct strobe_cpu_op *known,
                                           const Details *details)
{
    struct strobe_cpu_op_more fields = {.op = *known};

    fields.op.shapes = details->shapes;
    fields.op.types = details->types;
    if (details->stack)
        fields.op.stack = details->stack;
    fields.flops = details->flops;
    fields.values = details->values;
    fields.modules = details->modules;
    fields.overload = details->overload;
    return fields;
}

static void begin_operator(const void *key, const char *name, int64_t sequence, uint8_t scope,
                           const StrobeTorchInputs *inputs, StrobeStackId python_stack)
{
    const StrobeHost *host = begin_host();
    StrobeInstance *self = state.self;
    if (!host || strobe_torch_is_bookkeeping(name))
        return;
    StrobeWriter *writer = host->writer(self);
    if (!writer)
        return;
    NoteStack *stack = stack_with_room();
    if (!stack) {
        host->lost(self, STROBE_LOSS_COLLECTOR_DROPPED, 1);
        return;
    }
    NotedFunction *open = &stack->open[stack->depth];
    *open = (NotedFunction){.key = key, .window = window_now()};
    open->details = details_of(host, writer, inputs, python_stack);
    if (scope == SCOPE_USER_RANGE) { /* the program may close ranges in any order */
        open->name = host->intern(writer, name, strlen(name));
        open->begin = host->now();
    }
    open->depth = host->span_open(self, (uintptr_t)key, state.kind, name, (uint64_t)sequence);
    if (open->depth) /* 0: the host could not open the span, and counted it as lost */
        stack->depth++;
}

static void remove_at(NoteStack *stack, uint32_t index)
{
    stack->n_detached -= stack->open[index].is_detached;
    stack->depth--;
    memmove(&stack->open[index], &stack->open[index + 1],
            (stack->depth - index) * sizeof *stack->open);
}

/* Drops the oldest detached function, whose end will probably not come. Returns 1 if a record of
 * this window is lost by this, else 0. */
static uint32_t drop_detached(NoteStack *stack)
{
    uint32_t index = 0;
    while (!stack->open[index].is_detached)
        index++;
    uint32_t n_lost = stack->open[index].window == window_now();
    remove_at(stack, index);
    return n_lost;
}

/* Processes inner spans that the host closed without a record because an outer function ended
 * first. Those that are ranges are recorded later, at their own end, as functions that do not nest;
 * other functions are lost. */
static void closed_inside(StrobeClosed closed)
{
    const StrobeHost *host = end_host();
    NoteStack *stack = own_stack;
    uint32_t n_lost = closed.n_inside;
    for (uint32_t i = stack ? stack->depth : 0; i-- > 0;) {
        NotedFunction *open = &stack->open[i];
        if (open->is_detached || open->window != window_now() || open->depth <= closed.depth)
            continue;
        if (!open->begin) {
            remove_at(stack, i);
            continue;
        }
        open->is_detached = 1;
        stack->n_detached++;
        n_lost--;
    }
    while (stack && stack->n_detached > DETACHED_MAX)
        n_lost += drop_detached(stack);
    if (host && n_lost)
        host->lost(state.self, STROBE_LOSS_COLLECTOR_DROPPED, n_lost);
}

/* Removes the function with this `key` from the thread's stack. Returns 0 if its begin was not
 * recorded. */
static int take_operator(const void *key, NotedFunction *taken)
{
    NoteStack *stack = own_stack;
    uint32_t level = stack ? stack->depth : 0;
    while (level > 0 && stack->open[level - 1].key != key)
        level--;
    if (level == 0)
        return 0;
    *taken = stack->open[level - 1];
    remove_at(stack, level - 1);
    return 1;
}

static void write_record(const StrobeHost *host, StrobeTrackId track, StrobeStringId name,
                         uint64_t begin, const struct strobe_cpu_op_more *fields)
{
    StrobeWriter *writer = host->writer(state.self);
    void *record =
        writer ? host->reserve(writer, state.kind, track, name, begin, host->now()) : NULL;
    if (!record)
        return;
    memcpy(record, fields, state.size);
    host->commit(writer);
}

static void end_operator(const void *key, const struct strobe_cpu_op *known)
{
    const StrobeHost *host = end_host();
    NotedFunction ended;
    if (!take_operator(key, &ended) || !host || ended.window != window_now())
        return;
    struct strobe_cpu_op_more fields = fields_of(known, &ended.details);
    if (ended.is_detached) {
        fields.op.is_async = 1;
        write_record(host, 0, ended.name, ended.begin, &fields);
        return;
    }
    StrobeClosed closed =
        host->span_close(state.self, (uintptr_t)key, state.kind, &fields, state.size);
    if (closed.n_inside)
        closed_inside(closed);
}

/* Returns the calling thread's own track, for records that another thread will write. */
static StrobeTrackId own_track(const StrobeHost *host, uint32_t window)
{
    NoteStack *stack = own_stack ? own_stack : make_stack();
    StrobeInstance *self = state.self;
    StrobeTrack track = {.struct_size = sizeof track,
                         .type = STROBE_TRACK_THREAD,
                         .clock = STROBE_CLOCK_HOST,
                         .device = -1,
                         .id = (uint64_t)gettid()};
    if (!stack)
        return host->track(self, &track);
    if (stack->track_window != window) {
        stack->track = host->track(self, &track);
        stack->track_window = window;
    }
    return stack->track;
}

static AsyncOperator *take_async(void)
{
    for (uint32_t i = 0; i < ASYNC_MAX; i++) {
        uint32_t expected = 0;
        if (!atomic_load_explicit(&async_operators[i].is_used, memory_order_relaxed) &&
            atomic_compare_exchange_strong(&async_operators[i].is_used, &expected, 1))
            return &async_operators[i];
    }
    return NULL;
}

static void *begin_async_operator(const char *name, const StrobeTorchInputs *inputs,
                                  StrobeStackId stack)
{
    const StrobeHost *host = begin_host();
    StrobeInstance *self = state.self;
    StrobeWriter *writer = host ? host->writer(self) : NULL;
    if (!writer)
        return NULL;
    AsyncOperator *open = take_async();
    if (!open) {
        host->lost(self, STROBE_LOSS_COLLECTOR_DROPPED, 1);
        return NULL;
    }
    open->window = window_now();
    open->track = own_track(host, open->window);
    open->details = details_of(host, writer, inputs, stack);
    open->name = host->intern(writer, name, strlen(name));
    open->begin = host->now();
    return open;
}

static void end_async_operator(void *memory, const struct strobe_cpu_op *known)
{
    const AsyncOperator *ended = memory;
    const StrobeHost *host = end_host();
    if (!host || ended->window != window_now())
        return;
    struct strobe_cpu_op_more fields = fields_of(known, &ended->details);
    fields.op.is_async = 1;
    write_record(host, ended->track, ended->name, ended->begin, &fields);
}

static void free_async_operator(void *memory)
{
    AsyncOperator *open = memory;
    atomic_store_explicit(&open->is_used, 0, memory_order_release);
}

static StrobeStackId stack_of_frames(const StrobeTorchText *frames, size_t n)
{
    StrobeStringId ids[FRAMES_MAX];
    const StrobeHost *host = begin_host();
    StrobeWriter *writer = host ? host->writer(state.self) : NULL;

    if (!writer)
        return 0;
    n = n < FRAMES_MAX ? n : FRAMES_MAX;
    for (size_t i = 0; i < n; i++) {
        ids[i] = host->intern(writer, frames[i].bytes, frames[i].length);
        if (!strobe_string_is_lasting(
                /* the loss is reported later, because the session may be closing now */
                ids[i])) {
            atomic_fetch_add(&state.n_stackless, 1);
            return 0;
        }
    }
    return host->stack(writer, ids, n);
}

const StrobeTorchEvents strobe_operator_events = {
    .struct_size = sizeof(StrobeTorchEvents),
    .begin = begin_operator,
    .end = end_operator,
    .closed_inside = closed_inside,
    .stack_of = stack_of_frames,
    .begin_async = begin_async_operator,
    .end_async = end_async_operator,
    .free_async = free_async_operator,
};

void strobe_operators_attach(const StrobeHost *host, StrobeInstance *self, StrobeKindId kind,
                             size_t size, StrobeTorchTarget *target)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, prepare_process);
    state.self = target->self = self;
    state.kind = target->kind = kind;
    state.size = size;
    target->writer = host->writer;
    state.target = target;
    atomic_store(&state.host, host);
    __atomic_store_n(&target->close, host->span_close, __ATOMIC_RELEASE);
}

void strobe_operators_record(int on)
{
    StrobeTorchTarget *target = state.target;
    const StrobeHost *host = end_host();
    if (on)
        atomic_fetch_add(&current_window, 1);
    atomic_store(&state.is_on, on);
    if (target)
        __atomic_store_n(&target->open, on && host ? host->span_open : NULL, __ATOMIC_RELEASE);
}

void strobe_operators_tell_losses(void)
{
    const StrobeHost *host = end_host();
    if (host)
        host->lost(state.self, STROBE_LOSS_STRING_CUT, atomic_exchange(&state.n_stackless, 0));
}

void strobe_operators_detach(void)
{
    strobe_operators_record(0);
    __atomic_store_n(&state.target->close, NULL, __ATOMIC_RELEASE);
    atomic_store(&state.host, NULL);
}
