/* SPDX-License-Identifier: Apache-2.0 */
#include "name-cache.h"

#include <stdatomic.h>
#include <string.h>

void strobe_cached_name_set(struct cached_name *place, const char *name, StrobeStringId id)
{
    size_t before = (uintptr_t)name % 8;
    size_t end = before + strlen(name) + 1; /* in the words; the NUL counts */

    if (end > sizeof place->words)
        return;
    /* A thread that dies half-way leaves a free place. */
    place->address = NULL;
    atomic_signal_fence(memory_order_seq_cst);
    memset(place->words, 0, sizeof place->words);
    memcpy((char *)place->words + before, name, end - before);
    place->last = (uint8_t)((end - 1) / 8);
    place->first_shift = (uint8_t)(before * 8);
    place->last_shift = (uint8_t)((7 - (end - 1) % 8) * 8);
    if (place->last == 0) /* the first word is the last: both shifts are of the same one */
        place->last_shift += place->first_shift;
    place->id = id;
    atomic_signal_fence(memory_order_seq_cst);
    place->address = name;
}
