/* SPDX-License-Identifier: Apache-2.0 */
#include "fake.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strobe/helpers/thread.h>
#include <time.h>

#include "fake-kinds.h"
#include "fake-source.h"

#define THREADS_MAX 64
#define FLUSH_SOURCE (THREADS_MAX + 1) /* number of the source of late records */

typedef struct Fake {
    FakeSettings settings;
    const char *fail; /* name of the call that must fail */
    int64_t n_records, n_threads, n_late, n_lost, n_unfinished;
    int64_t sample_ns, busy_ns, drain_ns;
    struct timespec stopped;
    uint64_t window;
    uint64_t began, ended; /* begin and end of the window, in the clock of the records */
    int is_late_half;      /* the first half of the late records was emitted */
    int64_t n_samples;

    _Atomic int is_stopping;
    int64_t n_running;
    pthread_t threads[THREADS_MAX];
    FakeSource sources[THREADS_MAX];
} Fake;

/* cpu_op with an additional field. It is static because the host keeps a pointer to it. */
static StrobeKind extended_cpu_op;
static StrobeField extended_fields[STROBE_KIND_FIELDS_MAX];

/* Number of times that open has returned AGAIN since its last success. */
static _Atomic int64_t n_refusals;

static const StrobeKind *const emitted_kinds[FAKE_N_KINDS] = {
    [FAKE_STEP] = &strobe_kind_step,
    [FAKE_CPU_OP] = &extended_cpu_op,
    [FAKE_GC] = &strobe_kind_gc,
    [FAKE_MARKER] = &strobe_kind_marker,
    [FAKE_MARKER_INSTANT] = &strobe_kind_marker_instant,
    [FAKE_COUNTER] = &strobe_kind_counter,
    [FAKE_HOST_CPU] = &strobe_kind_host_cpu,
    [FAKE_HOST_MEM] = &strobe_kind_host_mem,
    [FAKE_METADATA] = &strobe_kind_metadata,
    [FAKE_LOSS] = &strobe_kind_loss,
    [FAKE_COLLECTOR_CALL] = &strobe_kind_collector_call,
    [FAKE_DIAGNOSTIC] = &strobe_kind_diagnostic,
    [FAKE_PULSE] = &fake_kind_pulse,
    [FAKE_BLOCK] = &fake_kind_block,
    [FAKE_PAIR] = &fake_kind_pair,
};

static StrobeStatus fail_in(const StrobeHost *host, StrobeInstance *self, const char *call)
{
    if (strcmp(host->option_text(self, "fail"), call) != 0)
        return STROBE_OK;
    return host->fail(self, STROBE_ERROR_FAILED, __FILE__, __LINE__,
                      "Simulated failure: call=\"%s\"", call);
}

static StrobeStatus declare_kinds(FakeSettings *settings)
{
    const StrobeHost *host = settings->host;
    fake_extend_cpu_op(&extended_cpu_op, extended_fields);
    settings->extra_offset = strobe_kind_offset(&extended_cpu_op, extended_cpu_op.n_fields - 1);
    for (int i = 0; i < FAKE_N_KINDS; i++) {
        if (!settings->is_all && i != FAKE_MARKER && i != FAKE_COUNTER)
            continue;
        StrobeStatus status = host->kind(settings->self, emitted_kinds[i], &settings->kinds[i]);
        if (status != STROBE_OK)
            return status;
    }
    return STROBE_OK;
}

static uint32_t clock_of(const char *name)
{
    return strcmp(name, "monotonic") == 0  ? STROBE_CLOCK_MONOTONIC
           : strcmp(name, "realtime") == 0 ? STROBE_CLOCK_REALTIME
                                           : STROBE_CLOCK_HOST;
}

static void read_settings(FakeSettings *settings)
{
    const StrobeHost *host = settings->host;
    StrobeInstance *self = settings->self;
    settings->seed = host->option_int(self, "seed");
    settings->depth = host->option_int(self, "depth");
    settings->interval_ns = host->option_int(self, "interval");
    settings->is_hostile = strcmp(host->option_text(self, "names"), "hostile") == 0;
    settings->is_all = strcmp(host->option_text(self, "kind"), "all") == 0;
    settings->is_bulk = host->option_bool(self, "bulk");
    settings->clock = clock_of(host->option_text(self, "clock"));
    if (host->option_bool(self, "track")) {
        StrobeTrack track = {.struct_size = sizeof track,
                             .type = STROBE_TRACK_STREAM,
                             .clock = settings->clock,
                             .device = 0,
                             .id = 7,
                             .name = "fake stream",
                             .group = "Fake Device"};
        settings->track = host->track(self, &track);
    }
}

