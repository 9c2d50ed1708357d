/* SPDX-License-Identifier: Apache-2.0 */
#include "mspti.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "activities.h"
#include "buffers.h"
#include "npu-clock.h"
#include "npu-drain.h"
#include "npu-environment.h"
#include "npu-metadata.h"
#include "npu-other-profilers.h"
#include "program-exit.h"
#include "quiet-passes.h"
#include "report.h"
#include "subscription.h"

#define PAIR_INTERVAL_NS 1000000000
/* Number of successive passes without a record of the window after which the window is drained. */
#define REPORTED_PASSES 1 /* if every launch has its task */
#define QUIET_PASSES 3    /* if no launch is known */
/* if launches and tasks cannot be matched; a device reports within 1 s, so this wait is longer */
#define AWAIT_PASSES 44
/* a little less than the time for which the host repeats flush */
#define DRAIN_LIMIT_NS 1900000000
#define HANG_NS 1000000000 /* a call that takes longer than this counts as hanging */
#define EARLY_NS 1000000000u
#define RENEW_NS 20000000 /* maximum wait for the library at the begin of a window */

static struct {
    const StrobeHost *host;
    StrobeInstance *self;
    MsptiLibrary library;
    NpuDrain drain;
    NpuClock clock; /* protected by drain.lock */
    NpuSubscription subscription;
    uint32_t wanted; /* requested kinds, as bits */
    /* kinds that the library enabled, as bits; kept after the end of the subscription */
    uint32_t kinds;
    int64_t drain_until_ns;
    NpuQuiet quiet;
    uint64_t passes_before;
    int has_waited; /* a window has waited until the limit for tasks that did not come */
    int is_open;
    uint64_t n_before; /* number of records in earlier sessions */
    int has_reported;  /* the warning that MSPTI reported nothing was logged */
    /* begin of the hanging call that was already reported, for which no later window waits */
    int64_t hung_since_ns;
    int is_forked;
    pthread_mutex_t leaving; /* held during the session's end and during the program's exit */
    /* the library must not be called any more, because the program is exiting */
    _Atomic int is_exiting;
} npu = {.drain = {.lock = PTHREAD_MUTEX_INITIALIZER, .library_lock = PTHREAD_MUTEX_INITIALIZER},
         .leaving = PTHREAD_MUTEX_INITIALIZER};

/* ---- clock ---- */

/* Records a pair of clock readings. The caller must hold drain.lock. Returns the time in the clock
 * of the records. */
static uint64_t record_pair(void)
{
    NpuRecords *records = npu.drain.records;
    NpuInstant read = npu_instant_read();
    NpuInstant instant = npu_clock_take(&npu.clock, &read);
    StrobeWriter *writer = npu.host->writer(npu.self);
    struct strobe_clock_sync *out = NULL;

    if (writer)
        out = npu.host->reserve(writer, records->kinds.pair, records->tracks.clock, 0,
                                (uint64_t)instant.realtime_ns, 0);
    if (!out)
        return (uint64_t)instant.realtime_ns;
    out->device_time = instant.realtime_ns;
    out->host_time = instant.monotonic_ns;
    out->width_ns = instant.width_ns;
    npu.host->commit(writer);
    return (uint64_t)instant.realtime_ns;
}

/* Checks whether the wall clock was set. Is called before a buffer is read. The caller must hold
 * drain.lock. */
static void look_at_clock(void)
{
    if (!npu_clock_has_stepped(&npu.clock))
        return;
    NpuInstant read = npu_instant_read();
    npu_clock_take(&npu.clock, &read);
}

