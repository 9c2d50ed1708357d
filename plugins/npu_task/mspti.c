/* SPDX-License-Identifier: Apache-2.0 */
#include "mspti.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "activities.h"
#include "buffers.h"
#include "clock.h"
#include "drain.h"
#include "facts.h"
#include "report.h"

#define PAIR_INTERVAL_NS 1000000000
#define QUIET_PASSES 3            /* without a record, and the window is drained */
#define AWAIT_PASSES 44           /* the same where a task is awaited: a device tells within 1 s */
#define DRAIN_LIMIT_NS 1900000000 /* a little less than what the host waits */
#define EARLY_NS 1000000000u

static struct {
    const StrobeHost *host;
    StrobeInstance *self;
    MsptiLibrary library;
    NpuDrain drain;
    NpuClock clock; /* under drain.lock */
    void *subscriber;
    uint32_t wanted, enabled; /* kinds, as bits */
    int64_t drain_until_ns;
    uint64_t last_records, last_passes;
    int n_quiet;
    int is_open;
    int is_hanging; /* the library has not come back from a call */
} npu = {.drain = {.lock = PTHREAD_MUTEX_INITIALIZER, .library_lock = PTHREAD_MUTEX_INITIALIZER}};

/* ---- clock ---- */

/* The lock is held. Returns MSPTI's now. */
static uint64_t record_pair(void)
{
    const NpuRecords *records = npu.drain.records;
    NpuMoment read = npu_moment_read();
    uint64_t before = npu.clock.stepped_ns;
    NpuMoment moment = npu_clock_take(&npu.clock, &read);
    StrobeWriter *writer = npu.host->writer(npu.self);
    struct strobe_clock_sync *out = NULL;

    npu.drain.records->windows.slack_ns += npu.clock.stepped_ns - before;
    if (writer)
        out = npu.host->reserve(writer, records->kinds.pair, records->tracks.clock, 0,
                                (uint64_t)moment.realtime_ns, 0);
    if (!out)
        return (uint64_t)read.realtime_ns;
    out->device_time = moment.realtime_ns;
    out->host_time = moment.monotonic_ns;
    out->width_ns = moment.width_ns;
    npu.host->commit(writer);
    return (uint64_t)read.realtime_ns;
}

static void npu_sample(void *state)
{
    if (pthread_mutex_trylock(&npu.drain.lock) != 0)
        return; /* the next one is as good */
    if (npu.drain.phase == NPU_RECORDING)
        record_pair();
    pthread_mutex_unlock(&npu.drain.lock);
}

static int64_t npu_sample_interval(void *state)
{
    return PAIR_INTERVAL_NS;
}

int npu_mspti_is_open(void)
{
    return npu.is_open;
}

/* ---- open ---- */

/* A child has none of the threads, and is to leave the library alone. */
static void stop_in_child(void)
{
    npu_buffers_after_fork();
    npu.is_open = 0;
    npu.is_hanging = 1;
    pthread_mutex_init(&npu.drain.lock, NULL);
    pthread_mutex_init(&npu.drain.library_lock, NULL);
    npu.drain.phase = NPU_IDLE;
    atomic_store(&npu.drain.is_running, 0);
}

static void prepare_process(void)
{
    pthread_atfork(NULL, NULL, stop_in_child);
}

static StrobeStatus load_library(const StrobeHost *host, StrobeInstance *self)
{
    char text[4096 + 512];

    if (npu.library.flush_all)
        return STROBE_OK;
    const char *reason =
        npu_mspti_load(&npu.library, host->option_text(self, "library"), text, sizeof text);
    if (!reason)
        return STROBE_OK;
    npu.library.flush_all = NULL;
    return host->fail(self, STROBE_UNAVAILABLE, __FILE__, __LINE__, "Cannot record NPU tasks: %s",
                      reason);
}

static StrobeStatus subscribe(const StrobeHost *host, StrobeInstance *self)
{
    int32_t code = npu.library.subscribe(&npu.subscriber, NULL, NULL);

    if (code != MSPTI_SUCCESS)
        return host->fail(self, STROBE_UNAVAILABLE, __FILE__, __LINE__,
                          "Cannot record NPU tasks: MSPTI takes no subscriber: code=%d, "
                          "reason=\"%s\"",
                          code, npu_mspti_error(code));
    code = npu.library.register_callbacks(npu_buffers_request, npu_buffers_complete);
    if (code == MSPTI_SUCCESS)
        return STROBE_OK;
    npu.library.unsubscribe(npu.subscriber);
    return host->fail(self, STROBE_UNAVAILABLE, __FILE__, __LINE__,
                      "Cannot record NPU tasks: MSPTI takes no callbacks: code=%d, reason=\"%s\"",
                      code, npu_mspti_error(code));
}

