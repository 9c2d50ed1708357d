/* SPDX-License-Identifier: Apache-2.0 */
#include "mstx-chain.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VENDOR_LIBRARY "libprofapi.so"

struct MstxChain mstx_behind;

/* Pointers to the slots of the functions, in the form in which an mstx dispatcher passes them to a
 * tool. */
static MstxFunction *core_places[MSTX_CORE_SIZE];
static MstxFunction *domain_places[MSTX_DOMAIN_SIZE];
static MstxFunction *memory_places[MSTX_MEMORY_SIZE];

static void lay_out(MstxFunction **places, MstxFunction *functions, unsigned n)
{
    for (unsigned i = 1; i < n; i++)
        places[i] = &functions[i];
}

/* Sets `table` to the table that the vendor's tool fills in. For this tool, this library acts as
 * the dispatcher. */
static int get_table(int module, MstxFunction ***table, unsigned *size)
{
    if (!table || !size)
        return MSTX_FAIL;
    switch (module) {
    case MSTX_CORE:
        *table = core_places;
        *size = MSTX_CORE_SIZE;
        return MSTX_SUCCESS;
    case MSTX_DOMAIN:
        *table = domain_places;
        *size = MSTX_DOMAIN_SIZE;
        return MSTX_SUCCESS;
    case MSTX_MEMORY:
        *table = memory_places;
        *size = MSTX_MEMORY_SIZE;
        return MSTX_SUCCESS;
    default:
        return MSTX_FAIL;
    }
}

static void *open_vendor(int may_load)
{
    const char *home = getenv("ASCEND_HOME_PATH");
    char path[PATH_MAX];
    void *library = dlopen(VENDOR_LIBRARY, RTLD_NOLOAD | RTLD_LAZY);

    if (library || !may_load || !home)
        return library;
    int length = snprintf(path, sizeof path, "%s/lib64/%s", home, VENDOR_LIBRARY);
    return length > 0 && (size_t)length < sizeof path ? dlopen(path, RTLD_LAZY | RTLD_LOCAL) : NULL;
}

static void chain_vendor(void)
{
    const char *wish = getenv("STROBE_MSTX_CHAIN");
    int is_forced = wish && strcmp(wish, "on") == 0;

    if (wish && strcmp(wish, "off") == 0)
        return;
    /* if one of these variables is set, the vendor's own profiler runs the program */
    if (!is_forced && (getenv("PROFILER_SAMPLECONFIG") || getenv("PROFILING_MODE")))
        return;
    void *library = open_vendor(is_forced);
    MstxInit *init = library ? (MstxInit *)dlsym(library, "InitInjectionMstx") : NULL;
    if (!init || init == InitInjectionMstx)
        return;
    lay_out(core_places, mstx_behind.core, MSTX_CORE_SIZE);
    lay_out(domain_places, mstx_behind.domain, MSTX_DOMAIN_SIZE);
    lay_out(memory_places, mstx_behind.memory, MSTX_MEMORY_SIZE);
    if (init(get_table) != MSTX_SUCCESS)
        memset(&mstx_behind, 0, sizeof mstx_behind);
}

void mstx_chain(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, chain_vendor);
}
