/* SPDX-License-Identifier: Apache-2.0 */
#include "memory.h"

#include <strobe/kinds.h>

#include "../torch_bridge/libtorch.h"
#include "../torch_bridge/backend.h"
#include "../torch_bridge/torch_memory.h"
#include "allocations.h"
#include <strobe/helpers/block-table.h>
#include "device-reports.h"
#include "tensors.h"

/* The state of the collector. There is one for each process, because PyTorch has one CPU
 * allocator. */
static struct {
    const StrobeHost *host;
    StrobeInstance *self;
    const StrobeTorchMemory *backend;
    const StrobeTorchTensors *tensors; /* NULL: tensors=false is set */
} collector;

static StrobeStatus attach_backend(void)
{
    const char *reason = collector.backend->attach(&strobe_allocation_events);
    if (!reason)
        return STROBE_OK;
    return collector.host->fail(collector.self, STROBE_UNAVAILABLE, __FILE__, __LINE__,
                                "Cannot record memory: %s", reason);
}

static StrobeStatus open_tensors(const StrobeLibtorch *libtorch)
{
    const StrobeHost *host = collector.host;
    const void *backend;
    collector.tensors = NULL;
    if (!host->option_bool(collector.self, "tensors"))
        return STROBE_OK;
    StrobeStatus status =
        strobe_backend_load(host, collector.self, libtorch, STROBE_TORCH_TENSORS_SYMBOL,
                            sizeof *collector.tensors, &backend);
    if (status == STROBE_OK)
        status = strobe_tensors_attach(host, collector.self);
    if (status == STROBE_OK)
        collector.tensors = backend;
    return status;
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
    if (strobe_blocks_prepare(STROBE_BLOCKS_FAR) == STROBE_BLOCKS_NEAR)
        host->log(self, STROBE_LOG_WARNING, "Cannot map memory: at most %u blocks are counted",
                  STROBE_BLOCKS_NEAR);
    collector.host = host;
    collector.self = self;
    collector.backend = backend;
    status = open_tensors(&libtorch);
    if (status != STROBE_OK)
        return status;
    strobe_allocations_attach(host, self, kind);
    status = attach_backend();
    if (status == STROBE_OK)
        strobe_device_reports_begin(&strobe_allocation_reports);
    else
        strobe_allocations_detach();
    *state = &collector;
    return status;
}

static void set_recording(int on)
{
    strobe_allocations_record(on);
    if (collector.tensors)
        strobe_tensors_record(on);
}

static StrobeStatus memory_start(void *state)
{
    set_recording(1);
    strobe_device_reports_begin(&strobe_allocation_reports);
    StrobeStatus status =
        attach_backend(); /* again, because the program may have set another allocator since */
    if (status == STROBE_OK && collector.tensors) {
        const char *reason = collector.tensors->enable(&strobe_tensor_events);
        if (reason)
            status = collector.host->fail(collector.self, STROBE_ERROR_FAILED, __FILE__, __LINE__,
                                          "Cannot record tensors: %s", reason);
    }
    if (status != STROBE_OK)
        set_recording(0);
    return status;
}

static StrobeStatus memory_stop(void *state)
{
    if (collector.tensors)
        collector.tensors->disable();
    set_recording(0);
    return STROBE_OK;
}

static void memory_close(void *state)
{
    strobe_device_reports_end();
    collector.backend->detach();
    strobe_allocations_detach();
    strobe_tensors_detach();
}

const StrobeCollectorOps strobe_memory_ops = {
    .struct_size = sizeof(StrobeCollectorOps),
    .probe = strobe_backend_probe,
    .open = memory_open,
    .start = memory_start,
    .stop = memory_stop,
    .close = memory_close,
};
