/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the host's records of a step: Python, operators, the queue between threads, calls of the
 * runtime. */
#include "mix.h"

#include <glib.h>

#define FRAMES_OUTSIDE 8 /* number of Python calls around the whole step */
#define OBJECTS_ALIVE 134
#define OBJECTS_NEW 28 /* number of new Python objects in each step */
#define DEPTH_MAX 6    /* maximum depth of nested operators */

/* Numbers of records and other things in a step. */
enum {
    FORWARD_OPERATORS = 315, /* number without the operator of the step itself */
    BACKWARD_OPERATORS = 544,
    FUNCTIONS = 1282 - FRAMES_OUTSIDE,
    FORWARD_CALLS = 69,
    BACKWARD_CALLS = 156,
    QUEUE_INNER_CALLS = 41,
    RELEASES = 90,
    COPIES = 53, /* number of copies, and also of the events that follow them */
    ALLOCATIONS = 381,
    LINKED_FORWARD = 67,
    LINKED = 27, /* number of backward operators that are linked to their forward operator */
    COLLECTIVES = 4
};

static unsigned compute_share(const Mix *mix, uint64_t total)
{
    return mix_share(total, mix->layer, MIX_LAYERS);
}

static gboolean is_forward(const Mix *mix)
{
    return mix->layer < MIX_FORWARD;
}

/* Returns the share of the current layer in things that are spread evenly over a pass: in `forward`
 * things if it is in the forward pass, in `backward` things if it is in the backward pass. */
static unsigned share_of_pass(const Mix *mix, uint64_t forward, uint64_t backward)
{
    return is_forward(mix)
               ? mix_share(forward, mix->layer, MIX_FORWARD)
               : mix_share(backward, mix->layer - MIX_FORWARD, MIX_LAYERS - MIX_FORWARD);
}

/* ---- the thread that executes the queue ---- */

static void add_call(Mix *mix, MixTrack track, uint32_t name, unsigned level, int64_t begin,
                     int64_t end)
{
    struct strobe_api_call *call = mix_add(mix, MIX_API_CALL, track, name, begin, end);

    call->level = mix->texts[MIX_LEVELS].ids[level];
    call->connection = mix->connection++;
}

static void add_launch(Mix *mix, unsigned i, unsigned n_kernels, int64_t begin)
{
    const uint64_t connection = mix->connection;

    add_call(mix, MIX_QUEUE_API, mix->texts[MIX_LAUNCHES].ids[MIX_LAUNCH], MIX_NODE, begin,
             begin + mix_skewed(mix, 2000, 2));
    if (i < n_kernels)
        mix_device_kernel(mix, connection, begin);
    else
        mix_device_collective(mix, connection, begin);
}

/* Adds the call that executes an entry of the queue, and the calls inside it. */
static int64_t add_queue_calls(Mix *mix, int64_t t)
{
    const unsigned n_kernels = compute_share(mix, MIX_KERNELS_A_STEP),
                   n_inner = compute_share(mix, QUEUE_INNER_CALLS);
    const unsigned n_collectives = share_of_pass(mix, 0, COLLECTIVES);
    const uint64_t connection = mix->connection++;
    const int64_t begin = t;
    struct strobe_api_call *call;

    t += 700 + (int64_t)mix_random(mix, 2000);
    if (compute_share(mix, COPIES))
        mix_device_copy(mix, connection, begin);
    if (n_collectives)
        add_call(mix, MIX_QUEUE_API, mix->texts[MIX_LAUNCHES].ids[MIX_LAUNCH_ALL], MIX_HCCL, t,
                 t + 90000);
    for (unsigned i = 0; i < n_inner; i++, t += 4000)
        add_call(mix, MIX_QUEUE_API, mix_pick(mix, MIX_INNER_CALLS), MIX_ACL, t,
                 t + 400 + (int64_t)mix_random(mix, 3000));
    for (unsigned i = 0; i < n_kernels + n_collectives; i++, t += 20000)
        add_launch(mix, i, n_kernels, t);
    t += 90000 * n_collectives + (int64_t)mix_random(mix, 4000);
    call = mix_add(mix, MIX_API_CALL, MIX_QUEUE_API, mix_pick(mix, MIX_CALLS), begin, t);
    call->level = mix->texts[MIX_LEVELS].ids[MIX_ACL];
    call->connection = connection;
    return t;
}