static StrobeStatus make_room(const StrobeHost *host, StrobeInstance *self)
{
    uint32_t n = (uint32_t)host->option_int(self, "buffers");
    size_t bytes = (size_t)host->option_int(self, "buffer_size") & ~(size_t)7;

    if (!npu.drain.records)
        npu.drain.records = calloc(1, sizeof *npu.drain.records);
    if (npu.drain.records && npu_buffers_make(n, bytes) == 0)
        return npu_records_open(npu.drain.records, host, self);
    return host->fail(self, STROBE_ERROR_MEMORY, __FILE__, __LINE__,
                      "Cannot record NPU tasks: no memory for %u buffers of %zu bytes", n, bytes);
}

/* The collector marker gets host marks first hand where it is the tool of mstx, and takes part.
 * Where another tool has mstx nobody may get them, and MSPTI at most what that hands on. */
static int leaves_host_marks(const StrobeHost *host, StrobeInstance *self)
{
    const char *tool = getenv("MSTX_INJECTION_PATH");
    const char *slash = tool ? strrchr(tool, '/') : NULL;
    int is_marker = tool && strcmp(slash ? slash + 1 : tool, "marker.so") == 0;

    if (is_marker && host->link_for(self, "marker", 1))
        return 1;
    if (tool && *tool && npu_activities_have(npu.wanted, MSPTI_KIND_MARKER))
        host->log(
            self, STROBE_LOG_WARNING,
            "MSTX_INJECTION_PATH=\"%s\" has the program's marks, and MSPTI only those that it "
            "hands on: marks may be missing; %s",
            tool,
            is_marker ? "collect \"marker\" too"
                      : "unset the variable, or collect \"marker\" in its place");
    return 0;
}

static void read_options(const StrobeHost *host, StrobeInstance *self)
{
    NpuRecords *records = npu.drain.records;

    npu.wanted = npu_activities_wanted(host, self);
    npu.enabled = 0;
    npu.drain.flush_interval_ns = host->option_int(self, "flush_interval");
    npu.drain.library = &npu.library;
    npu.drain.phase = NPU_IDLE;
    records->leaves_host_marks = leaves_host_marks(host, self);
    records->first_time = (uint64_t)npu_moment_read().realtime_ns - EARLY_NS;
    memset(&npu.clock, 0, sizeof npu.clock);
}

static StrobeStatus check_process(const StrobeHost *host, StrobeInstance *self)
{
    if (npu.is_hanging)
        return host->fail(self, STROBE_UNAVAILABLE, __FILE__, __LINE__,
                          "Cannot record NPU tasks: MSPTI has not come back from an earlier call, "
                          "or this is a forked process");
    return STROBE_OK;
}

static StrobeStatus npu_open(const StrobeHost *host, StrobeInstance *self, void **state)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    StrobeStatus status = check_process(host, self);

    if (status != STROBE_OK)
        return status;
    if (!*host->option_text(self, "library") && !npu_mspti_is_wanted())
        return STROBE_AGAIN;
    status = load_library(host, self);
    if (status == STROBE_OK)
        status = make_room(host, self);
    if (status != STROBE_OK)
        return status;
    pthread_once(&once, prepare_process);
    npu.host = host;
    npu.self = self;
    read_options(host, self);
    status = subscribe(host, self);
    if (status != STROBE_OK)
        return status;
    npu_buffers_open(1);
    if (npu_drain_start(&npu.drain) != 0) {
        npu_buffers_open(0);
        npu.library.unsubscribe(npu.subscriber);
        return host->fail(self, STROBE_ERROR_MEMORY, __FILE__, __LINE__,
                          "Cannot record NPU tasks: there is no thread to be had");
    }
    npu.is_open = 1;
    *state = &npu;
    return STROBE_OK;
}

/* ---- windows ---- */

/* They stay enabled between windows: what is told late is told. */
static StrobeStatus npu_warm(void *state)
{
    if (npu.enabled)
        return STROBE_OK;
    if (npu_drain_hold_library(&npu.drain) != 0)
        return npu.host->fail(npu.self, STROBE_ERROR_STATE, __FILE__, __LINE__,
                              "Cannot record NPU tasks: MSPTI has not come back from a call");
    npu.enabled = npu_activities_enable(&npu.library, npu.host, npu.self, npu.wanted);
    npu_drain_give_library(&npu.drain);
    if (npu.enabled)
        return STROBE_OK;
    return npu.host->fail(npu.self, STROBE_UNAVAILABLE, __FILE__, __LINE__,
                          "Cannot record NPU tasks: MSPTI enables none of the activities");
}

static void record_fact(const char *key, const char *text)
{
    npu_fact_record(npu.host, npu.self, npu.drain.records->kinds.metadata, key, text);
}

