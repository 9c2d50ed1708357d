/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the records from which the flow of memory is derived. Keeps all of them, because the
 * purpose of a block is known only at the end. */
#ifndef STROBE_MEMORY_FLOW_RECORDS_H
#define STROBE_MEMORY_FLOW_RECORDS_H

#include <strobe/exporter.h>

#include "data-flow.h"

/* The kinds to list in the `wants` of an exporter. */
#define MEMORY_FLOW_KINDS                                                                          \
    "memory_event", "cpu_op", "memory.tensor_use", "memory.tensor_role", "ascend_raw.parameter"
#define MEMORY_ALL_DEVICES G_MININT32

typedef struct MemoryDevice {
    gint32 number; /* -1: the host */
    guint64 n_events;
    /* largest totals that the allocator reported, in B; absent: not reported */
    gint64 most_allocated, most_reserved;
} MemoryDevice;

typedef struct MemoryRecords MemoryRecords;

/* `device`: only the memory of this device is recorded; MEMORY_ALL_DEVICES: the memory of all
 * devices. */
MemoryRecords *memory_records_new(const StrobeConsumerHost *host, StrobeInstance *self,
                                  gint32 device);
void memory_records_free(MemoryRecords *records);

/* Adds a record of a kind in MEMORY_FLOW_KINDS; ignores records of other kinds. */
void memory_records_add(MemoryRecords *records, const StrobeView *record);
/* Returns the number of stored records. */
guint64 memory_records_count(const MemoryRecords *records);
/* Frees the stored records. Records that are added later only change the totals of the devices. */
void memory_records_drop(MemoryRecords *records);
/* Returns the devices (MemoryDevice) in the order of their numbers; the array belongs to
 * `records`. */
const GArray *memory_records_devices(const MemoryRecords *records);
/* Returns the flow of data through the memory of one device. (transfer full) */
Flow *memory_records_flow(MemoryRecords *records, gint32 device);

#endif
