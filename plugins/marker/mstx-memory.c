/* SPDX-License-Identifier: Apache-2.0 */
/* Records the heaps and regions that a program registers with mstx. */
#include <string.h>

#include "mstx-chain.h"
#include "mstx-domain.h"
#include "mstx.h"

enum { REGION_TAKEN = 0, REGION_GIVEN_BACK = 1, HEAP_TAKEN = 2, HEAP_GIVEN_BACK = 3 };

struct region {
    uint64_t address;
    uint64_t size;
    uint32_t device, action;
    StrobeStringId domain;
    uint32_t reserved;
};

static const StrobeField fields[] = {
    {"address", STROBE_FIELD_U64, 0, "", "Where it begins."},
    {"size", STROBE_FIELD_U64, 0, "B", "Size, if it is known."},
    {"device", STROBE_FIELD_U32, 0, "", "Device."},
    {"action", STROBE_FIELD_U32, 0, "",
     "0 region registered, 1 region unregistered, 2 heap registered, 3 heap unregistered."},
    {"domain", STROBE_FIELD_STRING, 0, "", "Domain."},
};

const StrobeKind mstx_region_kind =
    STROBE_KIND("marker.region", INSTANT, fields,
                "Memory that the program registers with mstx, such as the pools of an allocator.");

static struct {
    const StrobeHost *host;
    StrobeInstance *self;
    StrobeKindId kind;
} memory;

StrobeStatus mstx_open(const StrobeHost *host, StrobeInstance *self)
{
    memory.host = host;
    memory.self = self;
    return host->kind(self, &mstx_region_kind, &memory.kind);
}

static void record_region(const MarkDomain *domain, uint32_t action, const void *address,
                          uint64_t size, uint32_t device)
{
    const StrobeHost *host = memory.host;
    StrobeWriter *writer = marks_on() ? host->writer(memory.self) : NULL;

    if (!writer || !atomic_load_explicit(&domain->is_wanted, memory_order_relaxed))
        return;
    StrobeStringId name = host->intern(writer, domain->name, strlen(domain->name));
    struct region *out = host->reserve(writer, memory.kind, 0, name, host->now(), 0);
    if (!out)
        return;
    *out = (struct region){(uintptr_t)address, size, device, action, name, 0};
    host->commit(writer);
}

/* ---- the functions ---- */

void *mstxMemHeapRegister(void *handle, const MstxHeap *heap)
{
    MstxHeapRegister *behind = (MstxHeapRegister *)mstx_behind.memory[MSTX_HEAP_REGISTER];
    const MstxDomain *domain = mstx_domain_of(handle);
    void *theirs = behind ? behind(mstx_domain_behind(domain), heap) : NULL;

    if (!heap || !heap->range)
        return theirs;
    record_region(domain->marks, HEAP_TAKEN, heap->range->address, heap->range->size,
                  heap->range->device);
    /* the program only passes the handle back, so the heap's address can be the handle */
    return theirs ? theirs : (void *)(uintptr_t)heap->range->address;
}

void mstxMemHeapUnregister(void *handle, void *heap)
{
    MstxHeapUnregister *behind = (MstxHeapUnregister *)mstx_behind.memory[MSTX_HEAP_UNREGISTER];
    const MstxDomain *domain = mstx_domain_of(handle);

    if (behind)
        behind(mstx_domain_behind(domain), heap);
    record_region(domain->marks, HEAP_GIVEN_BACK, heap, STROBE_ABSENT_U64, STROBE_ABSENT_U32);
}

void mstxMemRegionsRegister(void *handle, const MstxRegions *regions)
{
    MstxRegionsRegister *behind = (MstxRegionsRegister *)mstx_behind.memory[MSTX_REGIONS_REGISTER];
    const MstxDomain *domain = mstx_domain_of(handle);

    if (behind)
        behind(mstx_domain_behind(domain), regions);
    if (!marks_on() || !regions || !regions->ranges)
        return;
    for (size_t i = 0; i < regions->count; i++)
        record_region(domain->marks, REGION_TAKEN, regions->ranges[i].address,
                      regions->ranges[i].size, regions->ranges[i].device);
}

void mstxMemRegionsUnregister(void *handle, const MstxRegionRefs *regions)
{
    MstxRegionsUnregister *behind =
        (MstxRegionsUnregister *)mstx_behind.memory[MSTX_REGIONS_UNREGISTER];
    const MstxDomain *domain = mstx_domain_of(handle);

    if (behind)
        behind(mstx_domain_behind(domain), regions);
    if (!marks_on() || !regions || !regions->refs)
        return;
    for (size_t i = 0; i < regions->count; i++)
        record_region(domain->marks, REGION_GIVEN_BACK, regions->refs[i].pointer, STROBE_ABSENT_U64,
                      STROBE_ABSENT_U32);
}
