/* SPDX-License-Identifier: Apache-2.0 */
/* The tables and attributes of NVTX version 3, from its published headers, with the layouts of
 * 64-bit Linux. */
#ifndef STROBE_PLUGINS_MARKER_NVTX_ABI_H
#define STROBE_PLUGINS_MARKER_NVTX_ABI_H

#include <stddef.h>
#include <stdint.h>

typedef void (*NvtxFunction)(void);
/* Gets the function table of a module. Returns 1, or 0 for an unknown module. */
typedef int (*NvtxGetTable)(int module, NvtxFunction ***table, unsigned *size);
typedef const void *(*NvtxGetExport)(uint32_t id);

enum { NVTX_EXPORT_CALLBACKS = 1, NVTX_EXPORT_VERSION = 3 };
typedef struct NvtxCallbacks {
    size_t size;
    NvtxGetTable get_table;
} NvtxCallbacks;
typedef struct NvtxVersion {
    size_t size;
    uint32_t version, reserved;
    void (*set_injection_version)(uint32_t version);
} NvtxVersion;

enum { NVTX_CORE = 1, NVTX_CORE2 = 5 };

enum { NVTX_NO_PUSH_POP_TRACKING = -2 };

enum { NVTX_PAYLOAD_NONE, NVTX_U64, NVTX_I64, NVTX_F64, NVTX_U32, NVTX_I32, NVTX_F32 };
enum { NVTX_MESSAGE_NONE, NVTX_ASCII, NVTX_UNICODE, NVTX_REGISTERED };

typedef struct NvtxAttributes {
    uint16_t version, size;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type, reserved;
    union {
        uint64_t u64;
        int64_t i64;
        double f64;
        uint32_t u32;
        int32_t i32;
        float f32;
    } payload;
    int32_t message_type;
    const void *message;
} NvtxAttributes;

_Static_assert(sizeof(NvtxAttributes) == 48 && offsetof(NvtxAttributes, payload) == 24 &&
                   offsetof(NvtxAttributes, message_type) == 32 &&
                   offsetof(NvtxAttributes, message) == 40,
               "NVTX");
_Static_assert(sizeof(NvtxCallbacks) == 16 && sizeof(NvtxVersion) == 24, "NVTX");

/* The part of NVTX that is compiled into programs looks this function up and calls it. Returns
 * non-zero on success. */
__attribute__((visibility("default"))) int InitializeInjectionNvtx2(NvtxGetExport get_export);

#endif
