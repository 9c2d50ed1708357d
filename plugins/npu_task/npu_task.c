/* SPDX-License-Identifier: Apache-2.0 */
/* Selects the backend and passes every call on to it. */
#include "npu_task.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aclprof-config.h"
#include "aclprof-library.h"
#include "aclprof.h"
#include "npu-environment.h"
#include "mspti-library.h"
#include "mspti.h"

static const StrobeCollectorOps *backend;

/* ---- probe ---- */

static int is_readable(void (*path_of)(const char *given, char *path, size_t size))
{
    char path[4096];

    path_of(NULL, path, sizeof path);
    return npu_environment()->ascend_home && access(path, R_OK) == 0;
}

static void npu_probe(uint32_t question, StrobeProbe *answer)
{
    int has_mspti = is_readable(npu_mspti_path), has_aclprof = is_readable(npu_aclprof_path);

    answer->available = npu_mspti_is_wanted() ? 1 : 2;
    if (answer->available == 1)
        return;
    answer->hint = "Run a program that uses an NPU";
    if (!has_mspti && !has_aclprof) {
        answer->available = 0;
        answer->reason = "There is no MSPTI: ASCEND_HOME_PATH does not lead to lib64/libmspti.so";
        answer->hint = "Install CANN and source its set_env.sh";
    } else if (!has_mspti) {
        answer->reason = "There is no MSPTI, but aclprof: lib64/libmsprofiler.so";
        answer->hint = "Use backend=aclprof";
    } else {
        answer->reason = question == STROBE_PROBE_PROCESS
                             ? "This process has not loaded CANN yet"
                             : "Whether MSPTI works is known when a program has loaded CANN";
    }
}

/* ---- choice of the backend ---- */

static const StrobeCollectorOps *choose_backend(const StrobeHost *host, StrobeInstance *self)
{
    const char *name = host->option_text(self, "backend");
    const char *reason = npu_aclprof_needed_by(host, self);

    if (strcmp(name, "aclprof") == 0)
        return &npu_aclprof_ops;
    if (reason && strcmp(name, "auto") == 0)
        return &npu_aclprof_ops;
    if (reason)
        host->log(self, STROBE_LOG_WARNING,
                  "%s is not recorded: only aclprof can; use backend=auto or backend=aclprof",
                  reason);
    return &npu_mspti_ops;
}

static StrobeStatus npu_open(const StrobeHost *host, StrobeInstance *self, void **state)
{
    backend = choose_backend(host, self);
    StrobeStatus status = backend->open(host, self, state);
    if (status == STROBE_OK && strcmp(host->option_text(self, "backend"), "auto") == 0)
        host->log(self, STROBE_LOG_INFO, "backend=auto is %s",
                  backend == &npu_mspti_ops ? "mspti: no option needs aclprof"
                                            : "aclprof: an option needs it");
    return status;
}

static StrobeStatus npu_warm(void *state)
{
    return backend->warm ? backend->warm(state) : STROBE_OK;
}

static StrobeStatus npu_start(void *state)
{
    return backend->start(state);
}

static StrobeStatus npu_stop(void *state)
{
    return backend->stop(state);
}

static StrobeStatus npu_flush(void *state, StrobeTicks deadline)
{
    return backend->flush(state, deadline);
}

static void npu_close(void *state)
{
    backend->close(state);
}

static void npu_sample(void *state)
{
    backend->sample(state);
}

static int64_t npu_sample_interval(void *state)
{
    return backend->sample_interval(state);
}

const StrobeCollectorOps strobe_npu_task_ops = {
    .struct_size = sizeof(StrobeCollectorOps),
    .probe = npu_probe,
    .open = npu_open,
    .warm = npu_warm,
    .start = npu_start,
    .stop = npu_stop,
    .flush = npu_flush,
    .close = npu_close,
    .sample = npu_sample,
    .sample_interval = npu_sample_interval,
};
