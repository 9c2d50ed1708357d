/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "opencl-device-clock.h"
#include "state.h"

#define CHUNK 1024u /* number of commands in one chunk */
#define CHUNKS_MAX 1024u
#define RECENT 4096u /* size of the table that finds commands by their event */

enum { FREE, PENDING, CLAIMED, DONE };

static struct {
    _Atomic(OpenclCommand *) chunk[CHUNKS_MAX];
    _Atomic uint32_t n_chunks;
    /* `place` of the first free command; the upper half counts changes */
    _Atomic uint64_t free;
    pthread_mutex_t lock; /* held while memory is allocated */
    _Atomic(OpenclCommand *) recent[RECENT];
} commands = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- memory ---- */

static OpenclCommand *get_command(uint32_t place)
{
    OpenclCommand *chunk =
        atomic_load_explicit(&commands.chunk[(place - 1) / CHUNK], memory_order_acquire);

    return &chunk[(place - 1) % CHUNK];
}

static void give_back(OpenclCommand *command)
{
    uint64_t head = atomic_load_explicit(&commands.free, memory_order_relaxed), next;

    atomic_store_explicit(&command->state, FREE, memory_order_relaxed);
    do {
        atomic_store_explicit(&command->next_free, (uint32_t)head, memory_order_relaxed);
        next = ((head >> 32) + 1) << 32 | command->place;
    } while (!atomic_compare_exchange_weak_explicit(&commands.free, &head, next,
                                                    memory_order_release, memory_order_relaxed));
}

static OpenclCommand *take_command(void)
{
    uint64_t head = atomic_load_explicit(&commands.free, memory_order_acquire), next;
    OpenclCommand *command;

    do {
        if ((uint32_t)head == 0)
            return NULL;
        command = get_command((uint32_t)head);
        next = ((head >> 32) + 1) << 32 |
               atomic_load_explicit(&command->next_free, memory_order_relaxed);
    } while (!atomic_compare_exchange_weak_explicit(&commands.free, &head, next,
                                                    memory_order_acquire, memory_order_acquire));
    return command;
}

/* Allocates a chunk of CHUNK commands. After a program has reached its maximum number of open
 * commands, no further chunk is needed. */
static OpenclCommand *add_chunk(void)
{
    OpenclCommand *chunk = NULL;

    pthread_mutex_lock(&commands.lock);
    uint32_t n = atomic_load(&commands.n_chunks);
    /* another thread may meanwhile have freed or added commands */
    OpenclCommand *command = take_command();
    if (!command && n < CHUNKS_MAX)
        chunk = calloc(CHUNK, sizeof *chunk);
    for (uint32_t i = 0; chunk && i < CHUNK; i++)
        chunk[i].place = n * CHUNK + i + 1;
    if (chunk) {
        atomic_store_explicit(&commands.chunk[n], chunk, memory_order_release);
        atomic_store_explicit(&commands.n_chunks, n + 1, memory_order_release);
        command = &chunk[0];
        for (uint32_t i = 1; i < CHUNK; i++)
            give_back(&chunk[i]);
    }
    pthread_mutex_unlock(&commands.lock);
    return command;
}

OpenclCommand *opencl_command_new(OpenclQueue *queue)
{
    OpenclCommand *command = take_command();

    if (!command)
        command = add_chunk();
    if (!command) {
        opencl_count(&opencl.n_unmade);
        return NULL;
    }
    command->queue = queue;
    command->session = opencl.session;
    memset(&command->work, 0, sizeof command->work);
    atomic_store_explicit(&command->event, NULL, memory_order_relaxed);
    atomic_fetch_add_explicit(&queue->n_held, 1, memory_order_relaxed);
    return command;
}

void opencl_command_drop(OpenclCommand *command)
{
    atomic_fetch_sub_explicit(&command->queue->n_held, 1, memory_order_release);
    give_back(command);
}

static void let_go(OpenclCommand *command)
{
    if (atomic_fetch_sub_explicit(&command->holders, 1, memory_order_acq_rel) == 1)
        opencl_command_drop(command);
}

/* ---- the end of a command ---- */

static int claim_command(OpenclCommand *command)
{
    uint32_t pending = PENDING;

    return atomic_compare_exchange_strong(&command->state, &pending, CLAIMED);
}

static int time_of(cl_event event, cl_profiling_info which, cl_ulong *time)
{
    *time = 0;
    return opencl_below.clGetEventProfilingInfo(event, which, sizeof *time, time, NULL) ==
           CL_SUCCESS;
}

