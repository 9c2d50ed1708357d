/* SPDX-License-Identifier: Apache-2.0 */
#include "aclprof.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strobe/kinds.h>
#include <time.h>

#include "aclprof-config.h"
#include "aclprof-library.h"
#include "bounded-call.h"
#include "npu-metadata.h"
#include "mspti.h"
#include "npu-other-profilers.h"
#include "prof-folders.h"

/* time between two attempts to begin, until the program has initialised AscendCL */
#define RETRY_INTERVAL_NS 20000000

#define ASK_LIMIT_NS 1900000000 /* a little less than the time for which the host repeats flush */
/* maximum wait for the end. CANN writes its records while it stops, so a shorter wait could lose
 * the window. */
#define END_PATIENCE_NS 30000000000

/* States of the window. */
enum { IDLE, AWAITING, RUNNING, ENDING };

static struct {
    const StrobeHost *host;
    StrobeInstance *self;
    AclprofLibrary library;
    AclprofWish wish;
    /* the config that was passed to aclprofStart; aclprofStop accepts no other */
    AclprofConfig *config;
    ProfFolders folders; /* the folders PROF_* of this window */
    StrobeKindId metadata;
    /* held during each call of the library, which allows only one call at a time */
    pthread_mutex_t lock;
    int phase;
    StrobeStatus late; /* result of a begin in prof_sample */
    NpuCall end;
    AclprofConfig *ended; /* the config that call_end uses, which may outlive the window */
    int32_t codes[3];     /* results of the three calls in call_end, in their order */
    int64_t ask_until_ns;
    int is_forked;
} prof = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- open ---- */

static void stop_in_child(void)
{
    prof.is_forked = 1;
    prof.phase = IDLE;
    pthread_mutex_init(&prof.lock, NULL);
}

static void prepare_process(void)
{
    pthread_atfork(NULL, NULL, stop_in_child);
}

static StrobeStatus refuse_recording(const StrobeHost *host, StrobeInstance *self,
                                     const char *reason)
{
    return host->fail(self, STROBE_UNAVAILABLE, __FILE__, __LINE__,
                      "Cannot record NPU tasks by aclprof: %s", reason);
}

/* Returns whether a thread still makes the calls that end an earlier window. */
static int is_left(void)
{
    return prof.end.run && !npu_call_is_over(&prof.end);
}

/* Returns the reason why the plugin must not record, for example another profiler; NULL: there is
 * none. If two profilers run at the same time, one ends the other's data, or both end the
 * program. */
static const char *find_obstacle(void)
{
    npu_torch_find();
    const char *other = npu_other_profiler();

    if (other)
        return other;
    if (npu_mspti_is_open())
        return "MSPTI is subscribed in this process, and CANN reports either to MSPTI or to "
               "aclprof";
    if (prof.is_forked)
        return "this is a forked process";
    return is_left() ? "aclprof has not come back from ending an earlier window" : NULL;
}

static StrobeStatus prof_open(const StrobeHost *host, StrobeInstance *self, void **state)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const char *given = host->option_text(self, "library"), *reason = find_obstacle();
    char text[4096 + 512];

    if (reason)
        return refuse_recording(host, self, reason);
    if (!*given && !npu_aclprof_is_wanted())
        return STROBE_AGAIN;
    reason = npu_aclprof_load(&prof.library, given, text, sizeof text);
    if (reason)
        return refuse_recording(host, self, reason);
    pthread_once(&once, prepare_process);
    prof.host = host;
    prof.self = self;
    prof.phase = IDLE;
    prof.config = NULL;
    npu_aclprof_wish(host, self, &prof.wish);
    *state = &prof;
    return host->kind(self, &strobe_kind_metadata, &prof.metadata);
}

/* ---- begin of a window ---- */

static StrobeStatus fail_call(const char *call, int32_t code)
{
    return prof.host->fail(prof.self, STROBE_ERROR_FAILED, __FILE__, __LINE__,
                           "Cannot record NPU tasks: %s: code=%d, reason=\"%s\"", call, code,
                           npu_aclprof_error(code));
}

