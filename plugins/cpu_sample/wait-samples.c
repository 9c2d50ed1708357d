/* SPDX-License-Identifier: Apache-2.0 */
#include "wait-samples.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* size of the ring of each processor; it has room for some thousand switches */
#define RING_BYTES (1u << 20)
#define ADDRESSES_MAX 512u

static const StrobeField wait_fields[] = {
    STROBE_FIELD("stack", STACK, "", "Call stack at the begin of the wait."),
    STROBE_FIELD("process", U32, "", "Process of the thread."),
    STROBE_FIELD("is_preempted", BOOL, "",
                 "The thread could have continued, but waited for a processor."),
};
const StrobeKind cpu_sample_kind_wait = STROBE_KIND(
    "cpu_sample.wait", SPAN, wait_fields, "A time in which a thread was on no processor.");

struct PendingWait {
    uint64_t begin; /* ns of CLOCK_MONOTONIC; 0: the thread runs */
    uint32_t process;
    int is_preempted;
    size_t n;
    uint64_t addresses[ADDRESSES_MAX];
};

/* A SWITCH event, with the fields that perf appends because of sample_id_all. */
typedef struct SwitchEvent {
    struct perf_event_header header;
    uint32_t pid, tid;
    uint64_t time;
} SwitchEvent;

void wait_samples_start(CpuSample *state, const SampleWish *wish)
{
    struct perf_event_attr attributes;

    if (sample_event_choose_switches(&attributes, wish, state->pid) == 0)
        state->wait_rings =
            strobe_perf_rings_open("/proc", state->pid, &attributes, 1, RING_BYTES, UINT32_MAX);
    if (!state->wait_rings)
        state->host->log(state->self, STROBE_LOG_WARNING,
                         "Waiting is not recorded (off_cpu=true): %s",
                         sample_event_switches_reason(errno));
}

static void begin_wait(CpuSample *state, const Sample *sample)
{
    SampledProcess *process = tasks_process(&state->tasks, (pid_t)sample->pid);
    SampledThread *thread = tasks_thread(&state->tasks, (pid_t)sample->pid, (pid_t)sample->tid);

    if (!process || !thread || process->is_recorded)
        return;
    if (!thread->wait && !(thread->wait = malloc(sizeof *thread->wait)))
        return;
    if (state->unwinder)
        sample = unwinder_chain(state->unwinder, process, sample);
    PendingWait *wait = thread->wait;
    wait->begin = sample->time;
    wait->process = sample->pid;
    wait->is_preempted = 0;
    wait->n = sample->n_addresses < ADDRESSES_MAX ? sample->n_addresses : ADDRESSES_MAX;
    memcpy(wait->addresses, sample->addresses, wait->n * sizeof *wait->addresses);
}

static void end_wait(CpuSample *state, StrobeWriter *writer, const SampledThread *thread,
                     uint64_t end)
{
    const StrobeHost *host = state->host;
    PendingWait *wait = thread->wait;
    const SampledProcess *process = tasks_process(&state->tasks, (pid_t)wait->process);

    if (wait->begin == 0 || end < wait->begin || !process)
        return;
    StrobeStackId stack =
        call_chain_intern(&state->chains, writer, &process->space, wait->addresses, wait->n, NULL);
    StrobeStringId name = host->intern(writer, thread->name, strlen(thread->name));
    struct cpu_sample_wait *record =
        host->reserve(writer, state->wait_kind, thread->track, name, wait->begin, end);
    wait->begin = 0;
    if (!record)
        return;
    *record = (struct cpu_sample_wait){
        .stack = stack, .process = wait->process, .is_preempted = wait->is_preempted != 0};
    host->commit(writer);
}

static void take_switch(CpuSample *state, StrobeWriter *writer, const SwitchEvent *event)
{
    const SampledThread *thread =
        (const SampledThread *)number_table_find(&state->tasks.threads, event->tid);

    if (event->header.size < sizeof *event || !thread || !thread->wait)
        return;
    if (!(event->header.misc & PERF_RECORD_MISC_SWITCH_OUT))
        end_wait(state, writer, thread, event->time);
    else if (event->header.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT)
        thread->wait->is_preempted = 1;
}

void wait_samples_drain(CpuSample *state, uint64_t until)
{
    StrobeWriter *writer = state->host->writer(state->self);
    const struct perf_event_header *event;
    const Sample *sample;

    if (!writer || !state->wait_rings)
        return;
    while ((event = strobe_perf_rings_next(state->wait_rings, until)) != NULL) {
        if (event->type == PERF_RECORD_SAMPLE && (sample = sample_event_read(event)) != NULL)
            begin_wait(state, sample);
        else if (event->type == PERF_RECORD_SWITCH)
            take_switch(state, writer, (const SwitchEvent *)(const void *)event);
    }
}

static int is_there(pid_t pid, uint64_t tid)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/task/%llu", (int)pid, (unsigned long long)tid);
    return access(path, F_OK) == 0;
}

static void end_all(CpuSample *state, StrobeWriter *writer)
{
    const NumberTable *threads = &state->tasks.threads;
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    for (size_t i = 0; i < threads->room; i++) {
        const SampledThread *thread = (const SampledThread *)threads->places[i].value;
        if (!thread || !thread->wait)
            continue;
        if (writer && is_there((pid_t)thread->wait->process, threads->places[i].key))
            end_wait(state, writer, thread,
                     (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec);
        thread->wait->begin = 0;
    }
}

void wait_samples_stop(CpuSample *state)
{
    if (!state->wait_rings)
        return;
    strobe_perf_rings_disable(state->wait_rings);
    wait_samples_drain(state, UINT64_MAX);
    end_all(state, state->host->writer(state->self));
    const uint64_t lost = strobe_perf_rings_lost(state->wait_rings);
    if (lost)
        state->host->lost(state->self, STROBE_LOSS_COLLECTOR_DROPPED, lost);
    strobe_perf_rings_close(state->wait_rings);
    state->wait_rings = NULL;
}
