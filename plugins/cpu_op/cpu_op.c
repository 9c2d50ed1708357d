/* SPDX-License-Identifier: Apache-2.0 */
#include "cpu_op.h"

#include <strobe/kinds.h>

#include "../common/libtorch.h"
#include "backend.h"
#include "operators.h"

/* One per process, as libtorch's list of callbacks is. */
static struct {
    const StrobeHost *host;
    StrobeInstance *self;
    const StrobeTorchBackend *backend;
} collector;

static StrobeStatus cpu_op_open(const StrobeHost *host, StrobeInstance *self, void **state)
{
    StrobeLibtorch libtorch;
    StrobeKindId kind;
    if (!strobe_libtorch_find(&libtorch))
        return STROBE_AGAIN;
    const void *backend;
    StrobeStatus status = strobe_backend_load(host, self, &libtorch, STROBE_TORCH_BACKEND_SYMBOL,
                                              sizeof *collector.backend, &backend);
    if (status == STROBE_OK)
        status = host->kind(self, &strobe_kind_cpu_op, &kind);
    if (status != STROBE_OK)
        return status;
    collector.host = host;
    collector.self = self;
    collector.backend = backend;
    strobe_operators_attach(host, self, kind, collector.backend->target);
    *state = &collector;
    return STROBE_OK;
}

static StrobeStatus cpu_op_start(void *state)
{
    const StrobeHost *host = collector.host;
    strobe_operators_record(1);
    const char *reason = collector.backend->enable(&strobe_operator_events,
                                                   host->option_bool(collector.self, "shapes"));
    if (!reason)
        return STROBE_OK;
    strobe_operators_record(0);
    return host->fail(collector.self, STROBE_ERROR_FAILED, __FILE__, __LINE__,
                      "Cannot record operators: %s", reason);
}

static StrobeStatus cpu_op_stop(void *state)
{
    collector.backend->disable();
    strobe_operators_record(0);
    return STROBE_OK;
}

static void cpu_op_close(void *state)
{
    strobe_operators_detach();
}

const StrobeCollectorOps strobe_cpu_op_ops = {
    .struct_size = sizeof(StrobeCollectorOps),
    .probe = strobe_backend_probe,
    .open = cpu_op_open,
    .start = cpu_op_start,
    .stop = cpu_op_stop,
    .close = cpu_op_close,
};
