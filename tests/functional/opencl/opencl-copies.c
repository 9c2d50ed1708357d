/* SPDX-License-Identifier: Apache-2.0 */
/* Runs commands that access memory. */
#include <stdio.h>

#include "opencl-program.h"

/* Runs each command on buffers, images and shared memory once. */
void run_copies(void)
{
    cl_command_queue queue = make_queue(0);
    size_t origin[3] = {0, 0, 0}, region[3] = {64, 8, 2}, whole[3] = {16, 16, 1};
    cl_image_format format = {CL_RGBA, CL_FLOAT};
    cl_image_desc description = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 16};
    cl_buffer_region part = {1024, 2048};
    float zero[4] = {0, 0, 0, 0};
    size_t row = 0;
    cl_int status;

    write_values(queue);
    cl_mem sub =
        clCreateSubBuffer(a, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &part, &status);
    check(status, "sub-buffer");
    check(clEnqueueFillBuffer(queue, sub, zero, sizeof zero, 0, 1024, 0, NULL, NULL), "fill");
    check(clEnqueueCopyBuffer(queue, a, a, 0, 8192, 4096, 0, NULL, NULL), "copy");
    check(clEnqueueReadBufferRect(queue, a, CL_TRUE, origin, origin, region, 0, 0, 0, 0, values, 0,
                                  NULL, NULL),
          "read rectangle");
    float *place =
        clEnqueueMapBuffer(queue, a, CL_TRUE, CL_MAP_READ, 0, 512, 0, NULL, NULL, &status);
    check(status, "map");
    printf("mapped %.1f\n", place[5]);
    check(clEnqueueUnmapMemObject(queue, a, place, 0, NULL, NULL), "unmap");
    check(clEnqueueMigrateMemObjects(queue, 1, &a, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, NULL),
          "migrate");
    cl_mem image = clCreateImage(context, CL_MEM_READ_WRITE, &format, &description, NULL, &status);
    check(status, "image");
    check(clEnqueueWriteImage(queue, image, CL_TRUE, origin, whole, 0, 0, values, 0, NULL, NULL),
          "write image");
    check(clEnqueueReadImage(queue, image, CL_FALSE, origin, whole, 0, 0, values, 0, NULL, NULL),
          "read image");
    place = clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ, origin, whole, &row, NULL, 0,
                              NULL, NULL, &status);
    check(status, "map image");
    printf("mapped row %zu\n", row);
    check(clEnqueueUnmapMemObject(queue, image, place, 0, NULL, NULL), "unmap");
    check(clFinish(queue), "finish");
    printf("map of nothing: %d", clEnqueueMapBuffer(queue, NULL, CL_TRUE, CL_MAP_READ, 0, 512, 0,
                                                    NULL, NULL, &status) == NULL);
    printf(" %d\n", status);
    clReleaseMemObject(image);
    clReleaseMemObject(sub);
}

void run_svm(void)
{
    cl_command_queue queue = make_queue(0);
    float *shared = clSVMAlloc(context, CL_MEM_READ_WRITE, 4096, 0);
    float *other = clSVMAlloc(context, CL_MEM_READ_WRITE, 4096, 0);
    float two = 2;

    printf("shared %d\n", shared != NULL && other != NULL);
    check(clEnqueueSVMMemFill(queue, shared, &two, sizeof two, 2048, 0, NULL, NULL), "fill");
    check(clEnqueueSVMMemcpy(queue, CL_TRUE, other, shared, 2048, 0, NULL, NULL), "copy");
    check(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, other, 4096, 0, NULL, NULL), "map");
    printf("copied %.1f\n", other[511]);
    check(clEnqueueSVMUnmap(queue, other, 0, NULL, NULL), "unmap");
    check(clFinish(queue), "finish");
    clSVMFree(context, shared);
    clSVMFree(context, other);
}
