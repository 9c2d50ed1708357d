/* SPDX-License-Identifier: Apache-2.0 */
#include "cpu_sample.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strobe/kinds.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "timer-samples.h"
#include "wait-samples.h"

/* Size of a ring without its header page. With this page, it is as much memory as each user may
 * lock for each processor. It has room for one second of samples with the deepest stacks. */
#define RING_BYTES (512u << 10)
/* size of a ring with unwind=dwarf, which has room for 256 stack copies of the default size */
#define COPIES_BYTES (2u << 20)
/* `drain_at_once` waits for the kernel for at most WAIT_MS. With timers, it sleeps PAUSE_NS, or
 * IDLE_PAUSE_NS after IDLE_DRAINS calls without a sample. If no interpreter is found in
 * SAMPLES_TO_FIND calls of the sampler, the thread ends. */
#define SAMPLES_TO_FIND 10
#define WAIT_MS 50
#define PAUSE_NS 500000
#define IDLE_PAUSE_NS 2000000
#define IDLE_DRAINS 200

/* ---- events ---- */

static int64_t time_of(CpuSample *state, const Sample *sample)
{
    if (!sample_event_is_cycles(&state->attributes))
        return (int64_t)sample->period;
    return sample_rate_time(&state->rate, sample->processor, sample->tid, sample->time,
                            sample->period);
}

static StrobeStackId intern_stack(CpuSample *state, StrobeWriter *writer, SampledProcess *process,
                                  const Sample *sample)
{
    const PythonCallers *python = python_samples_join(&state->python, process, sample);

    python_samples_report(state->host, state->self, process);
    return call_chain_intern(&state->chains, writer, &process->space, sample->addresses,
                             sample->n_addresses, python);
}

void cpu_sample_take(CpuSample *state, StrobeWriter *writer, const Sample *sample)
{
    const StrobeHost *host = state->host;
    SampledProcess *process = tasks_process(&state->tasks, (pid_t)sample->pid);
    const SampledThread *thread =
        tasks_thread(&state->tasks, (pid_t)sample->pid, (pid_t)sample->tid);

    if (process && process->is_recorded)
        return;
    if (!process || !thread) {
        host->lost(state->self, STROBE_LOSS_COLLECTOR_DROPPED, 1);
        return;
    }
    int64_t time = time_of(state, sample);
    if (state->unwinder)
        sample = unwinder_chain(state->unwinder, process, sample);
    StrobeStackId stack = intern_stack(state, writer, process, sample);
    StrobeStringId name = host->intern(writer, thread->name, strlen(thread->name));
    struct strobe_cpu_sample *record =
        host->reserve(writer, state->kind, thread->track, name, sample->time, 0);
    if (!record)
        return;
    *record = (struct strobe_cpu_sample){
        .time = time,
        .cycles = sample_event_is_cycles(&state->attributes) ? sample->period : STROBE_ABSENT_U64,
        .stack = stack,
        .processor = sample->processor,
        .process = sample->pid,
    };
    host->commit(writer);
}

static void take_lost(CpuSample *state, const struct perf_event_header *event)
{
    uint64_t lost[2]; /* the id of the event, and the number of lost records */

    if (state->attributes.read_format || event->size < sizeof *event + sizeof lost)
        return; /* the number is read from the event itself (PERF_FORMAT_LOST) */
    memcpy(lost, event + 1, sizeof lost);
    state->host->lost(state->self, STROBE_LOSS_COLLECTOR_DROPPED, lost[1]);
}

static void take_task(CpuSample *state, const struct perf_event_header *event)
{
    const TaskEvent *task = (const TaskEvent *)(const void *)event;

    if (event->type == PERF_RECORD_FORK)
        tasks_fork(&state->tasks, (pid_t)task->parent, (pid_t)task->pid);
    else
        tasks_exit(&state->tasks, (pid_t)task->pid);
}

static void take_name(CpuSample *state, const struct perf_event_header *event)
{
    const NameEvent *named = (const NameEvent *)(const void *)event;

    if (event->misc & PERF_RECORD_MISC_COMM_EXEC)
        tasks_exec(&state->tasks, (pid_t)named->pid);
    tasks_rename(&state->tasks, (pid_t)named->pid, (pid_t)named->tid, named->name);
}