/* What this backend cannot know is absent from the result: it says why. */
static void record_sources(void)
{
    record_fact("npu_task.backend", npu.library.is_preloaded ? "mspti, preloaded" : "mspti");
    if (*npu.library.path)
        record_fact("npu_task.library", npu.library.path);
    record_fact(
        "npu_task.absent",
        "operator types and shapes, block counts, task ids, metrics of the cores, transfers "
        "of communication operations, memory of modules: only backend=aclprof tells these");
}

static StrobeStatus npu_start(void *state)
{
    npu_drain_lock(&npu.drain);
    record_sources();
    npu_windows_begin(&npu.drain.records->windows, record_pair());
    npu.drain.phase = NPU_RECORDING;
    npu_drain_unlock(&npu.drain);
    return STROBE_OK;
}

static int64_t monotonic_ns(void)
{
    return npu_moment_read().monotonic_ns;
}

static StrobeStatus npu_stop(void *state)
{
    npu_drain_lock(&npu.drain);
    npu_windows_end(&npu.drain.records->windows, record_pair());
    npu.drain.phase = NPU_DRAINING;
    npu.n_quiet = -1; /* a pass may be under way */
    npu.last_passes = atomic_load(&npu.drain.n_passes);
    npu.last_records = npu.drain.records->counts.n_records;
    npu.drain_until_ns = monotonic_ns() + DRAIN_LIMIT_NS;
    npu_drain_unlock(&npu.drain);
    npu_buffers_wake();
    return STROBE_OK;
}

/* Some passes in a row brought nothing. */
static int is_quiet(void)
{
    uint64_t n_passes = atomic_load(&npu.drain.n_passes);
    uint64_t n_records = npu.drain.records->counts.n_records;

    if (n_records != npu.last_records)
        npu.n_quiet = 0;
    else
        npu.n_quiet += (int)(n_passes - npu.last_passes);
    npu.last_records = n_records;
    npu.last_passes = n_passes;
    int is_awaiting = npu_activities_have(npu.enabled, MSPTI_KIND_KERNEL) &&
                      npu_records_are_awaited(npu.drain.records);
    return npu.n_quiet >= (is_awaiting ? AWAIT_PASSES : QUIET_PASSES);
}

static void seal(void)
{
    NpuRecords *records = npu.drain.records;

    npu_emitter_begin(&records->emitter);
    npu_records_end_window(records, records->windows.end);
    npu_emitter_end(&records->emitter);
    record_pair();
    npu_report(records);
    npu_windows_seal(&records->windows);
    npu.drain.phase = NPU_IDLE;
}

static StrobeStatus npu_flush(void *state, StrobeTicks deadline)
{
    npu_drain_lock(&npu.drain);
    npu_drain_take(&npu.drain);
    int is_drained = is_quiet();
    int is_over = monotonic_ns() >= npu.drain_until_ns || npu.host->now() >= deadline;
    if (is_drained || is_over)
        seal();
    npu_drain_unlock(&npu.drain);
    npu_buffers_wake();
    if (!is_drained && is_over)
        npu.host->log(npu.self, STROBE_LOG_WARNING,
                      "MSPTI still told records when the time for late ones was over: those that "
                      "come now are counted as lost");
    return is_drained || is_over ? STROBE_OK : STROBE_AGAIN;
}

/* ---- end ---- */

static void npu_close(void *state)
{
    npu.is_hanging = npu_drain_hold_library(&npu.drain) != 0;
    if (!npu.is_hanging) {
        npu_activities_disable(&npu.library, npu.enabled);
        npu.library.unsubscribe(npu.subscriber);
        npu.library.flush_all(1);
        npu_drain_give_library(&npu.drain);
    }
    if (npu_drain_end(&npu.drain, !npu.is_hanging) != 0)
        npu.is_hanging = 1;
    npu_buffers_open(0);
    npu.is_open = 0;
    if (npu.is_hanging) {
        npu.host->log(npu.self, STROBE_LOG_WARNING,
                      "MSPTI does not come back from a call: it is left as it is");
        return;
    }
    npu_drain_lock(&npu.drain);
    npu.drain.phase = NPU_IDLE;
    npu_drain_take(&npu.drain);
    npu_report(npu.drain.records);
    npu_drain_unlock(&npu.drain);
}

const StrobeCollectorOps npu_mspti_ops = {
    .struct_size = sizeof(StrobeCollectorOps),
    .open = npu_open,
    .warm = npu_warm,
    .start = npu_start,
    .stop = npu_stop,
    .flush = npu_flush,
    .close = npu_close,
    .sample = npu_sample,
    .sample_interval = npu_sample_interval,
};
