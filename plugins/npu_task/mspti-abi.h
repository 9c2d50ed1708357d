/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ABI of MSPTI: values, record layouts, functions.
 *
 * Records are packed, and their size is a multiple of 8, but most 64-bit fields are not aligned to
 * 8. Reading through these types is correct at any address.
 */
#ifndef STROBE_PLUGINS_NPU_TASK_MSPTI_ABI_H
#define STROBE_PLUGINS_NPU_TASK_MSPTI_ABI_H

#include <stddef.h>
#include <stdint.h>

enum {
    MSPTI_SUCCESS = 0,
    MSPTI_INVALID_PARAMETER = 1,
    MSPTI_MULTIPLE_SUBSCRIBERS = 2,
    MSPTI_MAX_LIMIT_REACHED = 3,
    MSPTI_DEVICE_OFFLINE = 4,
    MSPTI_QUEUE_EMPTY = 5,
    MSPTI_WITHOUT_PRELOAD = 6,
    MSPTI_INNER = 999
};

enum {
    MSPTI_KIND_MARKER = 1,
    MSPTI_KIND_KERNEL = 2,
    MSPTI_KIND_API = 3, /* calls of the node level, the same as NODE_API */
    MSPTI_KIND_HCCL = 4,
    MSPTI_KIND_MEMORY = 5,
    MSPTI_KIND_MEMSET = 6,
    MSPTI_KIND_MEMCPY = 7,
    MSPTI_KIND_EXTERNAL = 8,
    MSPTI_KIND_COMMUNICATION = 9,
    MSPTI_KIND_ACL_API = 10,
    MSPTI_KIND_NODE_API = 11,
    MSPTI_KIND_RUNTIME_API = 12,
    MSPTI_KINDS = 13
};

enum { MSPTI_SOURCE_HOST = 0, MSPTI_SOURCE_DEVICE = 1 };

enum {
    MSPTI_MARK_INSTANT = 1,
    MSPTI_MARK_START = 2,
    MSPTI_MARK_END = 4,
    MSPTI_MARK_INSTANT_DEVICE = 8,
    MSPTI_MARK_START_DEVICE = 16,
    MSPTI_MARK_END_DEVICE = 32
};

#define MSPTI_NO_DEVICE 0xffffffffu
#define MSPTI_NO_STREAM 0xffffffffu
#define MSPTI_RELEASE 1

#define MSPTI_RECORD __attribute__((packed, aligned(8)))

typedef struct {
    int32_t kind, flag, source;
    uint64_t timestamp, id;
    uint32_t object[2]; /* of the host: process, thread; of a device: device, stream */
    const char *name, *domain;
} MSPTI_RECORD MsptiMarker;

typedef struct {
    int32_t kind;
    uint64_t start, end;
    uint32_t process, thread;
    uint64_t correlation;
    const char *name;
} MSPTI_RECORD MsptiApi;

typedef struct {
    int32_t kind;
    uint64_t start, end;
    uint32_t device, stream;
    uint64_t correlation;
    const char *type, *name;
} MSPTI_RECORD MsptiKernel;

typedef struct {
    int32_t kind;
    uint64_t start, end;
    uint32_t device, stream;
    double bandwidth; /* GB/s */
    const char *name, *group;
} MSPTI_RECORD MsptiHccl;

typedef struct {
    int32_t kind, operation, memory;
    uint64_t correlation, start, end, address, bytes;
    uint32_t process, device, stream;
} MSPTI_RECORD MsptiMemory;

typedef struct {
    int32_t kind;
    uint32_t value;
    uint64_t bytes, start, end;
    uint32_t device, stream;
    uint64_t correlation;
    uint8_t is_async;
} MSPTI_RECORD MsptiMemset;

typedef struct {
    int32_t kind, direction;
    uint64_t bytes, start, end;
    uint32_t device, stream;
    uint64_t correlation;
    uint8_t is_async;
} MSPTI_RECORD MsptiMemcpy;

typedef struct {
    int32_t kind, id_type;
    uint64_t external, correlation;
} MSPTI_RECORD MsptiExternal;

typedef struct {
    int32_t kind, data_type;
    uint64_t count;
    uint32_t device, stream;
    uint64_t start, end;
    const char *algorithm, *name, *group;
    uint64_t correlation;
} MSPTI_RECORD MsptiCommunication;

