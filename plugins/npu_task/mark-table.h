/* SPDX-License-Identifier: Apache-2.0 */
/* Marks that have begun, by the id that the library gave them. A mark on a stream is told by the
 * host and by the device, in any order, and only the host's begin has its text. */
#ifndef STROBE_PLUGINS_NPU_TASK_MARK_TABLE_H
#define STROBE_PLUGINS_NPU_TASK_MARK_TABLE_H

#include <stdint.h>

#define NPU_MARKS 8192u
#define NPU_MARKS_OPEN (NPU_MARKS / 4 * 3) /* at once */

enum {
    NPU_MARK_HOST_BEGIN = 1,
    NPU_MARK_HOST_END = 2,
    NPU_MARK_DEVICE_BEGIN = 4,
    NPU_MARK_DEVICE_END = 8,
    NPU_MARK_ON_DEVICE = 16, /* it has a side there */
    NPU_MARK_IS_INSTANT = 32,
    NPU_MARK_HOST_DONE = 64, /* recorded, or not to be */
    NPU_MARK_DEVICE_DONE = 128
};

typedef struct NpuMark {
    uint64_t id; /* 0: free */
    uint32_t has;
    uint32_t thread, end_thread, device, stream;
    const char *name, *domain;
    uint64_t host_begin, host_end, device_begin, device_end;
} NpuMark;

typedef struct NpuMarkTable {
    uint32_t n;
    NpuMark marks[NPU_MARKS]; /* by id, open addressing */
} NpuMarkTable;

void npu_mark_table_clear(NpuMarkTable *table);
/* The mark of that id, made where there is none; NULL: the table is full, or the id is 0. */
NpuMark *npu_mark_table_get(NpuMarkTable *table, uint64_t id);
void npu_mark_table_remove(NpuMarkTable *table, NpuMark *mark);

#endif
