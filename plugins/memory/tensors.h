/* SPDX-License-Identifier: Apache-2.0 */
/* Records the input tensors of operators, and the roles that the program gives to tensors. */
#ifndef STROBE_PLUGINS_TENSORS_H
#define STROBE_PLUGINS_TENSORS_H

#include <strobe/collector.h>

#include "../torch_bridge/torch_tensors.h"

/* Callbacks for the backend. They are static because a running callback may outlive its session. */
extern const StrobeTorchTensorEvents strobe_tensor_events;

StrobeStatus strobe_tensors_attach(const StrobeHost *host, StrobeInstance *self);
void strobe_tensors_record(int on);
void strobe_tensors_detach(void);

/* The interface for the Python package, which finds it in the process by its symbol
 * STROBE_MEMORY_ROLES_SYMBOL. */
typedef struct StrobeMemoryRoles {
    uint32_t struct_size;
    uint32_t reserved;
    /* Records that the `n` storages at `addresses`, with sizes `bytes`, have the role `role`
     * (MEMORY_ROLE_*). Does nothing if tensors are not recorded. Any thread may call this
     * function. */
    void (*tell)(uint32_t role, const uint64_t *addresses, const uint64_t *bytes, size_t n);
} StrobeMemoryRoles;

#define STROBE_MEMORY_ROLES_SYMBOL "strobe_memory_roles_1"

#endif