/* Adds an entry to the queue, and the calls by which the other thread executes the entry. */
static int64_t add_queue(Mix *mix, MixTrack track, int64_t t)
{
    const int64_t end = t + 1600 + (int64_t)mix_random(mix, 10000);
    const int64_t begin = MAX(end + 2000 + (int64_t)mix_random(mix, 9000), mix->queue);
    struct strobe_task_queue *queue =
        mix_add(mix, MIX_TASK_QUEUE, track, mix->texts[MIX_ENQUEUE].ids[0], t, end);

    queue->correlation = mix->correlation;
    queue->is_dequeue = 0;
    mix->queue = add_queue_calls(mix, begin + 2000) + 1000;
    queue = mix_add(mix, MIX_TASK_QUEUE, MIX_QUEUE, mix_pick(mix, MIX_WORK), begin, mix->queue);
    queue->correlation = mix->correlation++;
    queue->is_dequeue = 1;
    return end;
}

/* ---- operators ---- */

typedef struct Open {
    int64_t begin;
    uint32_t name;
} Open;

static void describe_operator(Mix *mix, struct strobe_cpu_op *op, unsigned i)
{
    const unsigned layer = (unsigned)mix->layer;

    op->sequence = -1;
    op->forward_thread = 0;
    op->scope = 0;
    op->is_async = 0;
    if (mix_random(mix, 100) < 58)
        op->shapes = mix_pick(mix, MIX_SHAPES);
    if (op->shapes || mix_random(mix, 100) < 15)
        op->types = mix_pick(mix, MIX_TYPES);
    if (is_forward(mix)) {
        op->stack = mix->texts[MIX_STACKS].ids[layer % mix->texts[MIX_STACKS].n];
        if (i < share_of_pass(mix, LINKED_FORWARD, 0))
            op->sequence = (int64_t)(mix->step * MIX_FORWARD + layer);
    } else if (i == 0 && share_of_pass(mix, 0, LINKED)) {
        op->forward_thread = 1;
        op->sequence = (int64_t)(mix->step * MIX_FORWARD + (MIX_LAYERS - 1 - layer) / 2);
    }
}

static int64_t close_operator(Mix *mix, const Open *open, unsigned i, int64_t t)
{
    struct strobe_cpu_op *op;

    t += 1000 + (int64_t)mix_random(mix, 3000);
    op = mix_add(mix, MIX_CPU_OP, is_forward(mix) ? MIX_MAIN : MIX_BACKWARD, open->name,
                 open->begin, t);
    describe_operator(mix, op, i);
    return t;
}

/* Adds an event of the framework's own allocator, with its totals after the event. */
static void add_allocation(Mix *mix, int64_t t)
{
    const uint64_t n = mix->n_allocations++;
    const int64_t bytes = 512 * (1 + (int64_t)(n / 3 * 7919 % 4096));
    struct strobe_memory_event *event = mix_add(mix, MIX_MEMORY_EVENT, MIX_ALLOCATOR, 0, t, t);

    /* Three events for each block: it is allocated, it is no longer in use, it is released. */
    mix->active += n % 3 == 0 ? bytes : n % 3 == 1 ? -bytes : 0;
    mix->allocated += n % 3 == 0 ? bytes : n % 3 == 2 ? -bytes : 0;
    event->total_allocated = mix->allocated;
    event->total_reserved = mix->reserved;
    event->total_active = mix->active;
    event->stream = 733279888;
    event->action = 3;
    event->device = 0;
    event->component = mix->texts[MIX_ALLOCATORS].ids[MIX_PTA];
}

/* Adds nested operators; the innermost one starts work on the device. */
static int64_t add_operators(Mix *mix, int64_t t)
{
    const unsigned n = share_of_pass(mix, FORWARD_OPERATORS, BACKWARD_OPERATORS);
    const int64_t self_ns = is_forward(mix) ? 60000 : 10000;
    unsigned depth = 0, n_allocations = compute_share(mix, ALLOCATIONS);
    Open open[DEPTH_MAX];

    for (unsigned i = 0; i < n; i++) {
        const unsigned inside =
            depth ? 1 + (unsigned)mix_random(mix, MIN(depth, DEPTH_MAX - 1)) : 0;

        for (; depth > inside; depth--)
            t = close_operator(mix, &open[depth - 1], depth - 1, t);
        open[depth++] =
            (Open){t, mix_pick(mix, is_forward(mix) || i ? MIX_OPERATORS : MIX_GRADIENTS)};
        t += self_ns / 2 + (int64_t)mix_random(mix, (uint64_t)self_ns);
        if (n_allocations && n_allocations--)
            add_allocation(mix, t - 2000);
    }
    t = add_queue(mix, is_forward(mix) ? MIX_MAIN : MIX_BACKWARD, t);
    for (; depth; depth--)
        t = close_operator(mix, &open[depth - 1], depth - 1, t);
    return t;
}

