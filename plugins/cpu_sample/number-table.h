/* SPDX-License-Identifier: Apache-2.0 */
/* A hash table from numbers to values other than 0. Single entries cannot be removed. Only one
 * thread at a time may use a table. */
#ifndef STROBE_CPU_SAMPLE_NUMBER_TABLE_H
#define STROBE_CPU_SAMPLE_NUMBER_TABLE_H

#include <stddef.h>
#include <stdint.h>

typedef struct NumberTable {
    struct NumberPlace {
        uint64_t key;
        uintptr_t value; /* 0: the place is free */
    } *places;           /* NULL: the table is empty */
    size_t n, room;      /* room: number of places, a power of two */
} NumberTable;

/* Returns the value of the key, or 0 if the key is not in the table. */
uintptr_t number_table_find(const NumberTable *table, uint64_t key);

/* Adds a key that is not in the table. Returns 0, or -1 if out of memory. */
int number_table_add(NumberTable *table, uint64_t key, uintptr_t value);

void number_table_clear(NumberTable *table);

#endif
