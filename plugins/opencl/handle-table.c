/* SPDX-License-Identifier: Apache-2.0 */
#include "handle-table.h"

#include <stdint.h>
#include <stdlib.h>

#define FIRST_SIZE 256

typedef struct slot {
    _Atomic(const void *) handle;
    _Atomic(void *) value;
} Slot;

/* An array of slots. Earlier arrays are not freed, because a thread may still read one of them. */
struct handle_slots {
    struct handle_slots *earlier;
    size_t size; /* a power of two */
    Slot slot[];
};

static size_t place_of(const struct handle_slots *slots, const void *handle)
{
    uint64_t hash = (uint64_t)(uintptr_t)handle * 0x9e3779b97f4a7c15u;

    return (size_t)(hash >> 20) & (slots->size - 1);
}

/* Returns the slot that has the handle; if there is none, the free slot for the handle. There is
 * always a free slot. */
static Slot *slot_for(struct handle_slots *slots, const void *handle)
{
    for (size_t i = place_of(slots, handle);; i = (i + 1) & (slots->size - 1)) {
        const void *there = atomic_load_explicit(&slots->slot[i].handle, memory_order_acquire);
        if (!there || there == handle)
            return &slots->slot[i];
    }
}

void *handle_table_find(HandleTable *table, const void *handle)
{
    struct handle_slots *slots = atomic_load_explicit(&table->slots, memory_order_acquire);

    if (!slots || !handle)
        return NULL;
    return atomic_load_explicit(&slot_for(slots, handle)->value, memory_order_acquire);
}

/* Stores the value before it stores the handle, so that a reader that finds the handle also finds
 * the value. Returns the old value. */
static void *set_value(struct handle_slots *slots, const void *handle, void *value)
{
    Slot *slot = slot_for(slots, handle);
    void *old = atomic_exchange_explicit(&slot->value, value, memory_order_acq_rel);

    atomic_store_explicit(&slot->handle, handle, memory_order_release);
    return old;
}

static struct handle_slots *grow_slots(struct handle_slots *old)
{
    size_t size = old ? 2 * old->size : FIRST_SIZE;
    struct handle_slots *slots = calloc(1, sizeof *slots + size * sizeof(Slot));

    if (!slots)
        return NULL;
    slots->size = size;
    slots->earlier = old;
    for (size_t i = 0; old && i < old->size; i++) {
        const void *handle = atomic_load(&old->slot[i].handle);
        if (handle)
            set_value(slots, handle, atomic_load(&old->slot[i].value));
    }
    return slots;
}

int handle_table_put(HandleTable *table, const void *handle, void *value, void **old)
{
    int ok = 0;

    if (old)
        *old = NULL;
    if (!handle)
        return 0;
    pthread_mutex_lock(&table->lock);
    struct handle_slots *slots = atomic_load(&table->slots);
    if (!slots || 4 * (table->n + 1) > 3 * slots->size) {
        slots = grow_slots(slots);
        if (slots)
            atomic_store_explicit(&table->slots, slots, memory_order_release);
    }
    if (slots) {
        int is_new = !atomic_load(&slot_for(slots, handle)->handle);
        void *replaced = set_value(slots, handle, value);
        table->n += (size_t)is_new;
        if (old)
            *old = replaced;
        ok = 1;
    }
    pthread_mutex_unlock(&table->lock);
    return ok;
}

void handle_table_each(HandleTable *table, void (*each)(void *value, void *user), void *user)
{
    struct handle_slots *slots = atomic_load_explicit(&table->slots, memory_order_acquire);

    for (size_t i = 0; slots && i < slots->size; i++) {
        void *value = atomic_load_explicit(&slots->slot[i].value, memory_order_acquire);
        if (value)
            each(value, user);
    }
}

void handle_table_after_fork(HandleTable *table)
{
    pthread_mutex_init(&table->lock, NULL);
}
