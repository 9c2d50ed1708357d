/* SPDX-License-Identifier: Apache-2.0 */
#include "number-table.h"

#include <stdlib.h>
#include <strobe/helpers/keyed-hash.h>

#define ROOM_MIN 64

static struct NumberPlace *place_of(const NumberTable *table, uint64_t key)
{
    size_t mask = table->room - 1, at = (size_t)strobe_hash_number(strobe_hash_key(), key) & mask;

    while (table->places[at].value && table->places[at].key != key)
        at = (at + 1) & mask;
    return &table->places[at];
}

uintptr_t number_table_find(const NumberTable *table, uint64_t key)
{
    return table->room ? place_of(table, key)->value : 0;
}

static int grow_table(NumberTable *table)
{
    NumberTable more = {.room = table->room ? table->room * 2 : ROOM_MIN, .n = table->n};

    more.places = calloc(more.room, sizeof *more.places);
    if (!more.places)
        return -1;
    for (size_t i = 0; i < table->room; i++)
        if (table->places[i].value)
            *place_of(&more, table->places[i].key) = table->places[i];
    free(table->places);
    *table = more;
    return 0;
}

int number_table_add(NumberTable *table, uint64_t key, uintptr_t value)
{
    if (table->n >= table->room / 4 * 3 && grow_table(table) != 0)
        return -1;
    *place_of(table, key) = (struct NumberPlace){key, value};
    table->n++;
    return 0;
}

void number_table_clear(NumberTable *table)
{
    free(table->places);
    *table = (NumberTable){.n = 0};
}