static void record_metadata_entry(const char *key, const char *text)
{
    npu_metadata_entry_record(prof.host, prof.self, prof.metadata, key, text);
}

static void record_folder(const char *name)
{
    record_metadata_entry(STROBE_METADATA_EXTERNAL, name);
}

/* Sets `devices` to the device of the calling thread, which is a thread of the program. If the
 * thread has no device, sets it to all devices; CANN then records only the devices that the program
 * opens. Returns the number of devices; 0: no device is known yet. */
static uint32_t find_devices(uint32_t devices[ACLPROF_DEVICES_MAX], const char **whose)
{
    uint32_t n = 0;
    int32_t current;

    *whose =
        "the device of the thread that began the window: the program's work on other devices is "
        "not recorded";
    if (prof.library.device && prof.library.device(&current) == ACLPROF_SUCCESS && current >= 0) {
        devices[0] = (uint32_t)current;
        return 1;
    }
    *whose =
        "all devices that AscendCL reports, of which CANN records the ones that the program opens";
    if (!prof.library.device_count || prof.library.device_count(&n) != ACLPROF_SUCCESS)
        return 0;
    if (n > ACLPROF_DEVICES_MAX)
        n = ACLPROF_DEVICES_MAX;
    for (uint32_t i = 0; i < n; i++)
        devices[i] = i;
    return n;
}

/* Applies all settings. If this CANN or this device does not know a setting, the window is recorded
 * without that setting. */
static void set_all(void)
{
    for (uint32_t i = 0; i < prof.wish.n_settings; i++) {
        const char *text = prof.wish.settings[i].text;
        int32_t code = prof.library.set_config(prof.wish.settings[i].type, text, strlen(text));
        if (code != ACLPROF_SUCCESS)
            prof.host->log(prof.self, STROBE_LOG_WARNING,
                           "aclprofSetConfig does not take %d=\"%s\": code=%d, reason=\"%s\"",
                           prof.wish.settings[i].type, text, code, npu_aclprof_error(code));
    }
}

