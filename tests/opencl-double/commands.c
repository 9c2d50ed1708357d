/* SPDX-License-Identifier: Apache-2.0 */
/* Commands: one list for all queues, which one thread executes in order. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "opencl-double.h"

#define COMMAND_LAUNCH 0x11F0u
#define COMMAND_READ 0x11F3u
#define COMMAND_WRITE 0x11F4u
#define COMMAND_MARKER 0x11FEu
#define COMMAND_USER 0x1204u

#define KERNEL_US 200

static Object *first, **last = &first; /* protected by the lock */
static int n_open;                     /* number of commands that wait or are being executed */
static Object *awaited;                /* event for which the next command waits */

/* Calls the callbacks of a command. Called without the lock. */
static void call_reported(Object *event, int32_t status)
{
    pthread_mutex_lock(&double_lock);
    Reported *reported = event->reported;
    event->reported = NULL;
    pthread_mutex_unlock(&double_lock);
    while (reported) {
        Reported *next = reported->next;
        reported->callback(event, status, reported->data);
        free(reported);
        reported = next;
    }
}

static void set_status(Object *event, int32_t status)
{
    event->status = status;
    pthread_cond_broadcast(&double_changed);
}

/* Returns the time since the epoch minus the host's monotonic clock, from the shortest of several
 * readings. */
static int64_t to_epoch(void)
{
    int64_t best = INT64_MAX, result = 0;
    struct timespec now;

    for (int i = 0; i < 5; i++) {
        int64_t before = double_host_ns();
        clock_gettime(CLOCK_REALTIME, &now);
        int64_t after = double_host_ns();
        if (after - before < best) {
            best = after - before;
            result = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec - before - best / 2;
        }
    }
    return result;
}

/* Reports a command for the test: its begin since the epoch, its duration, and the begin that the
 * program gets. */
static void tell_truth(const Object *event, int64_t begin, int64_t end)
{
    int64_t epoch = to_epoch();

    double_report("%s %lld %lld %llu\n", event->command == COMMAND_LAUNCH ? "kernel" : "copy",
                  (long long)(begin + epoch), (long long)(end - begin),
                  (unsigned long long)event->time[2]);
}

static void work_on(Object *event)
{
    int64_t begin = double_host_ns(), end;

    if (event->command == COMMAND_LAUNCH)
        usleep(KERNEL_US);
    else if (event->command == COMMAND_READ)
        memcpy(event->host, event->buffer->place + event->offset, event->length);
    else if (event->command == COMMAND_WRITE)
        memcpy(event->buffer->place + event->offset, event->host, event->length);
    end = double_host_ns();
    double_times(begin, end, &event->time[2], &event->time[3]);
    if (event->command != COMMAND_MARKER)
        tell_truth(event, begin, end);
}

/* Executes a command after those for which it waits, and completes it. The caller must hold the
 * lock, which is released in between. */
static void complete_event(Object *event)
{
    int32_t status = COMPLETE;

    for (uint32_t i = 0; i < event->n_waits; i++) {
        awaited = event->waits[i];
        while (event->waits[i]->status > COMPLETE)
            pthread_cond_wait(&double_changed, &double_lock);
        awaited = NULL;
        double_let_go(event->waits[i]);
    }
    set_status(event, RUNNING);
    pthread_mutex_unlock(&double_lock);
    work_on(event);
    pthread_mutex_lock(&double_lock);
    event->of->n_pending--;
    set_status(event, status);
    pthread_mutex_unlock(&double_lock);
    call_reported(event, status);
    pthread_mutex_lock(&double_lock);
}

static void *run_commands(void *data)
{
    pthread_mutex_lock(&double_lock);
    for (;;) {
        while (!first)
            pthread_cond_wait(&double_changed, &double_lock);
        Object *event = first;
        first = event->next;
        if (!first)
            last = &first;
        complete_event(event);
        double_let_go(event);
        n_open--;
    }
    return NULL;
}

static void start_worker(void)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, run_commands, NULL) == 0)
        pthread_detach(thread);
}