static void read_options(Fake *fake)
{
    const StrobeHost *host = fake->settings.host;
    StrobeInstance *self = fake->settings.self;
    fake->n_records = host->option_int(self, "records");
    fake->n_threads = host->option_int(self, "threads");
    fake->n_late = host->option_int(self, "late");
    fake->n_lost = host->option_int(self, "loss");
    fake->n_unfinished = host->option_int(self, "unfinished");
    fake->sample_ns = host->option_int(self, "sample");
    fake->busy_ns = host->option_int(self, "busy");
    fake->drain_ns = host->option_int(self, "drain");
}

static void pause_for(int64_t ns)
{
    const struct timespec pause = {ns / 1000000000, (long)(ns % 1000000000)};

    if (ns > 0)
        nanosleep(&pause, NULL);
}

static StrobeStatus fake_open(const StrobeHost *host, StrobeInstance *self, void **state)
{
    if (atomic_load(&n_refusals) < host->option_int(self, "again")) {
        atomic_fetch_add(&n_refusals, 1);
        return STROBE_AGAIN;
    }
    atomic_store(&n_refusals, 0);
    pause_for(host->option_int(self, "opening"));
    StrobeStatus status = fail_in(host, self, "open");
    if (status != STROBE_OK)
        return status;
    Fake *fake = calloc(1, sizeof *fake);
    if (!fake)
        return host->fail(self, STROBE_ERROR_MEMORY, __FILE__, __LINE__,
                          "Cannot simulate: no memory");
    fake->settings.host = host;
    fake->settings.self = self;
    read_settings(&fake->settings);
    read_options(fake);
    status = declare_kinds(&fake->settings);
    if (status != STROBE_OK) {
        free(fake);
        return status;
    }
    *state = fake;
    return STROBE_OK;
}

static StrobeStatus fake_warm(void *state)
{
    Fake *fake = state;
    return fail_in(fake->settings.host, fake->settings.self, "warm");
}

static void *run_thread(void *user)
{
    fake_source_run(user);
    return NULL;
}

/* Prepares a source. The window's records are divided equally among the sources; the first sources
 * get the remainder. */
static void prepare_source(Fake *fake, int64_t index, int64_t n_sources)
{
    FakeSource *source = &fake->sources[index];
    source->settings = &fake->settings;
    source->window = fake->window;
    source->number = (uint64_t)(fake->n_threads ? index + 1 : 0);
    source->n_records = fake->n_records / n_sources + (index < fake->n_records % n_sources);
    source->n_unfinished = index == 0 ? fake->n_unfinished : 0;
    source->is_stopping = &fake->is_stopping;
}

static void join_threads(Fake *fake)
{
    atomic_store(&fake->is_stopping, 1);
    while (fake->n_running > 0)
        pthread_join(fake->threads[--fake->n_running], NULL);
}

static StrobeStatus start_threads(Fake *fake)
{
    const FakeSettings *settings = &fake->settings;
    for (int64_t i = 0; i < fake->n_threads; i++) {
        prepare_source(fake, i, fake->n_threads);
        int error = strobe_thread_start(&fake->threads[i], run_thread, &fake->sources[i]);
        if (error) {
            join_threads(fake);
            return settings->host->fail(settings->self, STROBE_ERROR_FAILED, __FILE__, __LINE__,
                                        "Cannot start thread %d: %s", (int)i, strerror(error));
        }
        pthread_setname_np(fake->threads[i], "strobe-fake");
        fake->n_running++;
    }
    return STROBE_OK;
}

static uint64_t own_now(const Fake *fake)
{
    const FakeSettings *settings = &fake->settings;
    return fake_clock_now(settings->host, settings->track ? settings->clock : STROBE_CLOCK_HOST);
}