static void record_devices(const uint32_t *devices, uint32_t n, const char *whose)
{
    char text[ACLPROF_DEVICES_MAX * 12 + 160];
    size_t at = 0;

    for (uint32_t i = 0; i < n && at < sizeof text; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%u", i ? "," : "", devices[i]);
    if (at < sizeof text)
        snprintf(text + at, sizeof text - at, ": %s", whose);
    record_metadata_entry("npu_task.devices", text);
}

static void record_sources(void)
{
    char text[64];

    record_metadata_entry("npu_task.backend", "aclprof");
    record_metadata_entry("npu_task.library", prof.library.path);
    snprintf(text, sizeof text, "mask=0x%" PRIx64 ", metrics=%d", prof.wish.mask,
             prof.wish.metrics);
    record_metadata_entry("npu_task.aclprof", text);
    record_metadata_entry("npu_task.absent",
                          "the devices' activities are in the folders of external_data, and also "
                          "in this result if CANN's msprof has exported these folders");
}

/* Creates the configuration. An older CANN or a device may not support shapes without the rest of
 * Level1, or the metrics MemoryAccess. If the first attempt fails, tries again without the shapes,
 * and with PipeUtilization in place of MemoryAccess. */
static void create_config(uint32_t *devices, uint32_t n)
{
    const AclprofWish *wish = &prof.wish;
    uint64_t mask = wish->mask & ~ACLPROF_AICORE_SHAPE;
    int32_t metrics =
        wish->metrics == ACLPROF_MEMORY_ACCESS ? ACLPROF_PIPE_UTILIZATION : wish->metrics;

    prof.config = prof.library.create_config(devices, n, wish->metrics, NULL, wish->mask);
    if (prof.config || (mask == wish->mask && metrics == wish->metrics))
        return;
    prof.config = prof.library.create_config(devices, n, metrics, NULL, mask);
    if (prof.config && mask != wish->mask)
        prof.host->log(prof.self, STROBE_LOG_WARNING,
                       "Shapes are not recorded: this CANN records them only with "
                       "profiler_level=Level1 or Level2");
    if (prof.config && metrics != wish->metrics) {
        record_metadata_entry("npu_task.aic_metrics", "PipeUtilization");
        prof.host->log(prof.self, STROBE_LOG_WARNING,
                       "aic_metrics=MemoryAccess is not known to this CANN or device: "
                       "PipeUtilization is recorded");
    }
}

static StrobeStatus start_config(uint32_t *devices, uint32_t n)
{
    StrobeStatus status = STROBE_OK;

    set_all();
    create_config(devices, n);
    if (!prof.config)
        return prof.host->fail(prof.self, STROBE_ERROR_FAILED, __FILE__, __LINE__,
                               "Cannot record NPU tasks: aclprofCreateConfig takes neither "
                               "mask=0x%" PRIx64 " nor metrics=%d for %u devices",
                               prof.wish.mask, prof.wish.metrics, n);
    int32_t code = prof.library.start(prof.config);
    if (code != ACLPROF_SUCCESS)
        status = fail_call("aclprofStart", code);
    if (status == STROBE_OK)
        return status;
    prof.library.destroy_config(prof.config);
    prof.config = NULL;
    return status;
}

/* Begins the window. The caller must hold the lock. Returns STROBE_AGAIN if the program has not
 * initialised AscendCL yet. */
static StrobeStatus begin_window(void)
{
    const char *directory = prof.host->result_directory(prof.self);
    uint32_t devices[ACLPROF_DEVICES_MAX];
    const char *whose;
    uint32_t n = find_devices(devices, &whose);
    size_t length = directory ? strlen(directory) : 0;

    if (!length || length > ACLPROF_PATH_MAX)
        return prof.host->fail(prof.self, STROBE_ERROR_FAILED, __FILE__, __LINE__,
                               "Cannot record NPU tasks: the path of the result has %zu bytes, and "
                               "aclprof accepts 1 to %u",
                               length, ACLPROF_PATH_MAX);
    if (n == 0)
        return STROBE_AGAIN;
    int32_t code = prof.library.init(directory, length);
    if (code == ACLPROF_NOT_INITIALISED)
        return STROBE_AGAIN;
    if (code != ACLPROF_SUCCESS)
        return fail_call("aclprofInit", code);
    StrobeStatus status = start_config(devices, n);
    if (status != STROBE_OK) {
        prof.library.finalize();
        return status;
    }
    prof.phase = RUNNING;
    record_devices(devices, n, whose);
    npu_prof_folders_look(&prof.folders, directory, record_folder);
    return STROBE_OK;
}

static StrobeStatus prof_start(void *state)
{
    if (is_left())
        return refuse_recording(prof.host, prof.self,
                                "aclprof has not come back from ending an earlier window");
    pthread_mutex_lock(&prof.lock);
    prof.folders.n = 0;
    prof.late = STROBE_OK;
    prof.phase = AWAITING;
    record_sources();
    StrobeStatus status = begin_window();
    if (status < 0)
        prof.phase = IDLE;
    pthread_mutex_unlock(&prof.lock);
    return status == STROBE_AGAIN ? STROBE_OK : status;
}

/* Tries again to begin the window, because under `strobe run` a window begins before the program
 * has called aclInit. */
static void prof_sample(void *state)
{
    if (pthread_mutex_trylock(&prof.lock) != 0)
        return;
    if (prof.phase == AWAITING) {
        prof.late = begin_window();
        if (prof.late < 0)
            prof.phase = IDLE;
    }
    pthread_mutex_unlock(&prof.lock);
}

static int64_t prof_sample_interval(void *state)
{
    return RETRY_INTERVAL_NS;
}

/* ---- end of a window ---- */

static void warn_call(const char *call, int32_t code)
{
    if (code != ACLPROF_SUCCESS)
        prof.host->log(prof.self, STROBE_LOG_WARNING, "%s: code=%d, reason=\"%s\"", call, code,
                       npu_aclprof_error(code));
}

static int is_synchronizing(void)
{
    return prof.host->option_bool(prof.self, "synchronize") && prof.library.synchronize;
}

/* Waits for the devices only if the option `synchronize` is set. The wait is here and not in flush,
 * because the calling thread has the context of the devices, which the thread that calls flush does
 * not have. CANN's own stop, which takes long, begins in flush, on a separate thread. */
static StrobeStatus prof_stop(void *state)
{
    pthread_mutex_lock(&prof.lock);
    if (prof.phase == AWAITING) {
        prof.host->log(prof.self, STROBE_LOG_WARNING,
                       "No NPU tasks are recorded: in this window the program has not initialised "
                       "AscendCL, or there is no device");
        prof.phase = IDLE;
    }
    if (prof.phase == RUNNING && is_synchronizing())
        warn_call("aclrtSynchronizeDevice", prof.library.synchronize());
    pthread_mutex_unlock(&prof.lock);
    return prof.late < 0 ? prof.late : STROBE_OK;
}

/* Calls all three functions, even if one of them fails. The caller must ensure that no other thread
 * uses the library meanwhile. */
static void call_end(void *user)
{
    prof.codes[0] = prof.library.stop(prof.ended);
    prof.codes[1] = prof.library.destroy_config(prof.ended);
    prof.codes[2] = prof.library.finalize();
}

static int64_t monotonic_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Begins the end of the window: if the window was recorded, its phase is now ENDING. */
static void begin_end(void)
{
    pthread_mutex_lock(&prof.lock);
    if (prof.phase == RUNNING) {
        prof.phase = ENDING;
        prof.ended = prof.config;
        prof.config = NULL;
        prof.ask_until_ns = monotonic_ns() + ASK_LIMIT_NS;
        if (npu_call_begin(&prof.end, call_end, NULL) != 0)
            call_end(NULL); /* no thread could be started, so the calls are made here */
    }
    pthread_mutex_unlock(&prof.lock);
}

/* Waits until call_end has returned. Returns 0; -1: it did not return in time. */
static int finish_end(void)
{
    static const char *const calls[] = {"aclprofStop", "aclprofDestroyConfig", "aclprofFinalize"};
    int is_over = npu_call_await(&prof.end, END_PATIENCE_NS) == 0;

    prof.phase = IDLE;
    for (int i = 0; is_over && i < 3; i++)
        warn_call(calls[i], prof.codes[i]);
    if (!is_over)
        prof.host->log(prof.self, STROBE_LOG_WARNING,
                       "aclprof has not come back from ending the window for %d s: no window "
                       "records NPU tasks until it does",
                       (int)(END_PATIENCE_NS / 1000000000));
    return is_over ? 0 : -1;
}

/* Returns STROBE_AGAIN until call_end has returned. After the host's deadline, waits for
 * call_end. */
static StrobeStatus prof_flush(void *state, StrobeTicks deadline)
{
    const char *directory = prof.host->result_directory(prof.self);

    begin_end();
    if (prof.phase != ENDING)
        return STROBE_OK;
    if (!npu_call_is_over(&prof.end) && monotonic_ns() < prof.ask_until_ns &&
        prof.host->now() < deadline)
        return STROBE_AGAIN;
    if (finish_end() != 0)
        return STROBE_OK;
    if (directory)
        npu_prof_folders_look(&prof.folders, directory, record_folder);
    if (prof.folders.n == 0)
        prof.host->log(prof.self, STROBE_LOG_WARNING,
                       "aclprof has made no folder PROF_* in %s: there are no NPU tasks",
                       directory ? directory : "the result directory");
    return STROBE_OK;
}

static void prof_close(void *state)
{
    begin_end();
    if (prof.phase == ENDING)
        finish_end();
}

const StrobeCollectorOps npu_aclprof_ops = {
    .struct_size = sizeof(StrobeCollectorOps),
    .open = prof_open,
    .start = prof_start,
    .stop = prof_stop,
    .flush = prof_flush,
    .close = prof_close,
    .sample = prof_sample,
    .sample_interval = prof_sample_interval,
};
