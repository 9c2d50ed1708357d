/* SPDX-License-Identifier: Apache-2.0 */
#include "tensors.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "memory-kinds.h"

static struct {
    _Atomic(const StrobeHost *) host; /* NULL: tensors are not recorded */
    const StrobeHost *attached;
    StrobeInstance *self;
    StrobeKindId use, role;
} state;

static void stop_in_child(void)
{
    strobe_tensors_record(0);
}

static void prepare_process(void)
{
    pthread_atfork(NULL, NULL, stop_in_child);
}

/* Returns the thread's writer; NULL: nothing is recorded. */
static StrobeWriter *writer_of(const StrobeHost **host)
{
    *host = atomic_load_explicit(&state.host, memory_order_acquire);
    return *host ? (*host)->writer(state.self) : NULL;
}

static void record_uses(const char *function, const StrobeTorchTensor *tensors, size_t n)
{
    const StrobeHost *host;
    StrobeWriter *writer = writer_of(&host);
    if (!writer)
        return;
    StrobeStringId name = host->intern(writer, function, strlen(function));
    uint64_t now = host->now();
    for (size_t i = 0; i < n; i++) {
        struct memory_tensor_use *fields = host->reserve(writer, state.use, 0, name, now, now);
        if (!fields)
            continue;
        fields->address = tensors[i].address;
        fields->bytes = tensors[i].bytes;
        fields->input = tensors[i].input;
        fields->is_written = tensors[i].is_written;
        fields->is_leaf = tensors[i].is_leaf;
        host->commit(writer);
    }
}

const StrobeTorchTensorEvents strobe_tensor_events = {
    .struct_size = sizeof(StrobeTorchTensorEvents),
    .used = record_uses,
};

static void record_roles(uint32_t role, const uint64_t *addresses, const uint64_t *bytes, size_t n)
{
    const StrobeHost *host;
    StrobeWriter *writer = writer_of(&host);
    for (size_t i = 0; writer && role < MEMORY_N_ROLES && i < n; i++) {
        uint64_t now = host->now();
        struct memory_tensor_role *fields = host->reserve(writer, state.role, 0, 0, now, now);
        if (!fields)
            continue;
        fields->address = addresses[i];
        fields->bytes = bytes[i];
        fields->role = role;
        host->commit(writer);
    }
}

STROBE_PLUGIN_EXPORT const StrobeMemoryRoles strobe_memory_roles_1 = {
    .struct_size = sizeof(StrobeMemoryRoles),
    .tell = record_roles,
};

StrobeStatus strobe_tensors_attach(const StrobeHost *host, StrobeInstance *self)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, prepare_process);
    StrobeStatus status = host->kind(self, &memory_kind_tensor_use, &state.use);
    if (status == STROBE_OK)
        status = host->kind(self, &memory_kind_tensor_role, &state.role);
    state.self = self;
    state.attached = host;
    return status;
}

void strobe_tensors_record(int on)
{
    atomic_store_explicit(&state.host, on ? state.attached : NULL, memory_order_release);
}

void strobe_tensors_detach(void)
{
    strobe_tensors_record(0);
    state.attached = NULL;
}
