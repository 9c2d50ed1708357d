/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of an object of the driver, by its handle. Found without a lock; put under one.
 * Drivers use a handle again when its object is gone: what is put later replaces what was there.
 */
#ifndef STROBE_PLUGINS_OPENCL_HANDLE_TABLE_H
#define STROBE_PLUGINS_OPENCL_HANDLE_TABLE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

typedef struct HandleTable {
    pthread_mutex_t lock;
    _Atomic(struct handle_slots *) slots;
    size_t n;
} HandleTable;

#define HANDLE_TABLE_INIT {.lock = PTHREAD_MUTEX_INITIALIZER}

/* NULL: nothing is known. Any thread. */
void *handle_table_find(HandleTable *table, const void *handle);

/* Returns what it replaces, NULL: nothing, in `old` where that is not NULL. 0: there is no memory.
 * Any thread. */
int handle_table_put(HandleTable *table, const void *handle, void *value, void **old);

/* Calls `each` for every value; what is put meanwhile may be left out. */
void handle_table_each(HandleTable *table, void (*each)(void *value, void *user), void *user);

/* In a forked child: whoever held the lock is not there. */
void handle_table_after_fork(HandleTable *table);

#endif
