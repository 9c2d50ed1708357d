/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The types of ITT's published headers that a collector of version 2 needs. The part of ITT that is
 * compiled into a program owns all objects. The layouts are those of 64-bit Linux.
 */
#ifndef STROBE_PLUGINS_MARKER_ITT_ABI_H
#define STROBE_PLUGINS_MARKER_ITT_ABI_H

#include <stddef.h>
#include <stdint.h>

typedef void (*IttFunction)(void);

typedef struct IttDomain {
    volatile int32_t flags; /* 0: the domain is switched off */
    const char *name;
    const void *wide;
    int32_t extra1;
    void *_Atomic extra2; /* for use by the collector */
    struct IttDomain *next;
} IttDomain;

typedef struct IttString {
    const char *text;
    const void *wide;
    int32_t extra1;
    void *extra2;
    struct IttString *next;
} IttString;

/* An id, which is passed by value; if all members are 0, there is no id. */
typedef struct IttId {
    uint64_t d1, d2, d3;
} IttId;

/* A function of the program's table. */
typedef struct IttApi {
    const char *name; /* NULL: end of the list */
    IttFunction *function;
    IttFunction init, nothing;
    uint32_t group;
} IttApi;

/* The beginning of the program's state. The rest differs between versions. */
typedef struct IttGlobal {
    unsigned char magic[8]; /* magic[0] is ITT_MAGIC */
    unsigned long version_major, version_minor, version_build;
    long api_initialized, mutex_initialized, atomic_counter;
    char mutex[40];
    void *library, *error_handler;
    const char **dll_path;
    IttApi *apis;
    struct IttGlobal *next;
} IttGlobal;

#define ITT_MAGIC 0xed

_Static_assert(sizeof(IttDomain) == 48 && offsetof(IttDomain, extra2) == 32, "ITT");
_Static_assert(sizeof(IttString) == 40 && offsetof(IttString, extra2) == 24, "ITT");
_Static_assert(sizeof(IttId) == 24, "ITT");
_Static_assert(sizeof(IttApi) == 40 && offsetof(IttApi, group) == 32, "ITT");
_Static_assert(offsetof(IttGlobal, library) == 96 && offsetof(IttGlobal, apis) == 120 &&
                   offsetof(IttGlobal, next) == 128,
               "ITT");

/* Types of metadata and counters. */
enum { ITT_U64 = 1, ITT_I64, ITT_U32, ITT_I32, ITT_U16, ITT_I16, ITT_F32, ITT_F64 };

/* The part of ITT that is compiled into a module of the program calls this function when it starts,
 * once for each such module. */
__attribute__((visibility("default"))) void __itt_api_init(IttGlobal *global, uint32_t groups);

#endif