static int read_times(cl_event event, OpenclTimes *times)
{
    int ok = time_of(event, CL_PROFILING_COMMAND_START, &times->start) &&
             time_of(event, CL_PROFILING_COMMAND_END, &times->end);

    time_of(event, CL_PROFILING_COMMAND_QUEUED, &times->queued);
    time_of(event, CL_PROFILING_COMMAND_SUBMIT, &times->submit);
    return ok && times->start && times->start <= times->end;
}

/* Records the command. The calling thread must have claimed it. */
static void finish_command(OpenclCommand *command, cl_int status)
{
    cl_event event = atomic_load_explicit(&command->event, memory_order_relaxed);
    OpenclTimes times;

    times.seen_ns = command->work.before_ns ? opencl_clock_now() : 0;
    if (status < 0)
        opencl_count(&opencl.n_failed);
    else if (!read_times(event, &times))
        opencl_count(&opencl.n_mistimed);
    else if (command->session == opencl.session)
        opencl_task_record(command->queue, command->number, &command->work, &times);
    opencl_below.clReleaseEvent(event);
    atomic_store_explicit(&command->state, DONE, memory_order_release);
}

/* Returns the event's status: a negative number if the command failed, CL_QUEUED if the driver
 * refuses to report the status. */
static cl_int status_of(cl_event event)
{
    cl_int status = CL_QUEUED;

    if (opencl_below.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
                                    &status, NULL) != CL_SUCCESS)
        return CL_QUEUED;
    return status;
}

/* Undoes the claim of a command that is not complete. If the driver called on_complete in the
 * meantime, on_complete could not claim the command and is not called again, so this function does
 * its work. */
static void unclaim_command(OpenclCommand *command)
{
    atomic_store(&command->state, PENDING);
    if (atomic_load(&command->is_called) && claim_command(command))
        finish_command(command, status_of(atomic_load(&command->event)));
}

/* The driver's callback for a complete event. It runs on a thread of the driver, or on the thread
 * that finds that the event is complete. While a window ends, only the control thread may record;
 * it then finds the command in the queue's list and records it. */
static void CL_CALLBACK on_complete(cl_event event, cl_int status, void *data)
{
    OpenclCommand *command = data;

    atomic_store(&command->is_called, 1);
    if (!atomic_load(&opencl.is_ending) && claim_command(command))
        finish_command(command, status);
    let_go(command);
}

/* ---- lists of commands of a queue ---- */

static void push_command(OpenclQueue *queue, OpenclCommand *command)
{
    OpenclCommand *first = atomic_load_explicit(&queue->commands, memory_order_relaxed);

    do
        atomic_store_explicit(&command->next, first, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&queue->commands, &first, command,
                                                  memory_order_release, memory_order_relaxed));
    atomic_fetch_add_explicit(&queue->n_listed, 1, memory_order_relaxed);
}

/* Removes all commands from the list, so that no other thread finds them. Returns them, oldest
 * first. */
static OpenclCommand *take_all(OpenclQueue *queue)
{
    OpenclCommand *from = atomic_exchange_explicit(&queue->commands, NULL, memory_order_acquire);
    OpenclCommand *to = NULL;

    while (from) {
        OpenclCommand *next = atomic_load_explicit(&from->next, memory_order_relaxed);
        atomic_store_explicit(&from->next, to, memory_order_relaxed);
        to = from;
        from = next;
    }
    return to;
}

/* Waits for the thread that has claimed the command. The wait is short, because this thread only
 * makes a record and three calls of the driver. */
static void await_claimer(OpenclCommand *command)
{
    for (int i = 0; i < 1000; i++) {
        if (atomic_load_explicit(&command->state, memory_order_acquire) != CLAIMED)
            return;
        sched_yield();
    }
}

/* Returns whether the command is finished and recorded. With `asks`, queries the driver if the
 * command is not known to be complete. Claims the command before the query, because the event of a
 * command that is not claimed may no longer exist. */
static int is_over(OpenclCommand *command, int asks)
{
    if (asks && claim_command(command)) {
        cl_int status = status_of(atomic_load_explicit(&command->event, memory_order_relaxed));
        if (status > CL_COMPLETE)
            unclaim_command(command);
        else
            finish_command(command, status);
    }
    if (asks)
        await_claimer(command);
    return atomic_load_explicit(&command->state, memory_order_acquire) == DONE;
}

/* Removes finished commands from the list. If the queue is in order, does not query the driver
 * about commands after an incomplete one. */
static void look_through(OpenclQueue *queue, int asks)
{
    OpenclCommand *command = take_all(queue), *next;
    uint32_t n = 0, n_kept = 0;

    for (; command; command = next, n++) {
        next = atomic_load_explicit(&command->next, memory_order_relaxed);
        if (is_over(command, asks || !command->is_reported || atomic_load(&command->is_called))) {
            let_go(command);
        } else {
            push_command(queue, command);
            n_kept++;
            asks = asks && !queue->is_in_order;
        }
    }
    atomic_fetch_sub_explicit(&queue->n_listed, n, memory_order_relaxed);
    atomic_store_explicit(&queue->prune_at, 2 * n_kept + OPENCL_PRUNE_FIRST, memory_order_relaxed);
}

