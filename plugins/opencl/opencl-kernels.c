/* SPDX-License-Identifier: Apache-2.0 */
/* Records the names of kernels, and the calls that launch kernels. */
#include "opencl-kernels.h"

#include <string.h>

#include "opencl-calls.h"
#include "enqueue.h"
#include "handle-table.h"

#define NAME_BYTES 4097 /* longer names are not read */

static HandleTable table = HANDLE_TABLE_INIT;

void opencl_kernels_after_fork(void)
{
    handle_table_after_fork(&table);
}

/* Removes the name of a handle, because the driver has reused the handle and the name is that of an
 * earlier kernel. */
static void forget_kernel(cl_kernel kernel)
{
    if (handle_table_find(&table, kernel))
        handle_table_put(&table, kernel, NULL, NULL);
}

static const OpenclText *ask_name(cl_kernel kernel)
{
    char name[NAME_BYTES] = "";

    if (opencl_below.clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL) !=
        CL_SUCCESS)
        return NULL;
    name[sizeof name - 1] = '\0';
    return opencl_text(name, strlen(name));
}

static const OpenclText *name_of(cl_kernel kernel)
{
    const OpenclText *name = handle_table_find(&table, kernel);

    if (name || !kernel)
        return name;
    name = ask_name(kernel);
    if (name)
        handle_table_put(&table, kernel, (void *)(uintptr_t)name, NULL);
    return name;
}

/* ---- creating kernels ---- */

OPENCL_TRACED(cl_kernel, clCreateKernel, (cl_program program, const char *name, cl_int *status),
              (program, name, status))
OPENCL_TRACED(cl_kernel, clCloneKernel, (cl_kernel kernel, cl_int *status), (kernel, status))
OPENCL_TRACED(cl_int, clCreateKernelsInProgram,
              (cl_program program, cl_uint n, cl_kernel *kernels, cl_uint *n_ret),
              (program, n, kernels, n_ret))

static cl_kernel CL_API_CALL create_kernel(cl_program program, const char *name, cl_int *status)
{
    cl_kernel kernel = clCreateKernel_traced(program, name, status);

    forget_kernel(kernel);
    return kernel;
}

static cl_kernel CL_API_CALL clone_kernel(cl_kernel from, cl_int *status)
{
    cl_kernel kernel = clCloneKernel_traced(from, status);

    forget_kernel(kernel);
    return kernel;
}

static cl_int CL_API_CALL create_kernels(cl_program program, cl_uint n, cl_kernel *kernels,
                                         cl_uint *n_ret)
{
    cl_uint made = 0;
    cl_int status = clCreateKernelsInProgram_traced(program, n, kernels, &made);

    for (cl_uint i = 0; status == CL_SUCCESS && kernels && i < made && i < n; i++)
        forget_kernel(kernels[i]);
    if (n_ret && status == CL_SUCCESS)
        *n_ret = made;
    return status;
}

/* ---- launching kernels ---- */

static void describe_work(OpenclEnqueue *call, cl_kernel kernel, cl_uint n, const size_t *global,
                          const size_t *local)
{
    OpenclWork *work = call->command ? &call->command->work : NULL;

    if (!work)
        return;
    work->kernel = name_of(kernel);
    work->n_dimensions = (uint8_t)(global && n <= 3 ? n : 0);
    work->has_local = local != NULL;
    for (cl_uint i = 0; i < work->n_dimensions; i++) {
        work->global[i] = global[i];
        work->local[i] = local ? local[i] : 0;
    }
}

OPENCL_ENQUEUE(clEnqueueNDRangeKernel, OPENCL_KERNEL,
               (cl_command_queue queue, cl_kernel kernel, cl_uint n, const size_t *offset,
                const size_t *global, const size_t *local, cl_uint n_waits, const cl_event *waits,
                cl_event *event),
               (queue, kernel, n, offset, global, local, n_waits, waits, event),
               describe_work(&call, kernel, n, global, local))

static const size_t one[3] = {1, 1, 1};

OPENCL_ENQUEUE(clEnqueueTask, OPENCL_KERNEL,
               (cl_command_queue queue, cl_kernel kernel, cl_uint n_waits, const cl_event *waits,
                cl_event *event),
               (queue, kernel, n_waits, waits, event), describe_work(&call, kernel, 1, one, one))

OPENCL_ENQUEUE(clEnqueueNativeKernel, OPENCL_NATIVE_KERNEL,
               (cl_command_queue queue, void(CL_CALLBACK *function)(void *), void *arguments,
                size_t size, cl_uint n, const cl_mem *memories, const void **places,
                cl_uint n_waits, const cl_event *waits, cl_event *event),
               (queue, function, arguments, size, n, memories, places, n_waits, waits, event), )

const OpenclEntry opencl_kernel_entries[] = {
    OPENCL_ENTRY_AS(clCreateKernel, create_kernel),
    OPENCL_ENTRY_AS(clCloneKernel, clone_kernel),
    OPENCL_ENTRY_AS(clCreateKernelsInProgram, create_kernels),
    OPENCL_ENTRY(clEnqueueNDRangeKernel),
    OPENCL_ENTRY(clEnqueueTask),
    OPENCL_ENTRY(clEnqueueNativeKernel),
    {NULL, 0, NULL},
};
