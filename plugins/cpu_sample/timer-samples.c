/* SPDX-License-Identifier: Apache-2.0 */
#include "timer-samples.h"

#include <string.h>

/* Records a sample of a timer. Timers do not report new mappings, so if the innermost address is in
 * no known mapping, first reads the mappings again. */
static void take_timer_sample(CpuSample *state, StrobeWriter *writer, const Sample *sample)
{
    const pid_t pid = (pid_t)sample->pid;
    const SampledProcess *process = tasks_process(&state->tasks, pid);

    if (process && sample->n_addresses &&
        !address_space_find(&process->space, sample->addresses[0]))
        tasks_refresh(&state->tasks, pid, state->n_drains);
    cpu_sample_take(state, writer, sample);
}

int timer_samples_drain(CpuSample *state)
{
    StrobeWriter *writer = state->host->writer(state->self);
    const Sample *sample;
    int n = 0;

    if (!writer)
        return 0;
    timer_reader_begin(state->timers);
    for (; (sample = timer_reader_next(state->timers)) != NULL; n++)
        take_timer_sample(state, writer, sample);
    return n;
}

void timer_samples_look(CpuSample *state)
{
    state->n_drains++;
    timer_reader_look(state->timers);
    timer_samples_drain(state);
}

StrobeStatus timer_samples_start(CpuSample *state)
{
    const StrobeHost *host = state->host;
    const int has_children = strcmp(host->option_text(state->self, "children"), "all") == 0;
    const uint64_t interval = 1000000000u / (uint64_t)host->option_int(state->self, "frequency");

    state->timers = timer_reader_open("/proc", state->pid, interval, has_children);
    if (state->timers)
        return STROBE_OK;
    return host->fail(state->self, STROBE_UNAVAILABLE, __FILE__, __LINE__,
                      "The program has no timers: it was not started by strobe run, is linked "
                      "statically or handles SIGPROF itself");
}

void timer_samples_stop(CpuSample *state)
{
    const StrobeHost *host = state->host;

    timer_samples_look(state);
    uint64_t lost = timer_reader_lost(state->timers);
    if (lost)
        host->lost(state->self, STROBE_LOSS_COLLECTOR_DROPPED, lost);
    if (timer_reader_is_taken(state->timers))
        host->log(
            state->self, STROBE_LOG_WARNING,
            "The program has set its own handler for SIGPROF: it is not sampled from then on");
    timer_reader_close(state->timers);
    state->timers = NULL;
}
