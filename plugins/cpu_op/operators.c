/* SPDX-License-Identifier: Apache-2.0 */
#include "operators.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <strobe/kinds.h>

#define STACK_FIRST 64     /* functions open at once in one thread before the stack grows */
#define STACK_LAST 65536   /* and its greatest size */
#define DETACHED_MAX 64    /* functions of one thread whose end no longer fits the nesting */
#define ASYNC_MAX 256      /* asynchronous functions open at once in the process */
#define SCOPE_USER_RANGE 7 /* at::RecordScope::USER_SCOPE */

typedef struct OpenOperator {
    const void *key;
    StrobeSpan span; /* token 0: no span of the host, the record is made from `begin` */
    uint64_t begin;  /* 0: known to the host's span alone */
    StrobeStringId name, shapes, types;
    uint32_t session;
    uint32_t is_detached; /* an outer function ended first */
} OpenOperator;

typedef struct OperatorStack {
    OpenOperator *open;
    uint32_t depth, size;
    uint32_t n_detached;
    uint32_t track_session; /* session for which `track` was made */
    StrobeTrackId track;
} OperatorStack;

typedef struct AsyncOperator {
    _Alignas(
        16) unsigned char context[STROBE_TORCH_CONTEXT_SIZE]; /* the backend's, must be first */
    uint64_t begin;
    StrobeStringId name, shapes, types;
    StrobeTrackId track;
    uint32_t session;
    _Atomic uint32_t is_used;
} AsyncOperator;

static struct {
    _Atomic(const StrobeHost *) host; /* NULL: detached */
    StrobeInstance *self;
    StrobeKindId kind;
    _Atomic uint32_t session; /* counts the attachments */
    _Atomic int is_recording;
} state;

static AsyncOperator async_operators[ASYNC_MAX];
static pthread_key_t stack_key;
static __thread OperatorStack *own_stack;

static void free_stack(void *memory)
{
    OperatorStack *stack = memory;
    own_stack = NULL;
    free(stack->open);
    free(stack);
}

static void stop_in_child(void)
{
    atomic_store(&state.is_recording, 0);
}

static void prepare_process(void)
{
    pthread_key_create(&stack_key, free_stack);
    pthread_atfork(NULL, NULL, stop_in_child);
}

