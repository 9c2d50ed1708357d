/* SPDX-License-Identifier: Apache-2.0 */
#include "memory.h"

#include <strobe/kinds.h>

#include "../common/libtorch.h"
#include "../cpu_op/backend.h"
#include "../cpu_op/torch_memory.h"
#include "allocations.h"
#include "block-table.h"

/* One per process, as PyTorch's CPU allocator is. */
static struct {
    const StrobeHost *host;
    StrobeInstance *self;
    const StrobeTorchMemory *backend;
} collector;

static StrobeStatus attach(void)
{
    const char *reason = collector.backend->attach(&strobe_allocation_events);
    if (!reason)
        return STROBE_OK;
    return collector.host->fail(collector.self, STROBE_UNAVAILABLE, __FILE__, __LINE__,
                                "Cannot record memory: %s", reason);
}

static StrobeStatus memory_open(const StrobeHost *host, StrobeInstance *self, void **state)
{
    StrobeLibtorch libtorch;
    StrobeKindId kind;
    if (!strobe_libtorch_find(&libtorch))
        return STROBE_AGAIN;
    const void *backend;
    StrobeStatus status = strobe_backend_load(host, self, &libtorch, STROBE_TORCH_MEMORY_SYMBOL,
                                              sizeof *collector.backend, &backend);
    if (status == STROBE_OK)
        status = host->kind(self, &strobe_kind_memory_event, &kind);
    if (status != STROBE_OK)
        return status;
    if (!strobe_blocks_prepare())
        host->log(self, STROBE_LOG_WARNING, "Cannot map memory: at most %u blocks are counted",
                  STROBE_BLOCKS_NEAR);
    collector.host = host;
    collector.self = self;
    collector.backend = backend;
    strobe_allocations_attach(host, self, kind);
    status = attach();
    if (status != STROBE_OK)
        strobe_allocations_detach();
    *state = &collector;
    return status;
}

static StrobeStatus memory_start(void *state)
{
    strobe_allocations_record(1);
    StrobeStatus status = attach(); /* the program may have set an allocator of its own since */
    if (status != STROBE_OK)
        strobe_allocations_record(0);
    return status;
}

static StrobeStatus memory_stop(void *state)
{
    strobe_allocations_record(0);
    return STROBE_OK;
}

static void memory_close(void *state)
{
    collector.backend->detach();
    strobe_allocations_detach();
}

const StrobeCollectorOps strobe_memory_ops = {
    .struct_size = sizeof(StrobeCollectorOps),
    .probe = strobe_backend_probe,
    .open = memory_open,
    .start = memory_start,
    .stop = memory_stop,
    .close = memory_close,
};
