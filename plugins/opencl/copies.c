/* SPDX-License-Identifier: Apache-2.0 */
/* Commands on buffers. */
#include "enqueue.h"

#define WAITS cl_uint n_waits, const cl_event *waits, cl_event *event

static uint64_t region_bytes(const size_t *region)
{
    return region ? (uint64_t)region[0] * region[1] * region[2] : STROBE_ABSENT_U64;
}

/* Returns the total size of the objects, which is the maximum that a migration can copy. */
static uint64_t object_bytes(cl_uint n, const cl_mem *objects)
{
    uint64_t bytes = 0;
    size_t size;

    for (cl_uint i = 0; objects && i < n; i++) {
        if (opencl_below.clGetMemObjectInfo(objects[i], CL_MEM_SIZE, sizeof size, &size, NULL) !=
            CL_SUCCESS)
            return STROBE_ABSENT_U64;
        bytes += size;
    }
    return bytes;
}

OPENCL_ENQUEUE(clEnqueueReadBuffer, OPENCL_READ,
               (cl_command_queue queue, cl_mem buffer, cl_bool is_blocking, size_t offset,
                size_t size, void *place, WAITS),
               (queue, buffer, is_blocking, offset, size, place, n_waits, waits, event),
               call.is_blocking = is_blocking != 0;
               opencl_enqueue_bytes(&call, size))

OPENCL_ENQUEUE(clEnqueueWriteBuffer, OPENCL_WRITE,
               (cl_command_queue queue, cl_mem buffer, cl_bool is_blocking, size_t offset,
                size_t size, const void *place, WAITS),
               (queue, buffer, is_blocking, offset, size, place, n_waits, waits, event),
               call.is_blocking = is_blocking != 0;
               opencl_enqueue_bytes(&call, size))

OPENCL_ENQUEUE(clEnqueueReadBufferRect, OPENCL_READ,
               (cl_command_queue queue, cl_mem buffer, cl_bool is_blocking, const size_t *from,
                const size_t *to, const size_t *region, size_t row, size_t slice, size_t host_row,
                size_t host_slice, void *place, WAITS),
               (queue, buffer, is_blocking, from, to, region, row, slice, host_row, host_slice,
                place, n_waits, waits, event),
               call.is_blocking = is_blocking != 0;
               opencl_enqueue_bytes(&call, region_bytes(region)))

OPENCL_ENQUEUE(clEnqueueWriteBufferRect, OPENCL_WRITE,
               (cl_command_queue queue, cl_mem buffer, cl_bool is_blocking, const size_t *to,
                const size_t *from, const size_t *region, size_t row, size_t slice, size_t host_row,
                size_t host_slice, const void *place, WAITS),
               (queue, buffer, is_blocking, to, from, region, row, slice, host_row, host_slice,
                place, n_waits, waits, event),
               call.is_blocking = is_blocking != 0;
               opencl_enqueue_bytes(&call, region_bytes(region)))

OPENCL_ENQUEUE(clEnqueueCopyBuffer, OPENCL_COPY,
               (cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset,
                size_t to_offset, size_t size, WAITS),
               (queue, from, to, from_offset, to_offset, size, n_waits, waits, event),
               opencl_enqueue_bytes(&call, size))

OPENCL_ENQUEUE(clEnqueueCopyBufferRect, OPENCL_COPY,
               (cl_command_queue queue, cl_mem from, cl_mem to, const size_t *from_origin,
                const size_t *to_origin, const size_t *region, size_t from_row, size_t from_slice,
                size_t to_row, size_t to_slice, WAITS),
               (queue, from, to, from_origin, to_origin, region, from_row, from_slice, to_row,
                to_slice, n_waits, waits, event),
               opencl_enqueue_bytes(&call, region_bytes(region)))

OPENCL_ENQUEUE(clEnqueueFillBuffer, OPENCL_FILL,
               (cl_command_queue queue, cl_mem buffer, const void *pattern, size_t pattern_size,
                size_t offset, size_t size, WAITS),
               (queue, buffer, pattern, pattern_size, offset, size, n_waits, waits, event),
               opencl_enqueue_bytes(&call, size))

OPENCL_ENQUEUE(clEnqueueMigrateMemObjects, OPENCL_MIGRATE,
               (cl_command_queue queue, cl_uint n, const cl_mem *objects,
                cl_mem_migration_flags flags, WAITS),
               (queue, n, objects, flags, n_waits, waits, event),
               opencl_enqueue_bytes(&call, object_bytes(n, objects)))

OPENCL_ENQUEUE(clEnqueueUnmapMemObject, OPENCL_UNMAP,
               (cl_command_queue queue, cl_mem object, void *place, WAITS),
               (queue, object, place, n_waits, waits, event), )

/* Is not made by OPENCL_ENQUEUE, because this function returns a pointer and passes its status in
 * an argument. */
static void *CL_API_CALL clEnqueueMapBuffer_traced(cl_command_queue queue, cl_mem buffer,
                                                   cl_bool is_blocking, cl_map_flags flags,
                                                   size_t offset, size_t size, WAITS,
                                                   cl_int *status)
{
    cl_int own = CL_SUCCESS;
    OpenclEnqueue call;

    if (!opencl_on())
        return opencl_below.clEnqueueMapBuffer(queue, buffer, is_blocking, flags, offset, size,
                                               n_waits, waits, event, status);
    event = opencl_enqueue_begin(&call, "clEnqueueMapBuffer", queue, OPENCL_MAP, event);
    call.is_blocking = is_blocking != 0;
    opencl_enqueue_bytes(&call, size);
    void *place = opencl_below.clEnqueueMapBuffer(queue, buffer, is_blocking, flags, offset, size,
                                                  n_waits, waits, event, &own);
    opencl_enqueue_end(&call, place ? own : CL_MAP_FAILURE);
    if (status)
        *status = own;
    return place;
}

const OpenclEntry opencl_copy_entries[] = {
    OPENCL_ENTRY(clEnqueueReadBuffer),
    OPENCL_ENTRY(clEnqueueWriteBuffer),
    OPENCL_ENTRY(clEnqueueReadBufferRect),
    OPENCL_ENTRY(clEnqueueWriteBufferRect),
    OPENCL_ENTRY(clEnqueueCopyBuffer),
    OPENCL_ENTRY(clEnqueueCopyBufferRect),
    OPENCL_ENTRY(clEnqueueFillBuffer),
    OPENCL_ENTRY(clEnqueueMigrateMemObjects),
    OPENCL_ENTRY(clEnqueueUnmapMemObject),
    OPENCL_ENTRY(clEnqueueMapBuffer),
    {NULL, 0, NULL},
};