static void take_mapping(CpuSample *state, const struct perf_event_header *event)
{
    const MapEvent *map = (const MapEvent *)(const void *)event;

    if (event->misc & PERF_RECORD_MISC_MMAP_DATA) {
        tasks_map_data(&state->tasks, (pid_t)map->pid, map->path);
        return;
    }
    const CodeMapping mapping = sample_event_mapping(map);
    tasks_map(&state->tasks, (pid_t)map->pid, &mapping);
}

static void take_event(CpuSample *state, StrobeWriter *writer,
                       const struct perf_event_header *event)
{
    const Sample *sample;

    switch (event->type) {
    case PERF_RECORD_SAMPLE:
        if ((sample = sample_event_read(event)) != NULL)
            cpu_sample_take(state, writer, sample);
        break;
    case PERF_RECORD_LOST:
        take_lost(state, event);
        break;
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT:
        take_task(state, event);
        break;
    case PERF_RECORD_COMM:
        take_name(state, event);
        break;
    case PERF_RECORD_MMAP2:
        take_mapping(state, event);
        break;
    default:
        break;
    }
}

/* Processes the events up to `until`, and returns their number. */
static int drain_until(CpuSample *state, uint64_t until)
{
    StrobeWriter *writer = state->host->writer(state->self);
    const struct perf_event_header *event;
    int n = 0;

    if (!writer || !state->rings)
        return 0;
    for (; (event = strobe_perf_rings_next(state->rings, until)) != NULL; n++) {
        /* first records the earlier waits, because the event may be the end of the waiting thread's
         * process */
        wait_samples_drain(state, strobe_perf_rings_time(state->rings));
        take_event(state, writer, event);
    }
    wait_samples_drain(state, until);
    return n;
}

/* ---- the collector's calls ---- */

static void cpu_sample_probe(uint32_t question, StrobeProbe *answer)
{
    const SampleWish wish = {.frequency = 1, .has_children = 1};
    struct perf_event_attr attributes;

    (void)question;
    if (sample_event_choose(&attributes, &wish, 0) == 0)
        return;
    answer->available = 0;
    answer->reason = sample_event_reason(errno);
    answer->hint = sample_event_hint(errno);
}

static StrobeStatus fail_sampling(const CpuSample *state, int error)
{
    const char *hint = sample_event_hint(error);

    return state->host->fail(state->self, STROBE_UNAVAILABLE, __FILE__, __LINE__,
                             "Cannot sample the processors: %s%s%s", sample_event_reason(error),
                             hint ? "; " : "", hint ? hint : "");
}

static void cpu_sample_close(void *user)
{
    CpuSample *state = user;

    drain_thread_stop(state->thread);
    strobe_perf_rings_close(state->rings);
    strobe_perf_rings_close(state->wait_rings);
    timer_reader_close(state->timers);
    unwinder_close(state->unwinder);
    tasks_clear(&state->tasks);
    call_chains_clear(&state->chains);
    pthread_mutex_destroy(&state->lock);
    free(state);
}

static int is_chosen(const CpuSample *state, const char *option, const char *text)
{
    return strcmp(state->host->option_text(state->self, option), text) == 0;
}

static int has_timers(const CpuSample *state)
{
    return is_chosen(state, "source", "timer");
}

static StrobeStatus fail_unwinding(const CpuSample *state, const char *reason)
{
    return state->host->fail(state->self, STROBE_UNAVAILABLE, __FILE__, __LINE__,
                             "Cannot unwind stacks (unwind=dwarf): %s; unwind=fp needs no more "
                             "than frame pointers",
                             reason);
}

static StrobeStatus open_unwinder(CpuSample *state)
{
    if (!is_chosen(state, "unwind", "dwarf"))
        return STROBE_OK;
    if (has_timers(state))
        return fail_unwinding(state, "timers (source=timer, where perf is refused) copy no stacks");
    if (!stack_copy_registers())
        return fail_unwinding(state, "not on this machine, but on x86-64 and AArch64");
    state->unwinder = unwinder_open();
    if (state->unwinder)
        return STROBE_OK;
    return fail_unwinding(state, errno == ENOENT ? "Strobe was built without libdw, there is no "
                                                   "cpu_sample-unwind beside cpu_sample.so"
                                                 : strerror(errno));
}

