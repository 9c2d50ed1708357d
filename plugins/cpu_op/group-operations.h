/* SPDX-License-Identifier: Apache-2.0 */
/* Operations that process groups of torch.distributed carry out on the host (gloo, MPI): records of
 * the kind comm_op. */
#ifndef STROBE_PLUGINS_GROUP_OPERATIONS_H
#define STROBE_PLUGINS_GROUP_OPERATIONS_H

#include <strobe/collector.h>

#include "../torch_bridge/torch_collectives.h"

extern StrobeKind group_operation_kind;

/* Control thread. `reports` is the backend's. */
StrobeStatus group_operations_open(const StrobeHost *host, StrobeInstance *self,
                                   const StrobeTorchCollectives *reports);
/* Operations that begin between record(1) and record(0) are recorded. record(0) waits, for 10 ms at
 * most, for the ends of those that are under way. Returns NULL, or why none is. */
const char *group_operations_record(int on);
void group_operations_close(void);

/* See StrobeTorchCollectives. Any thread; without effect where nothing is recorded. */
void group_operations_name(const char *name, int64_t peer);
void group_operations_name_usual(const char *name);

#endif
