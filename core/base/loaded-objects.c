/* SPDX-License-Identifier: Apache-2.0 */
#include "loaded-objects.h"

#include <link.h>
#include <pthread.h>
#include <string.h>

/* Locked while the loader's list of objects is locked, and during a fork: otherwise a child could
 * inherit a list that stays locked for ever. */
static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;

static void lock_counting(void)
{
    pthread_mutex_lock(&counting);
}

static void let_go(void)
{
    pthread_mutex_unlock(&counting);
}

static void prepare_process(void)
{
    pthread_atfork(lock_counting, let_go, let_go);
}

/* Calls `visit` like dl_iterate_phdr and returns 1. Returns 0 if another thread forks or walks the
 * list. */
static int walk_objects(int (*visit)(struct dl_phdr_info *, size_t, void *), void *user)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, prepare_process);
    if (pthread_mutex_trylock(&counting) != 0)
        return 0;
    dl_iterate_phdr(visit, user);
    let_go();
    return 1;
}

static int take_count(struct dl_phdr_info *info, size_t size, void *user)
{
    uint64_t *count = user;

    (void)size;
    *count = info->dlpi_adds;
    return 1; /* ends the walk, because every object reports the same number */
}

uint64_t strobe_loaded_objects(void)
{
    uint64_t count = 0;

    return walk_objects(take_count, &count) ? count : 0;
}

static int count_object(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)info;
    (void)size;
    ++*(uint64_t *)user;
    return 0;
}

uint64_t strobe_loaded_present(void)
{
    uint64_t count = 0;

    walk_objects(count_object, &count);
    return count;
}

typedef struct Place {
    uintptr_t address;
    uint64_t number; /* number of the visited object, from 1 */
    int is_found;
} Place;

static int compare_place(struct dl_phdr_info *info, size_t size, void *user)
{
    Place *place = user;

    (void)size;
    place->number++;
    for (int i = 0; !place->is_found && i < info->dlpi_phnum; i++)
        place->is_found = info->dlpi_phdr[i].p_type == PT_LOAD &&
                          place->address - info->dlpi_addr - info->dlpi_phdr[i].p_vaddr <
                              info->dlpi_phdr[i].p_memsz;
    return place->is_found;
}

/* Relies on the loader, which lists objects in the order in which they were loaded. */
int strobe_loaded_after(uint64_t n_before, const void *address)
{
    Place place = {.address = (uintptr_t)address};

    return walk_objects(compare_place, &place) ? place.is_found && place.number > n_before : -1;
}

typedef struct Wanted {
    const char *name;
    int is_loaded;
} Wanted;

static int compare_name(struct dl_phdr_info *info, size_t size, void *user)
{
    Wanted *wanted = user;
    const char *name = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;

    (void)size;
    wanted->is_loaded = name && strncmp(name + 1, wanted->name, strlen(wanted->name)) == 0;
    return wanted->is_loaded;
}

int strobe_loaded_has(const char *name)
{
    Wanted wanted = {name, 0};

    return walk_objects(compare_name, &wanted) ? wanted.is_loaded : -1;
}