static SampleWish make_wish(const CpuSample *state)
{
    const StrobeHost *host = state->host;
    const char *children = host->option_text(state->self, "children");
    return (SampleWish){
        .frequency = (uint32_t)host->option_int(state->self, "frequency"),
        .has_stacks = !is_chosen(state, "unwind", "none"),
        .has_kernel = host->option_bool(state->self, "kernel"),
        .has_children = strcmp(children, "none") != 0,
        .has_pools = strcmp(children, "unrecorded") == 0,
        .has_wakeups = state->unwinder || host->option_bool(state->self, "python"),
        .registers = state->unwinder ? stack_copy_registers() : 0,
        .stack_bytes = (uint32_t)host->option_int(state->self, "stack_bytes") & ~7u,
        .is_software_only = is_chosen(state, "event", "clock"),
    };
}

static int choose_event(CpuSample *state)
{
    const SampleWish wish = make_wish(state);

    state->rate.nominal_ns = 1000000000u / wish.frequency;
    state->chains.frames_max = wish.has_stacks ? 0 : 1;
    if (has_timers(state)) {
        state->attributes =
            (struct perf_event_attr){.type = PERF_TYPE_SOFTWARE, .exclude_kernel = 1};
        return 0;
    }
    return sample_event_choose(&state->attributes, &wish, state->pid);
}

static StrobeStatus cpu_sample_open(const StrobeHost *host, StrobeInstance *self, void **state_out)
{
    const StrobeTrack track = {
        .struct_size = sizeof track, .type = STROBE_TRACK_PROCESS, .device = -1};
    CpuSample *state = calloc(1, sizeof *state);

    if (!state)
        return host->fail(self, STROBE_ERROR_MEMORY, __FILE__, __LINE__, "No memory");
    state->host = state->tasks.host = state->chains.host = host;
    state->self = state->tasks.self = self;
    state->pid = (pid_t)host->pid(self);
    pthread_mutex_init(&state->lock, NULL);
    StrobeStatus status = host->kind(self, &strobe_kind_cpu_sample, &state->kind);
    if (status == STROBE_OK)
        status = host->kind(self, &strobe_kind_metadata, &state->metadata);
    if (status == STROBE_OK)
        status = host->kind(self, &cpu_sample_kind_wait, &state->wait_kind);
    if (status == STROBE_OK)
        status = open_unwinder(state);
    if (status == STROBE_OK && choose_event(state) != 0)
        status = fail_sampling(state, errno);
    if (status != STROBE_OK) {
        cpu_sample_close(state);
        return status;
    }
    state->track = host->track(self, &track);
    *state_out = state;
    return STROBE_OK;
}

/* Raises the limit of descriptors, because each event needs a descriptor. Only in the writer
 * process, not in the program. */