/* Waits while the thread has a command to execute, but only a short time if it waits for an event
 * of the program. */
void double_settle(void)
{
    for (int i = 0, is_at_work = 1; i < (is_at_work ? 60000 : 200); i++) {
        pthread_mutex_lock(&double_lock);
        int is_settled = n_open == 0;
        is_at_work = !(awaited && awaited->status > COMPLETE);
        pthread_mutex_unlock(&double_lock);
        if (is_settled)
            return;
        usleep(1000);
    }
}

/* Makes the event of a new command, to which the caller gets a reference. put_into_line takes
 * another one for the list. The caller must hold the lock. */
static Object *begin_command(Object *queue, uint32_t command, uint32_t n_waits,
                             Object *const *waits)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    Object *event = double_make(EVENT, queue);

    pthread_once(&once, start_worker);
    event->command = command;
    event->status = SUBMITTED;
    for (uint32_t i = 0; i < n_waits && i < 8; i++) {
        double_hold(waits[i]);
        event->waits[event->n_waits++] = waits[i];
    }
    if (!getenv("OPENCL_DOUBLE_NO_QUEUED"))
        event->time[0] = event->time[1] = double_device_ns(double_host_ns());
    queue->n_pending++;
    return event;
}

static void put_into_line(Object *event)
{
    double_hold(event);
    n_open++;
    *last = event;
    last = &event->next;
    pthread_cond_broadcast(&double_changed);
}

/* Puts the command into the list, and waits for its end if `is_blocking`. Passes the caller's
 * reference on in *event, or releases it if `event` is NULL. Then releases the lock, which the
 * caller must hold. */
static void end_command(Object *made, int is_blocking, Object **event)
{
    put_into_line(made);
    while (is_blocking && made->status > COMPLETE)
        pthread_cond_wait(&double_changed, &double_lock);
    if (event)
        *event = made;
    else
        double_let_go(made);
    pthread_mutex_unlock(&double_lock);
}

int32_t double_launch(Object *queue, Object *kernel, uint32_t n, const size_t *offset,
                      const size_t *global, const size_t *local, uint32_t n_waits,
                      Object *const *waits, Object **event)
{
    if (n < 1 || n > 3)
        return -53; /* CL_INVALID_WORK_DIMENSION */
    if (double_fails("clEnqueueNDRangeKernel"))
        return OUT_OF_RESOURCES;
    pthread_mutex_lock(&double_lock);
    end_command(begin_command(queue, COMMAND_LAUNCH, n_waits, waits), 0, event);
    return SUCCESS;
}

static int32_t enqueue_copy(Object *queue, uint32_t command, Object *buffer, uint32_t is_blocking,
                            size_t offset, size_t size, void *host, uint32_t n_waits,
                            Object *const *waits, Object **event)
{
    pthread_mutex_lock(&double_lock);
    Object *made = begin_command(queue, command, n_waits, waits);
    made->buffer = buffer;
    made->host = host;
    made->offset = offset;
    made->length = size;
    end_command(made, is_blocking != 0, event);
    return SUCCESS;
}

int32_t double_read(Object *queue, Object *buffer, uint32_t is_blocking, size_t offset, size_t size,
                    void *host, uint32_t n_waits, Object *const *waits, Object **event)
{
    if (double_fails("clEnqueueReadBuffer"))
        return OUT_OF_RESOURCES;
    return enqueue_copy(queue, COMMAND_READ, buffer, is_blocking, offset, size, host, n_waits,
                        waits, event);
}

int32_t double_write(Object *queue, Object *buffer, uint32_t is_blocking, size_t offset,
                     size_t size, const void *host, uint32_t n_waits, Object *const *waits,
                     Object **event)
{
    if (double_fails("clEnqueueWriteBuffer"))
        return OUT_OF_RESOURCES;
    return enqueue_copy(queue, COMMAND_WRITE, buffer, is_blocking, offset, size,
                        (void *)(uintptr_t)host, n_waits, waits, event);
}

