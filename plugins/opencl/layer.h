/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The OpenCL layer that the ICD loader puts between the program and the driver.
 *
 * The program's calls reach the functions in the lists of OpenclEntry; each of these calls the
 * function of the same name in opencl_below. Handles pass through unchanged.
 */
#ifndef STROBE_PLUGINS_OPENCL_LAYER_H
#define STROBE_PLUGINS_OPENCL_LAYER_H

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_icd.h>
#include <stdatomic.h>
#include <stddef.h>

/* The functions of the layer below. They must be set before the first call. A function is NULL if
 * the loader does not have it. */
extern cl_icd_dispatch opencl_below;

typedef void (*OpenclFunction)(void);

/* A function of this layer, and the offset of its pointer in the table. */
typedef struct OpenclEntry {
    const char *name;
    size_t offset;
    OpenclFunction function;
} OpenclEntry;

/* Checks at compile time that a function of this layer has the same type as the function that it
 * replaces. */
#define OPENCL_SAME_TYPE(name_, function_)                                                         \
    sizeof(struct {                                                                                \
        int is_same : __builtin_types_compatible_p(__typeof__(&function_),                         \
                                                   __typeof__(((cl_icd_dispatch *)0)->name_))      \
                      ? 1                                                                          \
                      : -1;                                                                        \
    })

#define OPENCL_ENTRY_AS(name_, function_)                                                          \
    {#name_, offsetof(cl_icd_dispatch, name_) + 0 * OPENCL_SAME_TYPE(name_, function_),            \
     (OpenclFunction)function_}
#define OPENCL_ENTRY(name_) OPENCL_ENTRY_AS(name_, name_##_traced)

/* Lists of the layer's functions. Each list ends with an entry whose name is NULL. */
extern const OpenclEntry opencl_call_entries[];
extern const OpenclEntry opencl_copy_entries[];
extern const OpenclEntry opencl_image_entries[];
extern const OpenclEntry opencl_kernel_entries[];
extern const OpenclEntry opencl_queue_entries[];
extern const OpenclEntry opencl_svm_entries[];
extern const OpenclEntry opencl_sync_entries[];
extern const OpenclEntry opencl_view_entries[];
extern const OpenclEntry opencl_extension_entries[];

/* Returns the layer's function for the core function with this name; NULL: neither this layer nor
 * the layer below has it. */
OpenclFunction opencl_layer_function(const char *name);

/* Returns whether the program has loaded this library as a layer. */
int opencl_layer_is_awake(void);

/* 1 while a window records. Every OpenCL call first reads this variable, so reading it must be a
 * single load. */
extern _Atomic int opencl_is_on;

static inline int opencl_on(void)
{
    return __builtin_expect(atomic_load_explicit(&opencl_is_on, memory_order_relaxed), 0);
}

#endif
