/* SPDX-License-Identifier: Apache-2.0 */
/* Records the operations that process groups of torch.distributed carry out on the host (gloo,
 * MPI), as kind comm_op. */
#ifndef STROBE_PLUGINS_GROUP_OPERATIONS_H
#define STROBE_PLUGINS_GROUP_OPERATIONS_H

#include <strobe/collector.h>

#include "../torch_bridge/torch_collectives.h"

extern StrobeKind group_operation_kind;

/* Declares the kind. `reports` belongs to the backend. Must be called on the control thread. */
StrobeStatus group_operations_open(const StrobeHost *host, StrobeInstance *self,
                                   const StrobeTorchCollectives *reports);
/* Operations that begin between record(1) and record(0) are recorded. record(0) waits, for at most
 * 10 ms, for the ends of open operations. Returns NULL, or the reason why nothing is recorded. */
const char *group_operations_record(int on);
void group_operations_close(void);

/* Members of StrobeTorchCollectives; see its comments. Any thread may call them. They have no
 * effect if nothing is recorded. */
void group_operations_name(const char *name, int64_t peer);
void group_operations_name_usual(const char *name);

#endif
