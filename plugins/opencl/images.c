/* SPDX-License-Identifier: Apache-2.0 */
/* Commands on images. */
#include "enqueue.h"

#define WAITS cl_uint n_waits, const cl_event *waits, cl_event *event

static uint64_t image_bytes(cl_mem image, const size_t *region)
{
    size_t element = 0;

    if (!region || opencl_below.clGetImageInfo(image, CL_IMAGE_ELEMENT_SIZE, sizeof element,
                                               &element, NULL) != CL_SUCCESS)
        return STROBE_ABSENT_U64;
    return (uint64_t)element * region[0] * region[1] * region[2];
}

OPENCL_ENQUEUE(clEnqueueReadImage, OPENCL_READ,
               (cl_command_queue queue, cl_mem image, cl_bool is_blocking, const size_t *origin,
                const size_t *region, size_t row, size_t slice, void *place, WAITS),
               (queue, image, is_blocking, origin, region, row, slice, place, n_waits, waits,
                event),
               call.is_blocking = is_blocking != 0;
               opencl_enqueue_bytes(&call, image_bytes(image, region)))

OPENCL_ENQUEUE(clEnqueueWriteImage, OPENCL_WRITE,
               (cl_command_queue queue, cl_mem image, cl_bool is_blocking, const size_t *origin,
                const size_t *region, size_t row, size_t slice, const void *place, WAITS),
               (queue, image, is_blocking, origin, region, row, slice, place, n_waits, waits,
                event),
               call.is_blocking = is_blocking != 0;
               opencl_enqueue_bytes(&call, image_bytes(image, region)))

OPENCL_ENQUEUE(clEnqueueCopyImage, OPENCL_COPY,
               (cl_command_queue queue, cl_mem from, cl_mem to, const size_t *from_origin,
                const size_t *to_origin, const size_t *region, WAITS),
               (queue, from, to, from_origin, to_origin, region, n_waits, waits, event),
               opencl_enqueue_bytes(&call, image_bytes(from, region)))

OPENCL_ENQUEUE(clEnqueueCopyImageToBuffer, OPENCL_COPY,
               (cl_command_queue queue, cl_mem image, cl_mem buffer, const size_t *origin,
                const size_t *region, size_t offset, WAITS),
               (queue, image, buffer, origin, region, offset, n_waits, waits, event),
               opencl_enqueue_bytes(&call, image_bytes(image, region)))

OPENCL_ENQUEUE(clEnqueueCopyBufferToImage, OPENCL_COPY,
               (cl_command_queue queue, cl_mem buffer, cl_mem image, size_t offset,
                const size_t *origin, const size_t *region, WAITS),
               (queue, buffer, image, offset, origin, region, n_waits, waits, event),
               opencl_enqueue_bytes(&call, image_bytes(image, region)))

OPENCL_ENQUEUE(clEnqueueFillImage, OPENCL_FILL,
               (cl_command_queue queue, cl_mem image, const void *colour, const size_t *origin,
                const size_t *region, WAITS),
               (queue, image, colour, origin, region, n_waits, waits, event),
               opencl_enqueue_bytes(&call, image_bytes(image, region)))

static void *CL_API_CALL clEnqueueMapImage_traced(cl_command_queue queue, cl_mem image,
                                                  cl_bool is_blocking, cl_map_flags flags,
                                                  const size_t *origin, const size_t *region,
                                                  size_t *row, size_t *slice, WAITS, cl_int *status)
{
    cl_int own = CL_SUCCESS;
    OpenclEnqueue call;

    if (!opencl_on())
        return opencl_below.clEnqueueMapImage(queue, image, is_blocking, flags, origin, region, row,
                                              slice, n_waits, waits, event, status);
    event = opencl_enqueue_begin(&call, "clEnqueueMapImage", queue, OPENCL_MAP, event);
    call.is_blocking = is_blocking != 0;
    opencl_enqueue_bytes(&call, image_bytes(image, region));
    void *place = opencl_below.clEnqueueMapImage(queue, image, is_blocking, flags, origin, region,
                                                 row, slice, n_waits, waits, event, &own);
    opencl_enqueue_end(&call, place ? own : CL_MAP_FAILURE);
    if (status)
        *status = own;
    return place;
}

const OpenclEntry opencl_image_entries[] = {
    OPENCL_ENTRY(clEnqueueReadImage),         OPENCL_ENTRY(clEnqueueWriteImage),
    OPENCL_ENTRY(clEnqueueCopyImage),         OPENCL_ENTRY(clEnqueueCopyImageToBuffer),
    OPENCL_ENTRY(clEnqueueCopyBufferToImage), OPENCL_ENTRY(clEnqueueFillImage),
    OPENCL_ENTRY(clEnqueueMapImage),          {NULL, 0, NULL},
};