static void raise_descriptor_limit(const CpuSample *state)
{
    struct rlimit limit;

    if (state->pid == getpid() || getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static StrobeStatus cpu_sample_start(void *user)
{
    CpuSample *state = user;

    python_samples_begin(&state->python, state->host->option_bool(state->self, "python"));
    state->n_samples = 0;
    if (has_timers(state)) {
        const StrobeStatus status = timer_samples_start(state);
        if (status == STROBE_OK && state->host->option_bool(state->self, "off_cpu"))
            state->host->log(state->self, STROBE_LOG_WARNING,
                             "Waiting is not recorded (off_cpu=true): timers (source=timer, where "
                             "perf is refused) run on the processor alone");
        return status;
    }
    raise_descriptor_limit(state);
    state->rings = strobe_perf_rings_open("/proc", state->pid, &state->attributes, 1,
                                          state->unwinder ? COPIES_BYTES : RING_BYTES, UINT32_MAX);
    if (!state->rings)
        return fail_sampling(state, errno);
    SampledProcess *process = tasks_process(&state->tasks, state->pid);
    if (process)
        process->n_threads = strobe_perf_rings_n_threads(state->rings);
    if (state->host->option_bool(state->self, "off_cpu")) {
        const SampleWish wish = make_wish(state);
        wait_samples_start(state, &wish);
    }
    return STROBE_OK;
}

static int is_prepared(CpuSample *state)
{
    return state->attributes.exclude_kernel || call_chains_prepare(&state->chains);
}

static void stop_rings(CpuSample *state)
{
    strobe_perf_rings_disable(state->rings);
    while (!is_prepared(state))
        ;
    drain_until(state, UINT64_MAX);
    wait_samples_stop(state);
    uint64_t lost = state->attributes.read_format ? strobe_perf_rings_lost(state->rings) : 0;
    if (lost)
        state->host->lost(state->self, STROBE_LOSS_COLLECTOR_DROPPED, lost);
    strobe_perf_rings_close(state->rings);
    state->rings = NULL;
    if (state->unwinder && unwinder_failures(state->unwinder))
        state->host->log(state->self, STROBE_LOG_WARNING,
                         "Some stacks have no callers: the process that unwinds stacks "
                         "(cpu_sample-unwind) ended %u times",
                         unwinder_failures(state->unwinder));
}

static StrobeStatus cpu_sample_stop(void *user)
{
    CpuSample *state = user;

    drain_thread_stop(state->thread);
    state->thread = NULL;
    if (state->timers)
        timer_samples_stop(state);
    if (state->rings)
        stop_rings(state);
    python_samples_record(&state->python, state->host, state->self, state->metadata, state->track);
    tasks_forget(&state->tasks);
    return STROBE_OK;
}
/* Records the samples up to `until`, and returns their number. While the kernel's symbols are not
 * completely read, the events stay in the rings. */
static int drain_what_is_there(CpuSample *state, uint64_t until)
{
    int n = 0;

    pthread_mutex_lock(&state->lock);
    if (state->timers)
        n = timer_samples_drain(state);
    else if (is_prepared(state))
        n = drain_until(state, until);
    pthread_mutex_unlock(&state->lock);
    return n;
}

static void wait_for_timers(const CpuSample *state)
{
    const int is_idle = state->n_empty > IDLE_DRAINS;
    const struct timespec pause = {.tv_nsec = is_idle ? IDLE_PAUSE_NS : PAUSE_NS};

    nanosleep(&pause, NULL);
}

/* Records samples as soon as they arrive, so that the sampled thread is probably still in the same
 * Python code. */
static void drain_at_once(void *user)
{
    CpuSample *state = user;

    if (state->timers)
        wait_for_timers(state);
    else
        strobe_perf_rings_wait(state->rings, WAIT_MS);
    state->n_empty = drain_what_is_there(state, UINT64_MAX) ? 0 : state->n_empty + 1;
}

/* Starts or stops `thread`. Starts it at the begin, so that the first samples of a Python program
 * are read in time, and stops it after about a second if there is no Python interpreter. */
static void keep_thread(CpuSample *state)
{
    pthread_mutex_lock(&state->lock);
    const int is_python = state->python.has_found || state->n_samples++ < SAMPLES_TO_FIND;
    pthread_mutex_unlock(&state->lock);
    const int is_sampling = state->rings || state->timers; /* false if starting failed */
    const int is_needed = state->unwinder || (is_python && state->python.is_wanted);

    if (is_needed == (state->thread != NULL) || !is_sampling)
        return;
    if (is_needed) {
        state->thread = drain_thread_start(drain_at_once, state);
        return;
    }
    drain_thread_stop(state->thread);
    state->thread = NULL;
}

static void cpu_sample_sample(void *user)
{
    CpuSample *state = user;

    pthread_mutex_lock(&state->lock);
    if (state->timers)
        timer_samples_look(state);
    pthread_mutex_unlock(&state->lock);
    if (!state->thread)
        drain_what_is_there(state, strobe_perf_settled_ns());
    keep_thread(state);
}

static int64_t cpu_sample_interval(void *user)
{
    const CpuSample *state = user;

    return state->host->option_int(state->self, "interval");
}

const StrobeCollectorOps strobe_cpu_sample_ops = {
    .struct_size = sizeof(StrobeCollectorOps),
    .probe = cpu_sample_probe,
    .open = cpu_sample_open,
    .start = cpu_sample_start,
    .stop = cpu_sample_stop,
    .close = cpu_sample_close,
    .sample = cpu_sample_sample,
    .sample_interval = cpu_sample_interval,
};
