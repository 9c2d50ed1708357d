/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the records from which the flow of memory is derived. Keeps all of them, because the
 * purpose of a block is known only later. */
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
    gint64 most_allocated, most_reserved; /* B, as the allocator counts; absent: not reported */
} MemoryDevice;

typedef struct MemoryRecords MemoryRecords;

/* `device`: only memory of this device; MEMORY_ALL_DEVICES: of all. */
MemoryRecords *memory_records_new(const StrobeConsumerHost *host, StrobeInstance *self,
                                  gint32 device);
void memory_records_free(MemoryRecords *records);

/* Takes records of MEMORY_FLOW_KINDS; others are ignored. */
void memory_records_add(MemoryRecords *records, const StrobeView *record);
/* Number of records that are kept. */
guint64 memory_records_count(const MemoryRecords *records);
/* Releases the kept records. From then on only the devices' numbers are kept. */
void memory_records_drop(MemoryRecords *records);
/* The devices (MemoryDevice) by number; the array belongs to `records`. */
const GArray *memory_records_devices(const MemoryRecords *records);
/* The flow through the memory of one device (transfer full). */
Flow *memory_records_flow(MemoryRecords *records, gint32 device);

#endif
