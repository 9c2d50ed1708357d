/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/helpers/dcmi-source.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <strobe/helpers/worker.h>

/* Maximum time for which strobe_dcmi_source_end waits for a running call; longer than the longest
 * known call. */
#define PATIENCE_NS 2500000000u

struct StrobeDcmiSource {
    const StrobeHost *host;
    StrobeInstance *self;
    StrobeDcmi dcmi;
    StrobeDcmiDevice device;
    const StrobeDcmiMetric *metric;
    void *user;
    StrobeWorker *worker;
    uint64_t deadline_ns;
    /* locked while records are made, so that the collector is not closed meanwhile */
    pthread_mutex_t lock;
    int is_closed;
    /* the next reading is the first in this window, or the first after a failure */
    atomic_int is_new;
    atomic_int is_off; /* this device or driver cannot deliver the metric */
    int last_status;   /* status of the last call; if it is a failure, it was logged */
    int has_overrun;   /* an overrun was logged */
};

/* Logs a failure, unless the last call failed in the same way. */
static void report_failure(StrobeDcmiSource *source, int status)
{
    const char *reason;

    if (strobe_dcmi_judge(status, &reason) == STROBE_DCMI_GIVE_UP)
        atomic_store(&source->is_off, 1);
    if (status != source->last_status)
        source->host->log(source->self, STROBE_LOG_WARNING,
                          "Cannot read %s: device=%d, status=%d, reason=\"%s\"",
                          source->metric->name, source->device.id, status, reason);
    source->last_status = status;
}

static void run_source(void *user)
{
    StrobeDcmiSource *source = user;
    int is_first = atomic_exchange(&source->is_new, 0);
    int status = source->metric->read(source->user, &source->dcmi, &source->device);

    pthread_mutex_lock(&source->lock);
    if (!source->is_closed) {
        StrobeWriter *writer = source->host->writer(source->self);
        if (status != STROBE_DCMI_OK) {
            report_failure(source, status);
            /* a difference to the value before the failure is not computed */
            atomic_store(&source->is_new, 1);
        } else if (writer) {
            source->last_status = STROBE_DCMI_OK;
            source->metric->record(source->user, writer, is_first);
        }
    }
    pthread_mutex_unlock(&source->lock);
}

static void release_source(void *user)
{
    StrobeDcmiSource *source = user;

    source->metric->release(source->user);
    pthread_mutex_destroy(&source->lock);
    free(source);
}

StrobeDcmiSource *strobe_dcmi_source_new(const StrobeHost *host, StrobeInstance *self,
                                         const StrobeDcmi *dcmi, const StrobeDcmiDevice *device,
                                         const StrobeDcmiMetric *metric, void *user,
                                         uint64_t deadline_ns)
{
    StrobeDcmiSource *source = user ? calloc(1, sizeof *source) : NULL;

    if (!source) {
        if (user)
            metric->release(user);
        return NULL;
    }
    source->host = host;
    source->self = self;
    source->dcmi = *dcmi;
    source->device = *device;
    source->metric = metric;
    source->user = user;
    source->deadline_ns = deadline_ns;
    pthread_mutex_init(&source->lock, NULL);
    atomic_store(&source->is_new, 1);
    source->worker = strobe_worker_start(run_source, release_source, source);
    if (source->worker)
        return source;
    release_source(source);
    return NULL;
}

void strobe_dcmi_source_begin(StrobeDcmiSource *source)
{
    atomic_store(&source->is_new, 1);
}

void strobe_dcmi_source_tick(StrobeDcmiSource *source)
{
    uint64_t busy_for = atomic_load(&source->is_off) ? 0 : strobe_worker_ask(source->worker);

    if (busy_for <= source->deadline_ns)
        return;
    source->host->lost(source->self, STROBE_LOSS_COLLECTOR_DROPPED, 1);
    if (!source->has_overrun)
        source->host->log(source->self, STROBE_LOG_WARNING,
                          "%s is not sampled: device=%d, reason=\"a call has not returned for "
                          "%.1f s\"",
                          source->metric->name, source->device.id, (double)busy_for / 1e9);
    source->has_overrun = 1;
}

void strobe_dcmi_source_end(StrobeDcmiSource *source)
{
    const StrobeHost *host = source->host;
    StrobeInstance *self = source->self;
    const char *name = source->metric->name;

    pthread_mutex_lock(&source->lock);
    source->is_closed = 1;
    pthread_mutex_unlock(&source->lock);
    if (strobe_worker_end(source->worker, PATIENCE_NS) != 0)
        host->log(self, STROBE_LOG_WARNING,
                  "A call of the driver hangs (%s): its thread is left running", name);
}
