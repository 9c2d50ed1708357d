/* SPDX-License-Identifier: Apache-2.0 */
/* Records calls that create, build and release objects. These calls may take long, but put no
 * command into a queue. */
#include "opencl-calls.h"

#include "state.h"

void opencl_call_begin(uint64_t call, const char *name)
{
    if (opencl.records_calls)
        opencl.host->span_open(opencl.self, call, opencl.call, name, 0);
}

void opencl_call_end(uint64_t call, uint64_t connection, const OpenclText *mode,
                     const OpenclText *item)
{
    StrobeWriter *writer = opencl.records_calls ? opencl.host->writer(opencl.self) : NULL;

    if (!writer)
        return;
    const struct strobe_api_call fields = {
        .level = opencl_string_id(writer, "opencl"),
        .mode = opencl_text_id(writer, mode),
        .item = opencl_text_id(writer, item),
        .connection = connection,
        .exact_us = STROBE_ABSENT_F64,
    };
    opencl.host->span_close(opencl.self, call, opencl.call, &fields, sizeof fields);
}

/* ---- functions that are only recorded ---- */

#define NOTIFY void(CL_CALLBACK * notify)(cl_program, void *), void *data

OPENCL_TRACED(cl_context, clCreateContext,
              (const cl_context_properties *properties, cl_uint n, const cl_device_id *devices,
               void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *data,
               cl_int *status),
              (properties, n, devices, notify, data, status))
OPENCL_TRACED(cl_context, clCreateContextFromType,
              (const cl_context_properties *properties, cl_device_type type,
               void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *data,
               cl_int *status),
              (properties, type, notify, data, status))

OPENCL_TRACED(cl_mem, clCreateBuffer,
              (cl_context context, cl_mem_flags flags, size_t size, void *place, cl_int *status),
              (context, flags, size, place, status))
OPENCL_TRACED(cl_mem, clCreateBufferWithProperties,
              (cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
               size_t size, void *place, cl_int *status),
              (context, properties, flags, size, place, status))
OPENCL_TRACED(cl_mem, clCreateSubBuffer,
              (cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type, const void *info,
               cl_int *status),
              (buffer, flags, type, info, status))
OPENCL_TRACED(cl_mem, clCreateImage,
              (cl_context context, cl_mem_flags flags, const cl_image_format *format,
               const cl_image_desc *description, void *place, cl_int *status),
              (context, flags, format, description, place, status))
OPENCL_TRACED(cl_mem, clCreateImageWithProperties,
              (cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
               const cl_image_format *format, const cl_image_desc *description, void *place,
               cl_int *status),
              (context, properties, flags, format, description, place, status))
OPENCL_TRACED(cl_mem, clCreateImage2D,
              (cl_context context, cl_mem_flags flags, const cl_image_format *format, size_t width,
               size_t height, size_t row, void *place, cl_int *status),
              (context, flags, format, width, height, row, place, status))
OPENCL_TRACED(cl_mem, clCreateImage3D,
              (cl_context context, cl_mem_flags flags, const cl_image_format *format, size_t width,
               size_t height, size_t depth, size_t row, size_t slice, void *place, cl_int *status),
              (context, flags, format, width, height, depth, row, slice, place, status))
OPENCL_TRACED(cl_mem, clCreatePipe,
              (cl_context context, cl_mem_flags flags, cl_uint packet, cl_uint n,
               const cl_pipe_properties *properties, cl_int *status),
              (context, flags, packet, n, properties, status))
OPENCL_TRACED(cl_int, clReleaseMemObject, (cl_mem object), (object))

OPENCL_TRACED(cl_program, clCreateProgramWithSource,
              (cl_context context, cl_uint n, const char **texts, const size_t *lengths,
               cl_int *status),
              (context, n, texts, lengths, status))
OPENCL_TRACED(cl_program, clCreateProgramWithBinary,
              (cl_context context, cl_uint n, const cl_device_id *devices, const size_t *lengths,
               const unsigned char **binaries, cl_int *binary_status, cl_int *status),
              (context, n, devices, lengths, binaries, binary_status, status))
OPENCL_TRACED(cl_program, clCreateProgramWithBuiltInKernels,
              (cl_context context, cl_uint n, const cl_device_id *devices, const char *names,
               cl_int *status),
              (context, n, devices, names, status))
OPENCL_TRACED(cl_program, clCreateProgramWithIL,
              (cl_context context, const void *code, size_t length, cl_int *status),
              (context, code, length, status))
OPENCL_TRACED(cl_int, clBuildProgram,
              (cl_program program, cl_uint n, const cl_device_id *devices, const char *options,
               NOTIFY),
              (program, n, devices, options, notify, data))
OPENCL_TRACED(cl_int, clCompileProgram,
              (cl_program program, cl_uint n, const cl_device_id *devices, const char *options,
               cl_uint n_headers, const cl_program *headers, const char **names, NOTIFY),
              (program, n, devices, options, n_headers, headers, names, notify, data))
OPENCL_TRACED(cl_program, clLinkProgram,
              (cl_context context, cl_uint n, const cl_device_id *devices, const char *options,
               cl_uint n_programs, const cl_program *programs, NOTIFY, cl_int *status),
              (context, n, devices, options, n_programs, programs, notify, data, status))

const OpenclEntry opencl_call_entries[] = {
    OPENCL_ENTRY(clCreateContext),
    OPENCL_ENTRY(clCreateContextFromType),
    OPENCL_ENTRY(clCreateBuffer),
    OPENCL_ENTRY(clCreateBufferWithProperties),
    OPENCL_ENTRY(clCreateSubBuffer),
    OPENCL_ENTRY(clCreateImage),
    OPENCL_ENTRY(clCreateImageWithProperties),
    OPENCL_ENTRY(clCreateImage2D),
    OPENCL_ENTRY(clCreateImage3D),
    OPENCL_ENTRY(clCreatePipe),
    OPENCL_ENTRY(clReleaseMemObject),
    OPENCL_ENTRY(clCreateProgramWithSource),
    OPENCL_ENTRY(clCreateProgramWithBinary),
    OPENCL_ENTRY(clCreateProgramWithBuiltInKernels),
    OPENCL_ENTRY(clCreateProgramWithIL),
    OPENCL_ENTRY(clBuildProgram),
    OPENCL_ENTRY(clCompileProgram),
    OPENCL_ENTRY(clLinkProgram),
    {NULL, 0, NULL},
};
