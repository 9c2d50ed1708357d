/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ABI of mstx, from its published headers: function numbers, structs, the injection protocol.
 * The layouts are those of 64-bit Linux. Since 1.0.
 */
#ifndef STROBE_HELPERS_MSTX_ABI_H
#define STROBE_HELPERS_MSTX_ABI_H

#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

typedef void (*MstxFunction)(void);
/* Returns the table of one module: an array of pointers to function pointers; entry 0 is unused. */
typedef int (*MstxGetTable)(int module, MstxFunction ***table, unsigned *size);

enum { MSTX_CORE = 1, MSTX_DOMAIN = 2, MSTX_MEMORY = 3 };
enum { MSTX_MARK = 1, MSTX_RANGE_START, MSTX_RANGE_END, MSTX_GET_TOOL, MSTX_CORE_SIZE };
enum {
    MSTX_DOMAIN_CREATE = 1,
    MSTX_DOMAIN_DESTROY,
    MSTX_DOMAIN_MARK,
    MSTX_DOMAIN_RANGE_START,
    MSTX_DOMAIN_RANGE_END,
    MSTX_DOMAIN_SIZE
};
enum {
    MSTX_HEAP_REGISTER = 1,
    MSTX_HEAP_UNREGISTER,
    MSTX_REGIONS_REGISTER,
    MSTX_REGIONS_UNREGISTER,
    MSTX_MEMORY_SIZE
};

/* Results of mstx functions, and the tool id of Strobe. */
#define MSTX_FAIL 1
#define MSTX_SUCCESS 0
#define MSTX_TOOL_STROBE 0x2000u /* tool id of Strobe; the vendor's tools have 0x1000 to 0x1003 */

typedef struct MstxRange {
    uint32_t device;
    uint32_t reserved;
    const void *address;
    uint64_t size;
} MstxRange;

typedef struct MstxHeap {
    int32_t usage, type;
    const MstxRange *range; /* do not rely on `usage` and `type` */
} MstxHeap;

typedef struct MstxRegions {
    void *heap;
    int32_t type;
    size_t count;
    const MstxRange *ranges;
    void **handles; /* do not write through this pointer: callers do not set it */
} MstxRegions;

typedef struct MstxRegionRef {
    int32_t type; /* 0 pointer, 1 handle */
    const void *pointer;
} MstxRegionRef;

typedef struct MstxRegionRefs {
    size_t count;
    const MstxRegionRef *refs;
} MstxRegionRefs;

#if !defined(__cplusplus)
_Static_assert(sizeof(MstxRange) == 24 && offsetof(MstxRange, size) == 16, "mstx");
_Static_assert(sizeof(MstxHeap) == 16 && offsetof(MstxHeap, range) == 8, "mstx");
_Static_assert(sizeof(MstxRegions) == 40 && offsetof(MstxRegions, count) == 16, "mstx");
_Static_assert(offsetof(MstxRegions, ranges) == 24 && offsetof(MstxRegions, handles) == 32, "mstx");
_Static_assert(sizeof(MstxRegionRef) == 16 && offsetof(MstxRegionRef, pointer) == 8, "mstx");
_Static_assert(sizeof(MstxRegionRefs) == 16, "mstx");
#endif

/* Types of the thirteen functions that programs call and that a tool writes into the tables. */
typedef void MstxMark(const char *message, void *stream);
typedef uint64_t MstxRangeStart(const char *message, void *stream);
typedef void MstxRangeEnd(uint64_t id);
typedef int MstxGetTool(uint64_t *id);
typedef void *MstxDomainCreate(const char *name);
typedef void MstxDomainDestroy(void *domain);
typedef void MstxDomainMark(void *domain, const char *message, void *stream);
typedef uint64_t MstxDomainRangeStart(void *domain, const char *message, void *stream);
typedef void MstxDomainRangeEnd(void *domain, uint64_t id);
typedef void *MstxHeapRegister(void *domain, const MstxHeap *heap);
typedef void MstxHeapUnregister(void *domain, void *heap);
typedef void MstxRegionsRegister(void *domain, const MstxRegions *regions);
typedef void MstxRegionsUnregister(void *domain, const MstxRegionRefs *regions);

/* Functions that programs link against and that a dispatcher looks up in a tool. */
#define MSTX_EXPORT __attribute__((visibility("default")))
MSTX_EXPORT MstxMark mstxMarkA;
MSTX_EXPORT MstxRangeStart mstxRangeStartA;
MSTX_EXPORT MstxRangeEnd mstxRangeEnd;
MSTX_EXPORT MstxGetTool mstxGetToolId;
MSTX_EXPORT MstxDomainCreate mstxDomainCreateA;
MSTX_EXPORT MstxDomainDestroy mstxDomainDestroy;
MSTX_EXPORT MstxDomainMark mstxDomainMarkA;
MSTX_EXPORT MstxDomainRangeStart mstxDomainRangeStartA;
MSTX_EXPORT MstxDomainRangeEnd mstxDomainRangeEnd;
MSTX_EXPORT MstxHeapRegister mstxMemHeapRegister;
MSTX_EXPORT MstxHeapUnregister mstxMemHeapUnregister;
MSTX_EXPORT MstxRegionsRegister mstxMemRegionsRegister;
MSTX_EXPORT MstxRegionsUnregister mstxMemRegionsUnregister;
typedef int MstxInit(MstxGetTable get_table);
MSTX_EXPORT MstxInit InitInjectionMstx;

#if defined(__cplusplus)
}
#endif

#endif
