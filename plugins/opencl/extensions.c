/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that the program looks up by name. The program gets the layer's functions, which call
 * the driver's functions, because calls of the driver's own functions would bypass the layer.
 */
#include <string.h>

#include "opencl-calls.h"
#include "enqueue.h"
#include "queues.h"

#define WAITS cl_uint n_waits, const cl_event *waits, cl_event *event

/* The driver's function; if several platforms have the function, that of the first platform that
 * was queried. */
#define GIVEN(name_) static _Atomic(OpenclFunction) name_##_given;

#define ENQUEUE(name_, sort_, params_, args_, describe_)                                           \
    GIVEN(name_)                                                                                   \
    static cl_int CL_API_CALL name_##_traced params_                                               \
    {                                                                                              \
        cl_int(CL_API_CALL *below) params_ = (cl_int(CL_API_CALL *) params_)atomic_load_explicit(  \
            &name_##_given, memory_order_relaxed);                                                 \
        OpenclEnqueue call;                                                                        \
        if (!opencl_on())                                                                          \
            return below args_;                                                                    \
        event = opencl_enqueue_begin(&call, #name_, queue, sort_, event);                          \
        describe_;                                                                                 \
        return opencl_enqueue_end(&call, below args_);                                             \
    }

ENQUEUE(clEnqueueMigrateMemObjectEXT, OPENCL_MIGRATE,
        (cl_command_queue queue, cl_uint n, const cl_mem *objects, cl_bitfield flags, WAITS),
        (queue, n, objects, flags, n_waits, waits, event), )
ENQUEUE(clEnqueueMemcpyINTEL, OPENCL_SVM_COPY,
        (cl_command_queue queue, cl_bool is_blocking, void *to, const void *from, size_t size,
         WAITS),
        (queue, is_blocking, to, from, size, n_waits, waits, event),
        call.is_blocking = is_blocking != 0;
        opencl_enqueue_bytes(&call, size))
ENQUEUE(clEnqueueMemFillINTEL, OPENCL_SVM_FILL,
        (cl_command_queue queue, void *place, const void *pattern, size_t pattern_size, size_t size,
         WAITS),
        (queue, place, pattern, pattern_size, size, n_waits, waits, event),
        opencl_enqueue_bytes(&call, size))
ENQUEUE(clEnqueueSVMMemcpyARM, OPENCL_SVM_COPY,
        (cl_command_queue queue, cl_bool is_blocking, void *to, const void *from, size_t size,
         WAITS),
        (queue, is_blocking, to, from, size, n_waits, waits, event),
        call.is_blocking = is_blocking != 0;
        opencl_enqueue_bytes(&call, size))
ENQUEUE(clEnqueueSVMMemFillARM, OPENCL_SVM_FILL,
        (cl_command_queue queue, void *place, const void *pattern, size_t pattern_size, size_t size,
         WAITS),
        (queue, place, pattern, pattern_size, size, n_waits, waits, event),
        opencl_enqueue_bytes(&call, size))
ENQUEUE(clEnqueueSVMMapARM, OPENCL_SVM_MAP,
        (cl_command_queue queue, cl_bool is_blocking, cl_map_flags flags, void *place, size_t size,
         WAITS),
        (queue, is_blocking, flags, place, size, n_waits, waits, event),
        call.is_blocking = is_blocking != 0;
        opencl_enqueue_bytes(&call, size))
ENQUEUE(clEnqueueSVMUnmapARM, OPENCL_SVM_UNMAP, (cl_command_queue queue, void *place, WAITS),
        (queue, place, n_waits, waits, event), )

/* Records a command buffer as one command. Its queue is known only if the program passes a
 * queue. */
GIVEN(clEnqueueCommandBufferKHR)

static cl_int CL_API_CALL clEnqueueCommandBufferKHR_traced(cl_uint n, cl_command_queue *queues,
                                                           cl_command_buffer_khr buffer, WAITS)
{
    clEnqueueCommandBufferKHR_fn below = (clEnqueueCommandBufferKHR_fn)atomic_load_explicit(
        &clEnqueueCommandBufferKHR_given, memory_order_relaxed);
    OpenclEnqueue call;

    if (!opencl_on())
        return below(n, queues, buffer, n_waits, waits, event);
    event = opencl_enqueue_begin(&call, "clEnqueueCommandBufferKHR", n && queues ? *queues : NULL,
                                 OPENCL_COMMAND_BUFFER, event);
    return opencl_enqueue_end(&call, below(n, queues, buffer, n_waits, waits, event));
}

GIVEN(clCreateCommandQueueWithPropertiesKHR)

static cl_command_queue CL_API_CALL clCreateCommandQueueWithPropertiesKHR_traced(
    cl_context context, cl_device_id device, const cl_queue_properties *properties, cl_int *status)
{
    OpenclMakeQueue *below = (OpenclMakeQueue *)atomic_load_explicit(
        &clCreateCommandQueueWithPropertiesKHR_given, memory_order_relaxed);

    if (opencl_on())
        opencl_call_begin(OPENCL_CALL, "clCreateCommandQueueWithPropertiesKHR");
    cl_command_queue queue = opencl_queue_make(below, context, device, properties, status);
    if (opencl_on())
        opencl_call_end(OPENCL_CALL, STROBE_ABSENT_U64, NULL, NULL);
    return queue;
}

#define EXTENSION(name_) {#name_, (OpenclFunction)name_##_traced, &name_##_given}

static const struct {
    const char *name;
    OpenclFunction ours;
    _Atomic(OpenclFunction) *given;
} extensions[] = {
    EXTENSION(clEnqueueMigrateMemObjectEXT),
    EXTENSION(clEnqueueMemcpyINTEL),
    EXTENSION(clEnqueueMemFillINTEL),
    EXTENSION(clEnqueueSVMMemcpyARM),
    EXTENSION(clEnqueueSVMMemFillARM),
    EXTENSION(clEnqueueSVMMapARM),
    EXTENSION(clEnqueueSVMUnmapARM),
    EXTENSION(clEnqueueCommandBufferKHR),
    EXTENSION(clCreateCommandQueueWithPropertiesKHR),
};

/* Stores the first platform's function and returns the layer's function. For another platform that
 * has a function of the same name, returns this platform's function, whose calls are not
 * recorded. */
static OpenclFunction take_function(_Atomic(OpenclFunction) *place, OpenclFunction ours,
                                    void *given)
{
    OpenclFunction none = NULL, function;

    memcpy(&function, &given, sizeof function);
    if (atomic_compare_exchange_strong(place, &none, function) || none == function)
        return ours;
    return function;
}

/* Returns the layer's function with this name; `given`: there is none. The layer's function for a
 * core function calls the loader's function, which calls the driver's function. */
static void *replace_function(const char *name, void *given)
{
    OpenclFunction ours = given && name ? opencl_layer_function(name) : NULL;
    void *result = given;

    for (size_t i = 0; given && name && !ours && i < sizeof extensions / sizeof *extensions; i++)
        if (strcmp(extensions[i].name, name) == 0)
            ours = take_function(extensions[i].given, extensions[i].ours, given);
    if (ours)
        memcpy(&result, &ours, sizeof result);
    return result;
}

static void *CL_API_CALL clGetExtensionFunctionAddress_traced(const char *name)
{
    return replace_function(name, opencl_below.clGetExtensionFunctionAddress(name));
}

static void *CL_API_CALL clGetExtensionFunctionAddressForPlatform_traced(cl_platform_id platform,
                                                                         const char *name)
{
    return replace_function(name,
                            opencl_below.clGetExtensionFunctionAddressForPlatform(platform, name));
}

const OpenclEntry opencl_extension_entries[] = {
    OPENCL_ENTRY(clGetExtensionFunctionAddress),
    OPENCL_ENTRY(clGetExtensionFunctionAddressForPlatform),
    {NULL, 0, NULL},
};
