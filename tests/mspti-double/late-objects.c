/* SPDX-License-Identifier: Apache-2.0 */
#include "late-objects.h"

#include <stdatomic.h>
#include <stdlib.h>

/* The function with which C++ registers the destructor of a static object in a function. */
extern int __cxa_atexit(void (*destroy)(void *object), void *object, void *library);
extern void *__dso_handle;

static atomic_flag is_made[LATE_OBJECTS];
static atomic_int is_any_gone;

static void note_destruction(void *object)
{
    (void)object;
    atomic_store(&is_any_gone, 1);
}

void late_object_use(int which)
{
    if (atomic_load(&is_any_gone))
        abort();
    if (!atomic_flag_test_and_set(&is_made[which]))
        __cxa_atexit(note_destruction, NULL, &__dso_handle);
}
