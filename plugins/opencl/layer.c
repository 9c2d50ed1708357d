/* SPDX-License-Identifier: Apache-2.0 */
#include "layer.h"

#include <CL/cl_layer.h>
#include <dlfcn.h>
#include <string.h>

#include <strobe/plugin.h>

cl_icd_dispatch opencl_below;
_Atomic int opencl_is_on;

static cl_icd_dispatch layer;
static _Atomic int is_awake;

static const OpenclEntry *const lists[] = {
    opencl_call_entries,   opencl_copy_entries,      opencl_image_entries,
    opencl_kernel_entries, opencl_queue_entries,     opencl_svm_entries,
    opencl_sync_entries,   opencl_extension_entries, opencl_view_entries,
};

#define N_LISTS (sizeof lists / sizeof lists[0])

static const OpenclEntry *find_entry(const char *name)
{
    for (size_t i = 0; i < N_LISTS; i++)
        for (const OpenclEntry *entry = lists[i]; entry->name; entry++)
            if (strcmp(entry->name, name) == 0)
                return entry;
    return NULL;
}

OpenclFunction opencl_layer_function(const char *name)
{
    const OpenclEntry *entry = find_entry(name);
    OpenclFunction below = NULL;

    if (entry)
        memcpy(&below, (const char *)&opencl_below + entry->offset, sizeof below);
    return below ? entry->function : NULL;
}

int opencl_layer_is_awake(void)
{
    return atomic_load(&is_awake);
}

/* Puts the layer's function into the table, unless the layer below does not have the function. */
static void install_entry(const OpenclEntry *entry)
{
    OpenclFunction below;
    char *place = (char *)&layer + entry->offset;

    memcpy(&below, place, sizeof below);
    if (below)
        memcpy(place, &entry->function, sizeof below);
}

static void call_wake(void)
{
    void (*function)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, STROBE_WAKE_SYMBOL);

    atomic_store(&is_awake, 1);
    if (function)
        function();
}

/* ---- functions that the loader looks for ---- */

static cl_int write_answer(const void *value, size_t length, size_t size, void *place,
                           size_t *size_ret)
{
    if (place && size < length)
        return CL_INVALID_VALUE;
    if (place)
        memcpy(place, value, length);
    if (size_ret)
        *size_ret = length;
    return CL_SUCCESS;
}

__attribute__((visibility("default"))) cl_int clGetLayerInfo(cl_layer_info name, size_t size,
                                                             void *value, size_t *size_ret)
{
    static const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    static const char text[] = "Strobe";

    switch (name) {
    case CL_LAYER_API_VERSION:
        return write_answer(&version, sizeof version, size, value, size_ret);
    case CL_LAYER_NAME:
        return write_answer(text, sizeof text, size, value, size_ret);
    default:
        return CL_INVALID_VALUE;
    }
}

/* Inserts the layer; the loader calls this function. If the process has a second loader, for
 * example a statically linked one, returns the second loader's own table, so that this loader runs
 * without the layer, because there is only one `opencl_below`. */
__attribute__((visibility("default"))) cl_int clInitLayer(cl_uint n, const cl_icd_dispatch *target,
                                                          cl_uint *n_ret,
                                                          const cl_icd_dispatch **layer_ret)
{
    static atomic_flag is_taken = ATOMIC_FLAG_INIT;
    const size_t ours = sizeof layer / sizeof(OpenclFunction);

    if (!target || !n_ret || !layer_ret)
        return CL_INVALID_VALUE;
    *n_ret = n < ours ? n : (cl_uint)ours;
    if (atomic_flag_test_and_set(&is_taken)) {
        *layer_ret = target;
        return CL_SUCCESS;
    }
    memcpy(&opencl_below, target, *n_ret * sizeof(OpenclFunction));
    memcpy(&layer, target, *n_ret * sizeof(OpenclFunction));
    for (size_t i = 0; i < N_LISTS; i++)
        for (const OpenclEntry *entry = lists[i]; entry->name; entry++)
            install_entry(entry);
    *layer_ret = &layer;
    call_wake();
    return CL_SUCCESS;
}
