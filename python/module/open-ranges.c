/* SPDX-License-Identifier: Apache-2.0 */
#include "open-ranges.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SIZE 64 /* all sizes are powers of two */

/* A hash table with linear probing, in which at most half of the slots are used. */
static struct place {
    uint64_t id; /* id of the range in this slot; 0: the slot is free */
    const void *domain;
} *places;
static uint64_t size, n;

static uint64_t home_of(uint64_t id)
{
    return (id * 0x9e3779b97f4a7c15u >> 32) & (size - 1);
}

/* Returns the index of the slot with the id, or of the free slot for it. */
static uint64_t place_of(uint64_t id)
{
    uint64_t at = home_of(id);

    while (places[at].id && places[at].id != id)
        at = (at + 1) & (size - 1);
    return at;
}

static int grow_table(void)
{
    struct place *old = places;
    uint64_t old_size = size;
    struct place *grown = calloc(size ? 2 * size : FIRST_SIZE, sizeof *grown);

    if (!grown)
        return -1;
    places = grown;
    size = size ? 2 * size : FIRST_SIZE;
    for (uint64_t i = 0; i < old_size; i++)
        if (old[i].id)
            places[place_of(old[i].id)] = old[i];
    free(old);
    return 0;
}

int open_ranges_put(uint64_t id, const void *domain)
{
    if (2 * (n + 1) > size && grow_table() < 0)
        return -1;
    struct place *place = &places[place_of(id)];
    n += !place->id;
    *place = (struct place){id, domain};
    return 0;
}

const void *open_ranges_find(uint64_t id)
{
    struct place *place = size && id ? &places[place_of(id)] : NULL;

    return place && place->id ? place->domain : NULL;
}

/* After the removal, moves later entries into the free slot if a search would not find them
 * otherwise. */
void open_ranges_remove(uint64_t id)
{
    uint64_t hole = size && id ? place_of(id) : 0;

    if (!size || !id || !places[hole].id)
        return;
    for (uint64_t at = (hole + 1) & (size - 1); places[at].id; at = (at + 1) & (size - 1)) {
        uint64_t home = home_of(places[at].id);
        if (((at - home) & (size - 1)) < ((at - hole) & (size - 1)))
            continue;
        places[hole] = places[at];
        hole = at;
    }
    places[hole].id = 0;
    n--;
}

void open_ranges_clear(void)
{
    if (n)
        memset(places, 0, size * sizeof *places);
    n = 0;
}
