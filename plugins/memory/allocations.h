/* SPDX-License-Identifier: Apache-2.0 */
/* Records allocations and releases of PyTorch's allocators as kind memory_event, and the total
 * of the host's allocator. */
#ifndef STROBE_PLUGINS_ALLOCATIONS_H
#define STROBE_PLUGINS_ALLOCATIONS_H

#include <strobe/collector.h>

#include "../torch_bridge/torch_memory.h"
#include "report-gate.h"

/* Callbacks for the backend. They are static because allocated memory can outlive every session,
 * and its release then calls them. */
extern const StrobeTorchMemoryEvents strobe_allocation_events;
/* Callbacks for the preloaded library. */
extern const ReportHooks strobe_allocation_reports;

/* Allocations are counted from strobe_allocations_attach to strobe_allocations_detach, and recorded
 * between strobe_allocations_record(1) and strobe_allocations_record(0). Must be called on the
 * control thread. A forked child neither counts nor records until it calls
 * strobe_allocations_attach itself. */
void strobe_allocations_attach(const StrobeHost *host, StrobeInstance *self, StrobeKindId kind);
void strobe_allocations_record(int on);
void strobe_allocations_detach(void);

#endif