static StrobeStatus fake_start(void *state)
{
    Fake *fake = state;
    StrobeStatus status = fail_in(fake->settings.host, fake->settings.self, "start");
    if (status != STROBE_OK)
        return status;
    fake->window++;
    fake->began = own_now(fake);
    fake->is_late_half = 0;
    fake->n_samples = 0;
    atomic_store(&fake->is_stopping, 0);
    if (fake->n_threads > 0) {
        status = start_threads(fake);
        /* if there are no pauses, all records must be in the window, even if the window is very
         * short */
        if (status == STROBE_OK && fake->settings.interval_ns == 0)
            join_threads(fake);
        return status;
    }
    /* if there are no threads, this thread records, without pauses, so that the program does not
     * wait */
    atomic_store(&fake->is_stopping, 1);
    prepare_source(fake, 0, 1);
    fake_source_run(&fake->sources[0]);
    return STROBE_OK;
}

static StrobeStatus fake_stop(void *state)
{
    Fake *fake = state;
    join_threads(fake);
    fake->ended = own_now(fake);
    clock_gettime(CLOCK_MONOTONIC, &fake->stopped);
    if (fake->n_lost > 0)
        fake->settings.host->lost(fake->settings.self, STROBE_LOSS_COLLECTOR_DROPPED,
                                  (uint64_t)fake->n_lost);
    return fail_in(fake->settings.host, fake->settings.self, "stop");
}

/* Returns whether the late records are still held back, as if a device reported late. */
static int is_holding_back(const Fake *fake)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec - fake->stopped.tv_sec) * 1000000000 + now.tv_nsec - fake->stopped.tv_nsec <
           fake->drain_ns;
}

/* Emits half of the late records in each of two calls, so that the host must call it again. */
static StrobeStatus fake_flush(void *state, StrobeTicks deadline)
{
    Fake *fake = state;
    StrobeStatus status = fail_in(fake->settings.host, fake->settings.self, "flush");
    if (status == STROBE_OK && fake->is_late_half + (fake->n_late == 0) > 0 &&
        is_holding_back(fake))
        return STROBE_AGAIN;
    if (status != STROBE_OK || fake->n_late == 0)
        return status;
    int64_t half = fake->n_late / 2;
    FakeSource source = {.settings = &fake->settings,
                         .window = fake->window,
                         .number = FLUSH_SOURCE + (uint64_t)fake->is_late_half,
                         .begin = fake->began,
                         .end = fake->ended,
                         .n_records = fake->is_late_half ? fake->n_late - half : half};
    fake_source_run(&source);
    fake->is_late_half = !fake->is_late_half;
    return fake->is_late_half ? STROBE_AGAIN : STROBE_OK;
}

static void fake_sample(void *state)
{
    Fake *fake = state;
    const StrobeHost *host = fake->settings.host;
    StrobeWriter *writer = host->writer(fake->settings.self);
    if (!writer)
        return;
    StrobeStringId name = host->intern(writer, "fake.sample", 11);
    StrobeKindId kind = fake->settings.kinds[FAKE_COUNTER];
    struct strobe_counter *record =
        kind ? host->reserve(writer, kind, 0, name, host->now(), 0) : NULL;
    if (record) {
        record->value = (double)fake->n_samples++;
        host->commit(writer);
    }
    pause_for(fake->busy_ns);
}

static int64_t fake_sample_interval(void *state)
{
    const Fake *fake = state;
    return fake->sample_ns;
}

static void fake_cool(void *state)
{
    Fake *fake = state;
    fake->settings.host->log(fake->settings.self, STROBE_LOG_DEBUG, "cool after window %llu",
                             (unsigned long long)fake->window);
}

static void fake_close(void *state)
{
    Fake *fake = state;
    join_threads(fake);
    free(fake);
}

const StrobeCollectorOps strobe_fake_ops = {
    .struct_size = sizeof(StrobeCollectorOps),
    .open = fake_open,
    .warm = fake_warm,
    .start = fake_start,
    .stop = fake_stop,
    .flush = fake_flush,
    .cool = fake_cool,
    .close = fake_close,
    .sample = fake_sample,
    .sample_interval = fake_sample_interval,
};
