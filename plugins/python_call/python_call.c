/* SPDX-License-Identifier: Apache-2.0 */
#include "python_call.h"

#include <pthread.h>

#include <strobe/kinds.h>

#include <strobe/helpers/interpreter.h>
#include "hook.h"
#include "intercepts.h"
#include "modules.h"
#include "monitoring.h"
#include "names.h"
#include "new-threads.h"
#include "tracer.h"

static StrobeStatus python_call_open(const StrobeHost *host, StrobeInstance *self, void **state)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    if (strobe_interpreter_state() != STROBE_INTERPRETER_RUNS)
        return STROBE_AGAIN;
    const char *problem = python_api_find();
    if (problem)
        return host->fail(self, STROBE_UNAVAILABLE, __FILE__, __LINE__,
                          "Cannot trace Python calls: %s", problem);
    StrobeStatus status = host->kind(self, &strobe_kind_python_call, &tracer.kind);
    if (status != STROBE_OK)
        return status;
    pthread_once(&once, tracer_prepare_process);
    tracer.self = self;
    tracer.host = host;
    tracer.records = host->option_bool(self, "calls");
    tracer.builtins = host->option_bool(self, "builtins");
    *state = &tracer;
    return STROBE_OK;
}

/* Begins a window. The caller must hold the interpreter's lock. Returns the reason of a failure;
 * NULL: the window has begun. */
static const char *begin_window(void)
{
    const char *problem;

    if (!names_begin(tracer.host, tracer.self))
        return "there is no memory";
    modules_begin(tracer.host, tracer.self);
    tracer.last_id = tracer.n_missed = 0;
    atomic_store(&tracer.n_stackless, 0);
    atomic_fetch_add(&tracer.windows, 1);
    atomic_store(&tracer.is_on, 1);
    intercepts_cover_libraries();
    problem =
        monitoring_is_there() ? monitoring_install() : hook_install(intercepts_cover_libraries);
    if (problem) {
        atomic_store(&tracer.is_on, 0);
        names_end();
    }
    return problem;
}

static StrobeStatus python_call_start(void *state)
{
    const PythonApi *python = &python_api;

    if (!python->is_initialized())
        return tracer.host->fail(tracer.self, STROBE_ERROR_FAILED, __FILE__, __LINE__,
                                 "Cannot trace Python calls: Python has ended");
    int lock = python->lock();
    const char *problem = begin_window();
    python->unlock(lock);
    if (problem)
        return tracer.host->fail(tracer.self, STROBE_ERROR_FAILED, __FILE__, __LINE__,
                                 "Cannot trace Python calls: %s", problem);
    return STROBE_OK;
}

static StrobeStatus python_call_stop(void *state)
{
    const PythonApi *python = &python_api;

    if (!python->is_initialized()) {
        /* the interpreter has ended, and its objects were freed */
        atomic_store(&tracer.is_on, 0);
        return STROBE_OK;
    }
    int lock = python->lock();
    if (atomic_load(&tracer.is_on)) {
        /* comes first, so that no thread enters again after tracer_leave_all */
        atomic_store(&tracer.is_on, 0);
        tracer_leave_all();
        /* C functions that still run may return to another profiler later */
        intercepts_cover_libraries();
        if (monitoring_is_there())
            monitoring_remove();
        else
            hook_remove();
        names_end();
        tracer.host->lost(tracer.self, STROBE_LOSS_COLLECTOR_DROPPED, tracer.n_missed);
        tracer.host->lost(tracer.self, STROBE_LOSS_STRING_CUT, atomic_load(&tracer.n_stackless));
    }
    python->unlock(lock);
    return STROBE_OK;
}

static void python_call_close(void *state)
{
    intercepts_uncover_entries();
    new_threads_close();
    /* Does not clear tracer.host: an operator may still request its stack, and the host's functions
     * can be called after the session. */
}

const StrobeCollectorOps strobe_python_call_ops = {
    .struct_size = sizeof(StrobeCollectorOps),
    .probe = strobe_interpreter_probe,
    .open = python_call_open,
    .start = python_call_start,
    .stop = python_call_stop,
    .close = python_call_close,
};
