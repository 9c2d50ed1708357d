/* SPDX-License-Identifier: Apache-2.0 */
#include "marker.h"

#include <pthread.h>

#include "marker-marks.h"
#include "mstx.h"
#include "python-marks.h"

#include <strobe/helpers/interpreter.h>
#include "../torch_bridge/libtorch.h"

static struct {
    const StrobeHost *host;
    StrobeInstance *self;
} collector;

/* Returns whether the process runs Python with PyTorch; the collector then makes marks itself. */
static int is_training(void)
{
    StrobeLibtorch libtorch;

    return strobe_interpreter_state() == STROBE_INTERPRETER_RUNS && strobe_libtorch_find(&libtorch);
}

static void marker_probe(uint32_t question, StrobeProbe *answer)
{
    int is_here = question == STROBE_PROBE_MACHINE || marks_are_awake() || is_training();

    answer->available = is_here ? 1 : 2;
    answer->reason = answer->available == 1 ? NULL : "This process has made no mark yet";
    answer->hint = answer->available == 1
                       ? NULL
                       : "mstx, NVTX and ITT look for their tool at the first mark: start the "
                         "program by strobe run";
}

static void stop_in_child(void)
{
    marks_end();
    marks_forget_thread();
}

static void prepare_process(void)
{
    pthread_atfork(NULL, NULL, stop_in_child);
}

static StrobeStatus marker_open(const StrobeHost *host, StrobeInstance *self, void **state)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    StrobeStatus status = marks_declare(host, self);

    if (status != STROBE_OK)
        return status;
    pthread_once(&once, prepare_process);
    marks_filter(host->option_text(self, "domain_include"),
                 host->option_text(self, "domain_exclude"));
    status = mstx_open(host, self);
    if (status != STROBE_OK)
        return status;
    collector.host = host;
    collector.self = self;
    python_marks_open(host, self);
    *state = &collector;
    return STROBE_OK;
}

static StrobeStatus marker_start(void *state)
{
    marks_take_unmatched();
    marks_begin(collector.host, collector.self);
    python_marks_begin();
    return STROBE_OK;
}

static StrobeStatus marker_stop(void *state)
{
    python_marks_end();
    marks_end();
    uint64_t n = marks_take_unmatched();
    if (n)
        collector.host->log(collector.self, STROBE_LOG_INFO,
                            "%llu ends of ranges that were not open were ignored",
                            (unsigned long long)n);
    return STROBE_OK;
}

static void marker_close(void *state)
{
    marks_filter(NULL, NULL);
    python_marks_open(NULL, NULL);
}

const StrobeCollectorOps strobe_marker_ops = {
    .struct_size = sizeof(StrobeCollectorOps),
    .probe = marker_probe,
    .open = marker_open,
    .start = marker_start,
    .stop = marker_stop,
    .close = marker_close,
};
