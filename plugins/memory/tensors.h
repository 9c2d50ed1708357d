/* SPDX-License-Identifier: Apache-2.0 */
/* Which tensors operators are given, and what the program says that they are for. */
#ifndef STROBE_PLUGINS_TENSORS_H
#define STROBE_PLUGINS_TENSORS_H

#include <strobe/collector.h>

#include "../torch_bridge/torch_tensors.h"

/* Callbacks for the backend. Static: a running callback outlives its session. */
extern const StrobeTorchTensorEvents strobe_tensor_events;

StrobeStatus strobe_tensors_attach(const StrobeHost *host, StrobeInstance *self);
void strobe_tensors_record(int on);
void strobe_tensors_detach(void);

/* The interface for the Python package, which finds it in the process by its symbol
 * STROBE_MEMORY_ROLES_SYMBOL. */
typedef struct StrobeMemoryRoles {
    uint32_t struct_size;
    uint32_t reserved;
    /* The `n` storages at `addresses`, of so many bytes, are of `role` (MEMORY_ROLE_*). Any thread.
     * Nothing happens where tensors are not recorded. */
    void (*tell)(uint32_t role, const uint64_t *addresses, const uint64_t *bytes, size_t n);
} StrobeMemoryRoles;

#define STROBE_MEMORY_ROLES_SYMBOL "strobe_memory_roles_1"

#endif
