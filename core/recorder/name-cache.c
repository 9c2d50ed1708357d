/* SPDX-License-Identifier: Apache-2.0 */
#include "name-cache.h"

#include <stdatomic.h>
#include <string.h>

void strobe_cached_name_set(struct cached_name *place, const char *name, StrobeStringId id)
{
    size_t before = (uintptr_t)name % 8;
    size_t end = before + strlen(name) + 1; /* bytes from the first word to the NUL, included */
    size_t last = (end - 1) / 8;
    size_t looked_at = end < 16 ? 16 : end;

    if (end > sizeof place->words ||
        (uintptr_t)name % STROBE_CACHED_NAME_PAGE - before + looked_at > STROBE_CACHED_NAME_PAGE)
        return;
    /* Marks the entry as unused until it is complete, because the thread may be ended within this
     * function. */
    place->address = place->short_address = NULL;
    atomic_signal_fence(memory_order_seq_cst);
    memset(place->words, 0, sizeof place->words);
    memcpy((char *)place->words + before, name, end - before);
    place->last = (uint32_t)last;
    place->last_mask = UINT64_MAX >> ((7 - (end - 1) % 8) * 8);
    place->first_mask = UINT64_MAX << (before * 8) & (last == 0 ? place->last_mask : UINT64_MAX);
    place->second_mask = last == 0 ? 0 : last == 1 ? place->last_mask : UINT64_MAX;
    place->id = id;
    atomic_signal_fence(memory_order_seq_cst);
    place->address = name;
    place->short_address = last > 1 ? NULL : name;
}
