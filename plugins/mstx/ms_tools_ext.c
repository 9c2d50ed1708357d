/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The library libms_tools_ext.so, with which programs that use mstx are linked. It is used on
 * machines without the vendor's library of this name. It records nothing itself. Like the vendor's
 * library it looks for a tool at the first call and passes every call to the tool; without a tool,
 * calls do nothing.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

#include <strobe/helpers/mstx-abi.h>

/* The tool's functions. The tool sets them once, before any call is passed on. */
static MstxFunction core[MSTX_CORE_SIZE], domain[MSTX_DOMAIN_SIZE], memory[MSTX_MEMORY_SIZE];
static MstxFunction *core_places[MSTX_CORE_SIZE];
static MstxFunction *domain_places[MSTX_DOMAIN_SIZE];
static MstxFunction *memory_places[MSTX_MEMORY_SIZE];

static const struct module {
    MstxFunction **places, *functions;
    unsigned size;
} modules[] = {
    [MSTX_CORE] = {core_places, core, MSTX_CORE_SIZE},
    [MSTX_DOMAIN] = {domain_places, domain, MSTX_DOMAIN_SIZE},
    [MSTX_MEMORY] = {memory_places, memory, MSTX_MEMORY_SIZE},
};

static int get_table(int module, MstxFunction ***table, unsigned *size)
{
    if (module < MSTX_CORE || module > MSTX_MEMORY || !table || !size)
        return MSTX_FAIL;
    *table = modules[module].places;
    *size = modules[module].size;
    return MSTX_SUCCESS;
}

static void forget_tool(void)
{
    for (int i = MSTX_CORE; i <= MSTX_MEMORY; i++)
        for (unsigned j = 0; j < modules[i].size; j++)
            modules[i].functions[j] = NULL;
}

static void find_tool(void)
{
    const char *path = getenv("MSTX_INJECTION_PATH");
    void *library = path ? dlopen(path, RTLD_LAZY | RTLD_LOCAL) : NULL;
    MstxInit *init = (MstxInit *)dlsym(library ? library : RTLD_DEFAULT, "InitInjectionMstx");

    for (int i = MSTX_CORE; i <= MSTX_MEMORY; i++)
        for (unsigned j = 1; j < modules[i].size; j++)
            modules[i].places[j] = &modules[i].functions[j];
    if (init && init(get_table) != MSTX_SUCCESS)
        forget_tool();
}

static MstxFunction function_of(const MstxFunction *functions, unsigned i)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, find_tool);
    return functions[i];
}

#define TOOL(type, functions, i) ((type *)function_of(functions, i))

void mstxMarkA(const char *message, void *stream)
{
    MstxMark *tool = TOOL(MstxMark, core, MSTX_MARK);

    if (tool)
        tool(message, stream);
}

uint64_t mstxRangeStartA(const char *message, void *stream)
{
    MstxRangeStart *tool = TOOL(MstxRangeStart, core, MSTX_RANGE_START);

    return tool ? tool(message, stream) : 0;
}

void mstxRangeEnd(uint64_t id)
{
    MstxRangeEnd *tool = TOOL(MstxRangeEnd, core, MSTX_RANGE_END);

    if (tool)
        tool(id);
}

int mstxGetToolId(uint64_t *id)
{
    MstxGetTool *tool = TOOL(MstxGetTool, core, MSTX_GET_TOOL);

    if (tool)
        return tool(id);
    if (id)
        *id = 0;
    return MSTX_FAIL;
}

void *mstxDomainCreateA(const char *name)
{
    MstxDomainCreate *tool = TOOL(MstxDomainCreate, domain, MSTX_DOMAIN_CREATE);

    return tool ? tool(name) : NULL;
}

void mstxDomainDestroy(void *handle)
{
    MstxDomainDestroy *tool = TOOL(MstxDomainDestroy, domain, MSTX_DOMAIN_DESTROY);

    if (tool)
        tool(handle);
}

void mstxDomainMarkA(void *handle, const char *message, void *stream)
{
    MstxDomainMark *tool = TOOL(MstxDomainMark, domain, MSTX_DOMAIN_MARK);

    if (tool)
        tool(handle, message, stream);
}

uint64_t mstxDomainRangeStartA(void *handle, const char *message, void *stream)
{
    MstxDomainRangeStart *tool = TOOL(MstxDomainRangeStart, domain, MSTX_DOMAIN_RANGE_START);

    return tool ? tool(handle, message, stream) : 0;
}

void mstxDomainRangeEnd(void *handle, uint64_t id)
{
    MstxDomainRangeEnd *tool = TOOL(MstxDomainRangeEnd, domain, MSTX_DOMAIN_RANGE_END);

    if (tool)
        tool(handle, id);
}

void *mstxMemHeapRegister(void *handle, const MstxHeap *heap)
{
    MstxHeapRegister *tool = TOOL(MstxHeapRegister, memory, MSTX_HEAP_REGISTER);

    return tool ? tool(handle, heap) : NULL;
}

void mstxMemHeapUnregister(void *handle, void *heap)
{
    MstxHeapUnregister *tool = TOOL(MstxHeapUnregister, memory, MSTX_HEAP_UNREGISTER);

    if (tool)
        tool(handle, heap);
}

void mstxMemRegionsRegister(void *handle, const MstxRegions *regions)
{
    MstxRegionsRegister *tool = TOOL(MstxRegionsRegister, memory, MSTX_REGIONS_REGISTER);

    if (tool)
        tool(handle, regions);
}

void mstxMemRegionsUnregister(void *handle, const MstxRegionRefs *regions)
{
    MstxRegionsUnregister *tool = TOOL(MstxRegionsUnregister, memory, MSTX_REGIONS_UNREGISTER);

    if (tool)
        tool(handle, regions);
}