int32_t double_marker(Object *queue, Object **event)
{
    if (double_fails("clEnqueueMarker"))
        return OUT_OF_RESOURCES;
    pthread_mutex_lock(&double_lock);
    end_command(begin_command(queue, COMMAND_MARKER, 0, NULL), 0, event);
    return SUCCESS;
}

int32_t double_flush(Object *queue)
{
    return double_fails("clFlush") ? OUT_OF_RESOURCES : SUCCESS;
}

int32_t double_finish(Object *queue)
{
    if (double_fails("clFinish"))
        return OUT_OF_RESOURCES;
    pthread_mutex_lock(&double_lock);
    while (queue->n_pending)
        pthread_cond_wait(&double_changed, &double_lock);
    pthread_mutex_unlock(&double_lock);
    return SUCCESS;
}

/* ---- events ---- */

int32_t double_wait(uint32_t n, Object *const *events)
{
    if (double_fails("clWaitForEvents"))
        return OUT_OF_RESOURCES;
    pthread_mutex_lock(&double_lock);
    for (uint32_t i = 0; i < n; i++)
        while (events[i]->status > COMPLETE)
            pthread_cond_wait(&double_changed, &double_lock);
    pthread_mutex_unlock(&double_lock);
    return SUCCESS;
}

/* Sets a callback of the command. If the command is already complete, calls the callback at
 * once. */
int32_t double_set_callback(Object *event, int32_t at, Callback *callback, void *data)
{
    Reported *reported = malloc(sizeof *reported);
    int32_t status;

    if (!reported || double_fails("clSetEventCallback")) {
        free(reported);
        return OUT_OF_RESOURCES;
    }
    *reported = (Reported){.callback = callback, .data = data, .at = at};
    pthread_mutex_lock(&double_lock);
    reported->next = event->reported;
    event->reported = reported;
    status = event->status;
    pthread_mutex_unlock(&double_lock);
    if (status <= COMPLETE)
        call_reported(event, status);
    return SUCCESS;
}

Object *double_user_event(Object *context, int32_t *status)
{
    pthread_mutex_lock(&double_lock);
    Object *event = double_make(EVENT, context);
    event->command = COMMAND_USER;
    event->status = SUBMITTED;
    pthread_mutex_unlock(&double_lock);
    if (status)
        *status = SUCCESS;
    return event;
}

int32_t double_set_user_event(Object *event, int32_t status)
{
    pthread_mutex_lock(&double_lock);
    set_status(event, status);
    pthread_mutex_unlock(&double_lock);
    call_reported(event, status);
    return SUCCESS;
}

int32_t double_event_info(Object *event, uint32_t which, size_t size, void *place, size_t *size_ret)
{
    Object *queue = event->command == COMMAND_USER ? NULL : event->of;
    uint32_t references;
    int32_t status;

    if (double_fails("clGetEventInfo"))
        return OUT_OF_RESOURCES;
    pthread_mutex_lock(&double_lock);
    references = event->references;
    status = event->status;
    pthread_mutex_unlock(&double_lock);
    switch (which) {
    case 0x11D0:
        return double_answer(&queue, sizeof queue, size, place, size_ret);
    case 0x11D1:
        return double_answer(&event->command, sizeof event->command, size, place, size_ret);
    case 0x11D2:
        return double_answer(&references, sizeof references, size, place, size_ret);
    case 0x11D3:
        return double_answer(&status, sizeof status, size, place, size_ret);
    default:
        return INVALID_VALUE;
    }
}

int32_t double_profiling_info(Object *event, uint32_t which, size_t size, void *place,
                              size_t *size_ret)
{
    if (double_fails("clGetEventProfilingInfo") || event->command == COMMAND_USER ||
        !(event->of->properties & PROFILING) || event->status > COMPLETE)
        return PROFILING_NOT_AVAILABLE;
    if (which < 0x1280 || which > 0x1284)
        return INVALID_VALUE;
    return double_answer(&event->time[which == 0x1284 ? 3 : which - 0x1280], sizeof(uint64_t), size,
                         place, size_ret);
}
