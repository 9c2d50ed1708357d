/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the data that the layer has about an object of the driver, by the object's handle. Reading
 * takes no lock; writing takes one. Drivers reuse the handle of a freed object, so a later entry
 * replaces the earlier one.
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

/* Returns the value for the handle; NULL: there is none. Any thread may call this function. */
void *handle_table_find(HandleTable *table, const void *handle);

/* Stores a value. Sets `old`, unless it is NULL, to the value that was replaced, or to NULL.
 * Returns 0 if out of memory. Any thread may call this function. */
int handle_table_put(HandleTable *table, const void *handle, void *value, void **old);

/* Calls `each` for every value; may omit values that are stored during the call. */
void handle_table_each(HandleTable *table, void (*each)(void *value, void *user), void *user);

/* Must be called in a forked child, because the thread that held the lock does not exist there. */
void handle_table_after_fork(HandleTable *table);

#endif