void opencl_commands_reap(OpenclQueue *queue)
{
    if (!atomic_load_explicit(&opencl.is_gone, memory_order_relaxed) &&
        atomic_load_explicit(&queue->commands, memory_order_relaxed))
        look_through(queue, 1);
}

static void reap_one(void *value, void *user)
{
    opencl_commands_reap(value);
}

void opencl_commands_reap_all(void)
{
    opencl_queues_each(reap_one, NULL);
}

/* ---- events ---- */

static _Atomic(OpenclCommand *) *recent_place(cl_event event)
{
    uint64_t hash = (uint64_t)(uintptr_t)event * 0x9e3779b97f4a7c15u;

    return &commands.recent[(hash >> 32) % RECENT];
}

void opencl_commands_release(cl_event event)
{
    OpenclCommand *command = atomic_load_explicit(recent_place(event), memory_order_acquire);

    if (!command || atomic_load_explicit(&command->event, memory_order_relaxed) != event)
        return;
    if (claim_command(command)) {
        /* if the memory now belongs to another event, the command stays in its queue's list */
        if (atomic_load_explicit(&command->event, memory_order_relaxed) == event)
            finish_command(command, status_of(event));
        else
            unclaim_command(command);
    }
    await_claimer(command);
}

cl_uint opencl_commands_holds(cl_event event)
{
    uint32_t n = atomic_load_explicit(&commands.n_chunks, memory_order_acquire) * CHUNK;
    cl_uint holds = 0;

    for (uint32_t place = 1; place <= n; place++) {
        OpenclCommand *command = get_command(place);
        uint32_t state = atomic_load_explicit(&command->state, memory_order_acquire);
        holds += (state == PENDING || state == CLAIMED) &&
                 atomic_load_explicit(&command->event, memory_order_relaxed) == event;
    }
    return holds;
}

int opencl_commands_are_running(void)
{
    uint32_t n = atomic_load_explicit(&commands.n_chunks, memory_order_acquire) * CHUNK;
    int is_running = 0;

    for (uint32_t place = 1; place <= n && !is_running; place++) {
        OpenclCommand *command = get_command(place);
        if (!claim_command(command))
            continue;
        cl_int status = status_of(atomic_load_explicit(&command->event, memory_order_relaxed));
        if (status <= CL_COMPLETE)
            finish_command(command, status);
        else
            unclaim_command(command);
        is_running = status == CL_RUNNING || status == CL_SUBMITTED;
    }
    return is_running;
}

uint64_t opencl_commands_count(void)
{
    uint32_t n = atomic_load_explicit(&commands.n_chunks, memory_order_acquire) * CHUNK;
    uint64_t count = 0;

    for (uint32_t place = 1; place <= n; place++)
        count += atomic_load_explicit(&get_command(place)->state, memory_order_acquire) == PENDING;
    return count;
}

/* Sets the callback before the command is put into its queue's list, because until then no other
 * thread uses the command. The driver may call the callback inside the call that sets it. */
void opencl_command_follow(OpenclCommand *command, cl_event event, int is_complete)
{
    OpenclQueue *queue = command->queue;

    command->number = atomic_fetch_add_explicit(&queue->n_commands, 1, memory_order_relaxed);
    atomic_store_explicit(&command->event, event, memory_order_relaxed);
    atomic_store_explicit(&command->holders, 1, memory_order_relaxed);
    if (is_complete) {
        atomic_store_explicit(&command->state, CLAIMED, memory_order_relaxed);
        finish_command(command, status_of(event));
        let_go(command);
        return;
    }
    atomic_store_explicit(&command->holders, 2, memory_order_relaxed);
    atomic_store_explicit(&command->is_called, 0, memory_order_relaxed);
    command->is_reported = 1;
    atomic_store_explicit(&command->state, PENDING, memory_order_release);
    if (!opencl_below.clSetEventCallback ||
        opencl_below.clSetEventCallback(event, CL_COMPLETE, on_complete, command) != CL_SUCCESS) {
        command->is_reported = 0;
        let_go(command);
    }
    atomic_store_explicit(recent_place(event), command, memory_order_release);
    push_command(queue, command);
    if (atomic_load_explicit(&queue->n_listed, memory_order_relaxed) >=
        atomic_load_explicit(&queue->prune_at, memory_order_relaxed))
        look_through(queue, 0);
}
