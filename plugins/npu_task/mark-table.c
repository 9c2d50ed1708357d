/* SPDX-License-Identifier: Apache-2.0 */
#include "mark-table.h"

#include <string.h>

void npu_mark_table_clear(NpuMarkTable *table)
{
    memset(table, 0, sizeof *table);
}

static uint32_t place_of(uint64_t id)
{
    return (uint32_t)(id * UINT64_C(0x9e3779b97f4a7c15) >> 51); /* less than NPU_MARKS */
}

NpuMark *npu_mark_table_get(NpuMarkTable *table, uint64_t id)
{
    uint32_t at = place_of(id);

    if (id == 0)
        return NULL;
    while (table->marks[at].id && table->marks[at].id != id)
        at = (at + 1) % NPU_MARKS;
    if (table->marks[at].id)
        return &table->marks[at];
    if (table->n >= NPU_MARKS_OPEN)
        return NULL;
    table->n++;
    table->marks[at].id = id;
    return &table->marks[at];
}

/* Removes a mark, and moves later marks to earlier slots where necessary, so that each mark is
 * still found from its home slot. */
void npu_mark_table_remove(NpuMarkTable *table, NpuMark *mark)
{
    uint32_t hole = (uint32_t)(mark - table->marks);

    for (uint32_t at = (hole + 1) % NPU_MARKS; table->marks[at].id; at = (at + 1) % NPU_MARKS) {
        uint32_t from_home = (at - place_of(table->marks[at].id)) % NPU_MARKS;
        uint32_t from_hole = (at - hole) % NPU_MARKS;
        if (from_home < from_hole)
            continue;
        table->marks[hole] = table->marks[at];
        hole = at;
    }
    memset(&table->marks[hole], 0, sizeof table->marks[hole]);
    table->n--;
}