static void npu_sample(void *state)
{
    if (pthread_mutex_trylock(&npu.drain.lock) != 0)
        return; /* not recorded now; the next reading is equally good */
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

/* Runs in a forked child, which has none of the threads and must not use the library. */
static void stop_in_child(void)
{
    npu_buffers_after_fork();
    npu.is_open = 0;
    npu.is_forked = 1;
    pthread_mutex_init(&npu.drain.lock, NULL);
    pthread_mutex_init(&npu.drain.library_lock, NULL);
    pthread_mutex_init(&npu.leaving, NULL);
    npu.drain.phase = NPU_IDLE;
    atomic_store(&npu.drain.is_running, 0);
}

static void leave_library(void);

static void prepare_process(void)
{
    pthread_atfork(NULL, NULL, stop_in_child);
    npu_exit_watch(leave_library);
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

/* Returns whether the collector `marker` records the host's marks: whether it is the tool of mstx
 * and part of the session. If mstx has another tool, MSPTI gets only the marks that this tool
 * passes on, and the function logs a warning. */
static int leaves_host_marks(const StrobeHost *host, StrobeInstance *self)
{
    const char *tool = npu_environment()->mstx_tool;
    const char *slash = tool ? strrchr(tool, '/') : NULL;
    int is_marker = tool && strcmp(slash ? slash + 1 : tool, "marker.so") == 0;

    if (is_marker && host->link_for(self, "marker", 1))
        return 1;
    if (tool && *tool && npu_activities_have(npu.wanted, MSPTI_KIND_MARKER))
        host->log(self, STROBE_LOG_WARNING,
                  "MSTX_INJECTION_PATH=\"%s\" receives the program's marks, and MSPTI receives "
                  "only marks that this tool passes on: marks may be missing; %s",
                  tool,
                  is_marker ? "collect \"marker\" too"
                            : "unset the variable, or collect \"marker\"");
    return 0;
}

static void read_options(const StrobeHost *host, StrobeInstance *self)
{
    NpuRecords *records = npu.drain.records;

    npu.wanted = npu_activities_wanted(host, self);
    npu.drain.flush_interval_ns = host->option_int(self, "flush_interval");
    npu.drain.library = npu.subscription.library = &npu.library;
    npu.drain.clock = &npu.clock;
    npu.drain.look_at_clock = look_at_clock;
    npu.subscription.drain = &npu.drain;
    npu.hung_since_ns = 0;
    npu.has_reported = 0;
    npu.kinds = 0;
    npu.n_before = records->counts.n_reported;
    npu.drain.phase = NPU_IDLE;
    npu.drain.is_hurried = 0;
    records->launches.is_watching = 0;
    records->may_need_preload = !npu.library.is_preloaded && !npu.library.is_enabled;
    records->left_out = npu_activities_needed(npu.wanted) & ~npu.wanted;
    records->leaves_host_marks = leaves_host_marks(host, self);
    NpuInstant read = npu_instant_read(), instant = npu_clock_take(&npu.clock, &read);
    /* a later session keeps the time, because records from an earlier session may still come */
    if (!records->first_time)
        records->first_time = (uint64_t)instant.realtime_ns - EARLY_NS;
}

static StrobeStatus check_process(const StrobeHost *host, StrobeInstance *self)
{
    npu_torch_find();
    const char *reason = npu_other_profiler();

    if (npu.is_forked)
        reason = "this is a forked process, and MSPTI is its parent's";
    else if (npu.is_exiting)
        reason = "the program ends";
    else if (npu_subscription_is_left(&npu.subscription) || atomic_load(&npu.drain.is_running))
        reason = "MSPTI has not come back from a call of an earlier session";
    if (!reason)
        return STROBE_OK;
    return host->fail(self, STROBE_UNAVAILABLE, __FILE__, __LINE__, "Cannot record NPU tasks: %s",
                      reason);
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
    status = npu_subscription_take(&npu.subscription, host, self);
    if (status != STROBE_OK)
        return status;
    if (npu_activities_have(npu.wanted, MSPTI_KIND_MARKER))
        npu_warn_of_lost_marks(host, self);
    npu_buffers_open(1);
    if (npu_drain_start(&npu.drain) != 0) {
        npu_buffers_open(0);
        npu_subscription_give_back(&npu.subscription, host, self);
        return host->fail(self, STROBE_ERROR_MEMORY, __FILE__, __LINE__,
                          "Cannot record NPU tasks: no thread could be started");
    }
    npu.is_open = 1;
    *state = &npu;
    return STROBE_OK;
}

/* ---- windows ---- */

static int has_tasks(void)
{
    return npu_activities_have(npu.kinds, MSPTI_KIND_KERNEL) ||
           npu_activities_have(npu.kinds, MSPTI_KIND_COMMUNICATION);
}

static void watch_launches(void)
{
    NpuLaunches *launches = &npu.drain.records->launches;

    npu_drain_lock(&npu.drain);
    launches->is_watching = has_tasks() && (npu_activities_have(npu.kinds, MSPTI_KIND_NODE_API) ||
                                            npu_activities_have(npu.kinds, MSPTI_KIND_API));
    launches->is_each_sure = !npu.library.is_preloaded;
    npu_drain_unlock(&npu.drain);
}

/* Enables the kinds. They stay enabled between windows, so that MSPTI also reports late records. */
static StrobeStatus npu_warm(void *state)
{
    if (npu.subscription.enabled || npu.is_exiting)
        return STROBE_OK;
    if (npu_drain_hold_library(&npu.drain, NPU_LIBRARY_PATIENCE_NS) != 0)
        return npu.host->fail(npu.self, STROBE_ERROR_STATE, __FILE__, __LINE__,
                              "Cannot record NPU tasks: MSPTI has not come back from a call");
    npu.subscription.enabled = npu_activities_enable(&npu.library, npu.host, npu.self,
                                                     npu_activities_needed(npu.wanted), npu.wanted);
    npu.kinds = npu.subscription.enabled;
    npu_drain_give_library(&npu.drain);
    watch_launches();
    if (npu.subscription.enabled)
        return STROBE_OK;
    return npu.host->fail(npu.self, STROBE_UNAVAILABLE, __FILE__, __LINE__,
                          "Cannot record NPU tasks: MSPTI enables none of the activities");
}

static void record_metadata_entry(const char *key, const char *text)
{
    npu_metadata_entry_record(npu.host, npu.self, npu.drain.records->kinds.metadata, key, text);
}

/* Records in the result which backend and library are used, and which data this backend cannot
 * provide. */
static void record_sources(void)
{
    record_metadata_entry("npu_task.backend",
                          npu.library.is_preloaded ? "mspti, preloaded" : "mspti");
    if (*npu.library.path)
        record_metadata_entry("npu_task.library", npu.library.path);
    record_metadata_entry(
        "npu_task.absent",
        "operator types and shapes, block counts, task ids, metrics of the cores, transfers "
        "of communication operations, memory of modules: only backend=aclprof records these");
}

/* Logs a warning about another client of MSPTI, for example torch_npu's bridge to Kineto, which
 * attaches even if MSPTI has a subscriber. */
static void warn_of_client(uint32_t missing, const char *outcome)
{
    char names[256] = "";

    for (int32_t kind = 1; kind < MSPTI_KINDS; kind++)
        if (npu_activities_have(missing, kind)) {
            size_t length = strlen(names);
            snprintf(names + length, sizeof names - length, "%s%s", length ? ", " : "",
                     npu_activity_name(kind));
        }
    if (missing)
        npu.host->log(npu.self, STROBE_LOG_WARNING,
                      "Another client of MSPTI in this process%s has disabled %s: %s",
                      npu_torch_is_there() ? ", torch_npu's profiler," : "", names, outcome);
}

static void renew_place(void)
{
    if (npu.is_exiting || npu_drain_hold_library(&npu.drain, RENEW_NS) != 0)
        return;
    uint32_t missing = npu_subscription_renew(&npu.subscription);
    npu_drain_give_library(&npu.drain);
    warn_of_client(missing, "this window enables them again");
}

static StrobeStatus npu_start(void *state)
{
    npu_torch_look();
    renew_place();
    const char *other = npu_other_profiler();
    uint64_t before_ns;

    if (other)
        npu.host->log(npu.self, STROBE_LOG_WARNING, "This window may have no NPU tasks: %s", other);
    npu_drain_lock(&npu.drain);
    record_sources();
    /* resets the count of uncertain records from before this window */
    npu_epochs_take_unsure(&npu.clock, &before_ns);
    npu_windows_begin(&npu.drain.records->windows, record_pair());
    npu_launches_begin(&npu.drain.records->launches);
    npu.drain.phase = NPU_RECORDING;
    npu_drain_unlock(&npu.drain);
    npu_exit_watch_again();
    return STROBE_OK;
}

static int64_t monotonic_ns(void)
{
    return npu_instant_read().monotonic_ns;
}

/* Makes the drain thread flush the library at short intervals. The caller must hold drain.lock. */
static void begin_to_await(void)
{
    npu.passes_before = atomic_load(&npu.drain.n_passes);
    npu.quiet = (NpuQuiet){npu.drain.records->counts.n_reported, npu.passes_before};
    npu.drain_until_ns = monotonic_ns() + DRAIN_LIMIT_NS;
    npu.drain.is_hurried = 1;
    npu_buffers_wake();
}

static StrobeStatus npu_stop(void *state)
{
    if (!npu.is_exiting)
        npu_exit_watch_again();
    npu_drain_lock(&npu.drain);
    npu_windows_end(&npu.drain.records->windows, record_pair());
    npu.drain.phase = NPU_DRAINING;
    begin_to_await();
    npu_drain_unlock(&npu.drain);
    return STROBE_OK;
}

/* Returns the number of successive passes without a record after which the wait ends; 0: the wait
 * continues, because a task is known to be missing. If no device has ever reported a task (for
 * example on a chip without such records), only the first window waits. */
static uint64_t passes_needed(void)
{
    const NpuLaunches *launches = &npu.drain.records->launches;
    int is_silent = npu.has_waited && launches->n_tasks == 0;
    int has_strays = launches->n_untracked || (launches->n_uncalled && !launches->first);

    if (!has_tasks())
        return QUIET_PASSES;
    if (launches->n_sure)
        return is_silent ? QUIET_PASSES : 0;
    if (has_strays || (!launches->is_watching && launches->n_tasks))
        return AWAIT_PASSES;
    return launches->first && !launches->n_unsure ? REPORTED_PASSES : QUIET_PASSES;
}

/* Returns whether enough successive passes have brought no record of this window. Passes that
 * brought only records of other windows count. */
static int is_quiet(uint64_t n_passes)
{
    uint64_t needed = passes_needed();
    uint64_t n_quiet = npu_quiet_count(&npu.quiet, npu.drain.records->counts.n_reported, n_passes,
                                       atomic_load(&npu.drain.n_begun));

    /* the first pass may have begun before the window ended */
    return needed && n_quiet >= needed && n_passes >= npu.passes_before + 2;
}

static void seal_window(void)
{
    NpuRecords *records = npu.drain.records;

    npu_emitter_begin(&records->emitter);
    npu_records_end_window(records, records->windows.end);
    npu_emitter_end(&records->emitter);
    record_pair();
    records->counts.n_dropped += atomic_exchange(&npu.drain.n_dropped, 0);
    records->counts.n_awaited = records->launches.n_sure;
    records->counts.n_unplaced = npu_epochs_take_unsure(&npu.clock, &records->counts.unplaced_ns);
    npu.has_waited |= records->launches.n_sure != 0;
    npu_report(records);
    npu_windows_seal(&records->windows);
    npu_launches_end(&records->launches);
    npu.drain.phase = NPU_IDLE;
    npu.drain.is_hurried = 0;
}

/* Returns the time for which the call that hands records over has lasted; 0: it has not lasted
 * longer than usual. */
static int64_t hanging_ns(void)
{
    int64_t asked_ns = atomic_load(&npu.drain.asked_ns);
    int64_t since_ns = asked_ns ? monotonic_ns() - asked_ns : 0;

    return since_ns > HANG_NS ? since_ns : 0;
}

/* Warns if all calls succeeded and no record came: another profiler took CANN's reports, or MSPTI
 * does not know the device. */
static void report_silence(void)
{
    uint32_t kinds = npu.kinds & ~(1u << MSPTI_KIND_MARKER);

    if (npu.has_reported || !kinds || npu.drain.records->counts.n_reported != npu.n_before)
        return;
    npu.has_reported = 1;
    npu.host->log(npu.self, STROBE_LOG_WARNING,
                  "MSPTI has reported nothing: if the program used an NPU, CANN reports to another "
                  "profiler (%s), or MSPTI does not support this device",
                  npu_torch_profiler_runs() ? "torch_npu's is running" : "for example torch_npu's");
}

static void report_missing(void)
{
    if (!hanging_ns())
        warn_of_client(npu_subscription_missing(&npu.subscription),
                       "what the program did after that is not recorded");
}

static void report_client(void)
{
    NpuRecords *records = npu.drain.records;

    records->counts.n_gone += npu_buffers_gone(atomic_load(&npu.drain.answered_ns));
    records->client = npu_torch_is_there() ? ", torch_npu's profiler" : "";
    report_missing(); /* logs nothing if the subscription has ended */
}

static void report_end(int is_drained, int64_t hangs_ns)
{
    report_client();
    if (!hangs_ns && atomic_load(&npu.drain.code) == MSPTI_SUCCESS)
        report_silence();
    npu_report_flush(npu.drain.records, atomic_load(&npu.drain.code), hangs_ns);
    npu.hung_since_ns = hangs_ns ? atomic_load(&npu.drain.asked_ns) : 0;
    if (!is_drained && !hangs_ns && npu.drain.records->launches.n_sure == 0)
        npu.host->log(npu.self, STROBE_LOG_WARNING,
                      "MSPTI still reported records of the window when the time for late records "
                      "was over: records that come now are counted as lost");
}

/* Returns STROBE_OK when the window is sealed, after all records that were delivered before the
 * last pass have been read. */
static StrobeStatus npu_flush(void *state, StrobeTicks deadline)
{
    npu_drain_lock(&npu.drain);
    uint64_t n_passes = atomic_load(&npu.drain.n_passes);
    int64_t hangs_ns = hanging_ns();
    int has_taken = npu_drain_take(&npu.drain);
    int is_drained = has_taken && (npu.is_exiting ? !hangs_ns : is_quiet(n_passes));
    int is_known = hangs_ns && npu.hung_since_ns == atomic_load(&npu.drain.asked_ns);
    int is_over = is_known || npu.is_exiting || monotonic_ns() >= npu.drain_until_ns ||
                  npu.host->now() >= deadline;
    if (is_drained || is_over) {
        report_end(is_drained, is_drained ? 0 : hangs_ns);
        seal_window();
    }
    npu_drain_unlock(&npu.drain);
    npu_buffers_wake();
    return is_drained || is_over ? STROBE_OK : STROBE_AGAIN;
}

/* ---- end ---- */

/* Stops recording for this session, so that no thread uses the host and the instance, which end
 * with the session. A thread that hangs in the library may still use the library, the buffers and
 * `npu`, which last as long as the process. */
static void end_records(void)
{
    atomic_store(&npu.drain.is_ending, 1); /* the thread makes no further call of the library */
    /* waits until the thread no longer uses the records */
    npu_drain_lock(&npu.drain);
    npu.drain.phase = NPU_IDLE;
    npu_drain_unlock(&npu.drain);
}

/* Ends the subscription and the drain thread. Returns -1 if the library does not return from a
 * call. */
static int give_library_back(void)
{
    atomic_store(&npu.drain.is_ending, 1); /* the thread makes no further call of the library */
    int is_left = npu_subscription_give_back(&npu.subscription, npu.host, npu.self) != 0;
    is_left |= npu_drain_end(&npu.drain, !is_left) != 0;
    npu_buffers_open(0);
    return is_left ? -1 : 0;
}

static void close_session(void)
{
    end_records();
    int is_left = npu.is_exiting ? atomic_load(&npu.drain.is_running) : give_library_back() != 0;
    npu.is_open = 0;
    if (is_left)
        return;
    npu_drain_lock(&npu.drain);
    npu_drain_take(&npu.drain);
    npu_report(npu.drain.records);
    npu_drain_unlock(&npu.drain);
}

static void npu_close(void *state)
{
    pthread_mutex_lock(&npu.leaving);
    close_session();
    pthread_mutex_unlock(&npu.leaving);
}

/* ---- the program's exit ---- */

/* Returns whether the window that is open or being drained has all records that are awaited. */
static int has_all(void)
{
    npu_drain_lock(&npu.drain);
    uint64_t n_passes = atomic_load(&npu.drain.n_passes);
    int phase = npu.drain.phase;
    int is_over = phase == NPU_IDLE || hanging_ns() || monotonic_ns() >= npu.drain_until_ns ||
                  (phase == NPU_RECORDING && npu_drain_take(&npu.drain) && is_quiet(n_passes));
    npu_drain_unlock(&npu.drain);
    return is_over;
}

static void await_tasks(void)
{
    const struct timespec nap = {.tv_nsec = 1000000};

    npu_drain_lock(&npu.drain);
    if (npu.drain.phase == NPU_RECORDING)
        begin_to_await();
    npu_drain_unlock(&npu.drain);
    while (!has_all())
        nanosleep(&nap, NULL);
}

/* Ends the subscription at the program's exit. A window that is still open continues without MSPTI:
 * at its end the records that were handed over are read. */
static void leave_library(void)
{
    if (npu.is_forked)
        return;
    pthread_mutex_lock(&npu.leaving);
    if (npu.is_open && !npu.is_exiting) {
        await_tasks();
        report_missing();
        give_library_back();
    }
    npu_drain_lock(&npu.drain);
    npu.is_exiting = 1;
    npu_drain_unlock(&npu.drain);
    pthread_mutex_unlock(&npu.leaving);
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