/* ---- layers ---- */

/* Adds calls of the runtime that an operator makes itself, and releases of memory that a third
 * thread makes for the operator. */
static int64_t add_calls(Mix *mix, int64_t t)
{
    const unsigned n_requests = share_of_pass(mix, FORWARD_CALLS, BACKWARD_CALLS);

    for (unsigned i = 0; i < n_requests; i++, t += 3000)
        add_call(mix, is_forward(mix) ? MIX_MAIN_API : MIX_BACKWARD_API,
                 mix_pick(mix, MIX_REQUESTS), MIX_ACL, t, t + mix_skewed(mix, 200, 3));
    for (unsigned i = 0; i < compute_share(mix, RELEASES); i++)
        add_call(mix, MIX_RELEASE_API, mix_pick(mix, MIX_RELEASES), MIX_ACL, t + 40000 + 2000 * i,
                 t + 40300 + 2000 * i);
    return t;
}

static uint32_t function_name(Mix *mix)
{
    const MixPool *objects = &mix->texts[MIX_OBJECTS];

    if (mix_random(mix, 1282) >= 328)
        return mix_pick(mix, MIX_FUNCTIONS);
    return objects->ids[(mix->step * OBJECTS_NEW + mix_random(mix, OBJECTS_ALIVE)) % objects->n];
}

/* Adds Python calls before the operators. Every second call encloses the operators; the others
 * return at once. */
static int64_t add_forward(Mix *mix, int64_t t)
{
    const unsigned n = share_of_pass(mix, FUNCTIONS, 0);
    Open open[FUNCTIONS / MIX_FORWARD + 2];
    unsigned depth = 0;

    for (unsigned i = 0; i < n; i++, t += 1000 + (int64_t)mix_random(mix, 2000)) {
        const Open function = {t, function_name(mix)};

        if (i % 2 == 0) {
            open[depth++] = function;
            continue;
        }
        t += mix_skewed(mix, 300, 3);
        mix_add(mix, MIX_PYTHON_CALL, MIX_MAIN, function.name, function.begin, t);
    }
    t = add_operators(mix, add_calls(mix, t));
    while (depth--) {
        t += 1000 + (int64_t)mix_random(mix, 2000);
        mix_add(mix, MIX_PYTHON_CALL, MIX_MAIN, open[depth].name, open[depth].begin, t);
    }
    return t + 1000;
}

static void add_step(Mix *mix, int64_t begin, int64_t end)
{
    const uint32_t name = mix_text(mix, "ProfilerStep#%u", (unsigned)mix->step);
    struct strobe_step *step = mix_add(mix, MIX_STEP, MIX_STEPS, name, begin, end);
    struct strobe_cpu_op *op;

    step->number = (int64_t)mix->step;
    op = mix_add(mix, MIX_CPU_OP, MIX_MAIN, name, begin, end);
    op->sequence = -1;
    op->forward_thread = 0;
}

int64_t mix_host_step(Mix *mix, int64_t begin)
{
    int64_t t = begin + 100000;

    mix->kernel = 0;
    for (mix->layer = 0; mix->layer < MIX_FORWARD; mix->layer++)
        t = add_forward(mix, t);
    t += 100000; /* time until the thread of the backward pass runs */
    for (; mix->layer < MIX_LAYERS; mix->layer++)
        t = add_operators(mix, add_calls(mix, t)) + 20000;
    /* The program reads the loss, so it waits for the device. */
    t = MAX(MAX(t, mix->queue), MAX(mix->stream, mix->comm)) + 100000;
    for (int i = 0; i < FRAMES_OUTSIDE; i++)
        mix_add(mix, MIX_PYTHON_CALL, MIX_MAIN, mix_pick(mix, MIX_FUNCTIONS),
                begin + 2000 * i + 2000, t - 2000 * i - 2000);
    add_step(mix, begin, t);
    return t + 1000;
}
