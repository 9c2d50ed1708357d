/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/helpers/environment.h>

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strobe/plugin.h>

typedef char *const *Environment;

static const Environment *_Atomic copy; /* NULL: not found, or not looked up yet */
static atomic_int is_known;

/* Finds the copy in a constructor, because later dlsym might have to wait for a thread that loads a
 * library. */
__attribute__((constructor)) static void find_copy(void)
{
    atomic_store(&copy, (const Environment *)dlsym(RTLD_DEFAULT, STROBE_ENVIRONMENT_SYMBOL));
    atomic_store(&is_known, 1);
}

const char *strobe_environment_get(const char *name)
{
    const size_t length = strlen(name);
    const Environment *place;

    if (!atomic_load(&is_known)) /* the call comes from another constructor, before find_copy */
        find_copy();
    place = atomic_load(&copy);
    if (!place || !*place)
        return getenv(name);
    for (Environment at = *place; *at; at++)
        if (strncmp(*at, name, length) == 0 && (*at)[length] == '=')
            return *at + length + 1;
    return NULL;
}