#define MSPTI_HAS_SIZE(type_, size_)                                                               \
    _Static_assert(sizeof(type_) == (size_) && _Alignof(type_) == 8, #type_)
#define MSPTI_HAS_AT(type_, field_, at_)                                                           \
    _Static_assert(offsetof(type_, field_) == (at_), #type_ "." #field_)

MSPTI_HAS_SIZE(MsptiMarker, 56);
MSPTI_HAS_AT(MsptiMarker, flag, 4);
MSPTI_HAS_AT(MsptiMarker, source, 8);
MSPTI_HAS_AT(MsptiMarker, timestamp, 12);
MSPTI_HAS_AT(MsptiMarker, id, 20);
MSPTI_HAS_AT(MsptiMarker, object, 28);
MSPTI_HAS_AT(MsptiMarker, name, 36);
MSPTI_HAS_AT(MsptiMarker, domain, 44);
MSPTI_HAS_SIZE(MsptiApi, 48);
MSPTI_HAS_AT(MsptiApi, start, 4);
MSPTI_HAS_AT(MsptiApi, end, 12);
MSPTI_HAS_AT(MsptiApi, process, 20);
MSPTI_HAS_AT(MsptiApi, thread, 24);
MSPTI_HAS_AT(MsptiApi, correlation, 28);
MSPTI_HAS_AT(MsptiApi, name, 36);
MSPTI_HAS_SIZE(MsptiKernel, 56);
MSPTI_HAS_AT(MsptiKernel, start, 4);
MSPTI_HAS_AT(MsptiKernel, end, 12);
MSPTI_HAS_AT(MsptiKernel, device, 20);
MSPTI_HAS_AT(MsptiKernel, stream, 24);
MSPTI_HAS_AT(MsptiKernel, correlation, 28);
MSPTI_HAS_AT(MsptiKernel, type, 36);
MSPTI_HAS_AT(MsptiKernel, name, 44);
MSPTI_HAS_SIZE(MsptiHccl, 56);
MSPTI_HAS_AT(MsptiHccl, start, 4);
MSPTI_HAS_AT(MsptiHccl, end, 12);
MSPTI_HAS_AT(MsptiHccl, device, 20);
MSPTI_HAS_AT(MsptiHccl, stream, 24);
MSPTI_HAS_AT(MsptiHccl, bandwidth, 28);
MSPTI_HAS_AT(MsptiHccl, name, 36);
MSPTI_HAS_AT(MsptiHccl, group, 44);
MSPTI_HAS_SIZE(MsptiMemory, 64);
MSPTI_HAS_AT(MsptiMemory, operation, 4);
MSPTI_HAS_AT(MsptiMemory, memory, 8);
MSPTI_HAS_AT(MsptiMemory, correlation, 12);
MSPTI_HAS_AT(MsptiMemory, start, 20);
MSPTI_HAS_AT(MsptiMemory, end, 28);
MSPTI_HAS_AT(MsptiMemory, address, 36);
MSPTI_HAS_AT(MsptiMemory, bytes, 44);
MSPTI_HAS_AT(MsptiMemory, process, 52);
MSPTI_HAS_AT(MsptiMemory, device, 56);
MSPTI_HAS_AT(MsptiMemory, stream, 60);
MSPTI_HAS_SIZE(MsptiMemset, 56);
MSPTI_HAS_AT(MsptiMemset, value, 4);
MSPTI_HAS_AT(MsptiMemset, bytes, 8);
MSPTI_HAS_AT(MsptiMemset, start, 16);
MSPTI_HAS_AT(MsptiMemset, end, 24);
MSPTI_HAS_AT(MsptiMemset, device, 32);
MSPTI_HAS_AT(MsptiMemset, stream, 36);
MSPTI_HAS_AT(MsptiMemset, correlation, 40);
MSPTI_HAS_AT(MsptiMemset, is_async, 48);
MSPTI_HAS_SIZE(MsptiMemcpy, 56);
MSPTI_HAS_AT(MsptiMemcpy, direction, 4);
MSPTI_HAS_AT(MsptiMemcpy, bytes, 8);
MSPTI_HAS_AT(MsptiMemcpy, start, 16);
MSPTI_HAS_AT(MsptiMemcpy, end, 24);
MSPTI_HAS_AT(MsptiMemcpy, device, 32);
MSPTI_HAS_AT(MsptiMemcpy, stream, 36);
MSPTI_HAS_AT(MsptiMemcpy, correlation, 40);
MSPTI_HAS_AT(MsptiMemcpy, is_async, 48);
MSPTI_HAS_SIZE(MsptiExternal, 24);
MSPTI_HAS_AT(MsptiExternal, id_type, 4);
MSPTI_HAS_AT(MsptiExternal, external, 8);
MSPTI_HAS_AT(MsptiExternal, correlation, 16);
MSPTI_HAS_SIZE(MsptiCommunication, 72);
MSPTI_HAS_AT(MsptiCommunication, data_type, 4);
MSPTI_HAS_AT(MsptiCommunication, count, 8);
MSPTI_HAS_AT(MsptiCommunication, device, 16);
MSPTI_HAS_AT(MsptiCommunication, stream, 20);
MSPTI_HAS_AT(MsptiCommunication, start, 24);
MSPTI_HAS_AT(MsptiCommunication, end, 32);
MSPTI_HAS_AT(MsptiCommunication, algorithm, 40);
MSPTI_HAS_AT(MsptiCommunication, name, 48);
MSPTI_HAS_AT(MsptiCommunication, group, 56);
MSPTI_HAS_AT(MsptiCommunication, correlation, 64);

typedef void MsptiRequest(uint8_t **buffer, size_t *size, size_t *max_records);
typedef void MsptiComplete(uint8_t *buffer, size_t size, size_t valid);
/* MSPTI sets only the first two members of `data`; the plugin reads neither. */
typedef void MsptiCallback(void *user, int32_t domain, uint32_t id, const void *data);

#endif