static OperatorStack *make_stack(void)
{
    OperatorStack *stack = calloc(1, sizeof *stack);
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

static int grow_stack(OperatorStack *stack)
{
    if (stack->size >= STACK_LAST)
        return 0;
    OpenOperator *grown = realloc(stack->open, 2 * stack->size * sizeof *grown);
    if (!grown)
        return 0;
    stack->open = grown;
    stack->size *= 2;
    return 1;
}

/* The thread's stack with room for one more, NULL when there is no memory. */
static OperatorStack *stack_with_room(void)
{
    OperatorStack *stack = own_stack ? own_stack : make_stack();
    if (stack && stack->depth == stack->size && !grow_stack(stack))
        return NULL;
    return stack;
}

/* The operators by which a Python record_function opens and closes its range. The range begins
 * inside the one and ends inside the other, so they cannot nest; the framework's own profiler
 * hides them too. */
static int is_range_bookkeeping(const StrobeTorchOperator *function)
{
    static const char prefix[] = "profiler::_record_function_";
    return function->name_length > sizeof prefix - 1 && function->name[0] == 'p' &&
           memcmp(function->name, prefix, sizeof prefix - 1) == 0;
}

static StrobeStringId intern_inputs(const StrobeHost *host, StrobeWriter *writer,
                                    const StrobeTorchOperator *function, const char *text,
                                    size_t length)
{
    return function->types_length ? host->intern(writer, text, length) : 0;
}

static void begin_operator(const void *key, const StrobeTorchOperator *function)
{
    if (!atomic_load_explicit(&state.is_recording, memory_order_acquire) ||
        is_range_bookkeeping(function))
        return;
    const StrobeHost *host = atomic_load_explicit(&state.host, memory_order_relaxed);
    StrobeWriter *writer = host ? host->writer(state.self) : NULL;
    if (!writer)
        return;
    OperatorStack *stack = stack_with_room();
    if (!stack) {
        host->lost(state.self, STROBE_LOSS_COLLECTOR_DROPPED, 1);
        return;
    }
    OpenOperator *open = &stack->open[stack->depth++];
    open->key = key;
    open->session = atomic_load_explicit(&state.session, memory_order_relaxed);
    open->is_detached = 0;
    open->shapes = intern_inputs(host, writer, function, function->shapes, function->shapes_length);
    open->types = intern_inputs(host, writer, function, function->types, function->types_length);
    open->name = host->intern(writer, function->name, function->name_length);
    /* ranges that a program opens and closes by hand are those that may end out of order */
    open->begin = function->scope == SCOPE_USER_RANGE ? host->now() : 0;
    open->span = host->span_begin(writer, state.kind, open->name, (uint64_t)function->sequence);
    if (!open->span.token && !open->begin)
        open->begin = host->now();
}

static void remove_at(OperatorStack *stack, uint32_t index)
{
    stack->n_detached -= stack->open[index].is_detached;
    stack->depth--;
    memmove(&stack->open[index], &stack->open[index + 1],
            (stack->depth - index) * sizeof *stack->open);
}

/* Drops the oldest detached function: its end is not coming. */
static void drop_detached(OperatorStack *stack)
{
    uint32_t index = 0;
    while (!stack->open[index].is_detached)
        index++;
    remove_at(stack, index);
}

/* The host is about to close the spans above `index` without a record: from here on their records
 * are made from their own begin, as functions that do not nest. */
static void detach_above(OperatorStack *stack, uint32_t index)
{
    for (uint32_t i = index + 1; i < stack->depth; i++) {
        OpenOperator *open = &stack->open[i];
        if (open->span.token && !open->is_detached) {
            open->span.token = 0;
            open->is_detached = 1;
            stack->n_detached++;
        }
    }
}

/* Takes the function of `key` off the thread's stack. 0 if its begin was not recorded. */
static int take_operator(const void *key, OpenOperator *taken)
{
    OperatorStack *stack = own_stack;
    uint32_t level = stack ? stack->depth : 0;
    while (level > 0 && stack->open[level - 1].key != key)
        level--;
    if (level == 0)
        return 0;
    *taken = stack->open[level - 1];
    if (level == stack->depth && !taken->is_detached) { /* the normal case */
        stack->depth--;
        return 1;
    }
    if (taken->span.token)
        detach_above(stack, level - 1);
    remove_at(stack, level - 1);
    while (stack->n_detached > DETACHED_MAX)
        drop_detached(stack);
    return 1;
}

static void fill_record(struct strobe_cpu_op *record, const StrobeTorchOperator *function,
                        StrobeStringId shapes, StrobeStringId types, int is_async)
{
    record->sequence = function->sequence;
    record->forward_thread = function->forward_thread;
    record->shapes = shapes;
    record->types = types;
    record->stack = 0;
    record->scope = function->scope;
    record->is_async = (uint8_t)is_async;
}

static void end_operator(const void *key, const StrobeTorchOperator *function)
{
    OpenOperator ended;
    if (!take_operator(key, &ended))
        return;
    const StrobeHost *host = atomic_load_explicit(&state.host, memory_order_acquire);
    if (!host || ended.session != atomic_load_explicit(&state.session, memory_order_relaxed))
        return;
    StrobeWriter *writer = host->writer(state.self);
    if (!writer)
        return;
    if (!ended.span.token && !ended.begin) {
        host->lost(state.self, STROBE_LOSS_COLLECTOR_DROPPED, 1);
        return;
    }
    struct strobe_cpu_op *record =
        ended.span.token
            ? host->span_end(writer, ended.span)
            : host->reserve(writer, state.kind, 0, ended.name, ended.begin, host->now());
    if (!record)
        return;
    fill_record(record, function, ended.shapes, ended.types, (int)ended.is_detached);
    host->commit(writer);
}

/* The calling thread's own track, for records that another thread will write. */
static StrobeTrackId own_track(const StrobeHost *host, uint32_t session)
{
    OperatorStack *stack = own_stack ? own_stack : make_stack();
    StrobeTrack track = {.struct_size = sizeof track,
                         .type = STROBE_TRACK_THREAD,
                         .clock = STROBE_CLOCK_HOST,
                         .device = -1,
                         .id = (uint64_t)gettid()};
    if (!stack)
        return host->track(state.self, &track);
    if (stack->track_session != session) {
        stack->track = host->track(state.self, &track);
        stack->track_session = session;
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

static void *begin_async_operator(const StrobeTorchOperator *function)
{
    if (!atomic_load_explicit(&state.is_recording, memory_order_acquire))
        return NULL;
    const StrobeHost *host = atomic_load_explicit(&state.host, memory_order_relaxed);
    StrobeWriter *writer = host ? host->writer(state.self) : NULL;
    if (!writer)
        return NULL;
    AsyncOperator *open = take_async();
    if (!open) {
        host->lost(state.self, STROBE_LOSS_COLLECTOR_DROPPED, 1);
        return NULL;
    }
    open->session = atomic_load_explicit(&state.session, memory_order_relaxed);
    open->track = own_track(host, open->session);
    open->shapes = intern_inputs(host, writer, function, function->shapes, function->shapes_length);
    open->types = intern_inputs(host, writer, function, function->types, function->types_length);
    open->name = host->intern(writer, function->name, function->name_length);
    open->begin = host->now();
    return open;
}

static void end_async_operator(void *memory, const StrobeTorchOperator *function)
{
    const AsyncOperator *ended = memory;
    const StrobeHost *host = atomic_load_explicit(&state.host, memory_order_acquire);
    if (!host || ended->session != atomic_load_explicit(&state.session, memory_order_relaxed))
        return;
    StrobeWriter *writer = host->writer(state.self);
    if (!writer)
        return;
    struct strobe_cpu_op *record =
        host->reserve(writer, state.kind, ended->track, ended->name, ended->begin, host->now());
    if (!record)
        return;
    fill_record(record, function, ended->shapes, ended->types, 1);
    host->commit(writer);
}

static void free_async_operator(void *memory)
{
    AsyncOperator *open = memory;
    atomic_store_explicit(&open->is_used, 0, memory_order_release);
}

const StrobeTorchEvents strobe_operator_events = {
    .struct_size = sizeof(StrobeTorchEvents),
    .begin = begin_operator,
    .end = end_operator,
    .begin_async = begin_async_operator,
    .end_async = end_async_operator,
    .free_async = free_async_operator,
};

void strobe_operators_attach(const StrobeHost *host, StrobeInstance *self, StrobeKindId kind)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, prepare_process);
    state.self = self;
    state.kind = kind;
    atomic_fetch_add(&state.session, 1);
    atomic_store(&state.host, host);
}

void strobe_operators_record(int on)
{
    atomic_store(&state.is_recording, on);
}

void strobe_operators_detach(void)
{
    strobe_operators_record(0);
    atomic_store(&state.host, NULL);
}
