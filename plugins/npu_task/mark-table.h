/* SPDX-License-Identifier: Apache-2.0 */
/* Marks that have begun, by the id that MSPTI gave them. MSPTI reports a mark on a stream twice,
 * from the host and from the device, in any order; only the host's begin has the mark's text. */
#ifndef STROBE_PLUGINS_NPU_TASK_MARK_TABLE_H
#define STROBE_PLUGINS_NPU_TASK_MARK_TABLE_H

#include <stdint.h>

#define NPU_MARKS 8192u
#define NPU_MARKS_OPEN (NPU_MARKS / 4 * 3) /* maximum number of open marks */

enum {
    NPU_MARK_HOST_BEGIN = 1,
    NPU_MARK_HOST_END = 2,
    NPU_MARK_DEVICE_BEGIN = 4,
    NPU_MARK_DEVICE_END = 8,
    NPU_MARK_ON_DEVICE = 16, /* the device reports the mark as well */
    NPU_MARK_IS_INSTANT = 32,
    NPU_MARK_HOST_DONE = 64, /* the host's part was recorded, or must not be recorded */
    NPU_MARK_DEVICE_DONE = 128
};

typedef struct NpuMark {
    uint64_t id; /* 0: the entry is free */
    uint32_t has;
    uint32_t thread, end_thread, device, stream;
    const char *name, *domain;
    uint64_t host_begin, host_end, device_begin, device_end;
} NpuMark;

typedef struct NpuMarkTable {
    uint32_t n;
    NpuMark marks[NPU_MARKS]; /* a hash table by id, with open addressing */
} NpuMarkTable;

void npu_mark_table_clear(NpuMarkTable *table);
/* Returns the mark of that id, and adds it if it is new. Returns NULL if the table is full or the
 * id is 0. */
NpuMark *npu_mark_table_get(NpuMarkTable *table, uint64_t id);
void npu_mark_table_remove(NpuMarkTable *table, NpuMark *mark);

#endif
