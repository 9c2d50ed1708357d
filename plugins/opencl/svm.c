/* SPDX-License-Identifier: Apache-2.0 */
/* Records commands on memory that the host and the device share. */
#include "opencl-calls.h"
#include "enqueue.h"

#define WAITS cl_uint n_waits, const cl_event *waits, cl_event *event

/* Returns the sum of the sizes. Returns the absent value if a size is 0, because 0 means the whole
 * allocation, whose size is not known here. */
static uint64_t sum_sizes(cl_uint n, const size_t *sizes)
{
    uint64_t bytes = 0;

    for (cl_uint i = 0; sizes && i < n; i++) {
        if (!sizes[i])
            return STROBE_ABSENT_U64;
        bytes += sizes[i];
    }
    return sizes ? bytes : STROBE_ABSENT_U64;
}

OPENCL_TRACED(void *, clSVMAlloc,
              (cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment),
              (context, flags, size, alignment))

static void CL_API_CALL clSVMFree_traced(cl_context context, void *place)
{

    if (!opencl_on()) {
        opencl_below.clSVMFree(context, place);
        return;
    }
    opencl_call_begin(OPENCL_CALL, "clSVMFree");
    opencl_below.clSVMFree(context, place);
    opencl_call_end(OPENCL_CALL, STROBE_ABSENT_U64, NULL, NULL);
}

OPENCL_ENQUEUE(clEnqueueSVMFree, OPENCL_SVM_FREE,
               (cl_command_queue queue, cl_uint n, void *places[],
                void(CL_CALLBACK *release)(cl_command_queue, cl_uint, void *[], void *), void *data,
                WAITS),
               (queue, n, places, release, data, n_waits, waits, event), )

OPENCL_ENQUEUE(clEnqueueSVMMemcpy, OPENCL_SVM_COPY,
               (cl_command_queue queue, cl_bool is_blocking, void *to, const void *from,
                size_t size, WAITS),
               (queue, is_blocking, to, from, size, n_waits, waits, event),
               call.is_blocking = is_blocking != 0;
               opencl_enqueue_bytes(&call, size))

OPENCL_ENQUEUE(clEnqueueSVMMemFill, OPENCL_SVM_FILL,
               (cl_command_queue queue, void *place, const void *pattern, size_t pattern_size,
                size_t size, WAITS),
               (queue, place, pattern, pattern_size, size, n_waits, waits, event),
               opencl_enqueue_bytes(&call, size))

OPENCL_ENQUEUE(clEnqueueSVMMap, OPENCL_SVM_MAP,
               (cl_command_queue queue, cl_bool is_blocking, cl_map_flags flags, void *place,
                size_t size, WAITS),
               (queue, is_blocking, flags, place, size, n_waits, waits, event),
               call.is_blocking = is_blocking != 0;
               opencl_enqueue_bytes(&call, size))

OPENCL_ENQUEUE(clEnqueueSVMUnmap, OPENCL_SVM_UNMAP, (cl_command_queue queue, void *place, WAITS),
               (queue, place, n_waits, waits, event), )

OPENCL_ENQUEUE(clEnqueueSVMMigrateMem, OPENCL_SVM_MIGRATE,
               (cl_command_queue queue, cl_uint n, const void **places, const size_t *sizes,
                cl_mem_migration_flags flags, WAITS),
               (queue, n, places, sizes, flags, n_waits, waits, event),
               opencl_enqueue_bytes(&call, sum_sizes(n, sizes)))

const OpenclEntry opencl_svm_entries[] = {
    OPENCL_ENTRY(clSVMAlloc),
    OPENCL_ENTRY(clSVMFree),
    OPENCL_ENTRY(clEnqueueSVMFree),
    OPENCL_ENTRY(clEnqueueSVMMemcpy),
    OPENCL_ENTRY(clEnqueueSVMMemFill),
    OPENCL_ENTRY(clEnqueueSVMMap),
    OPENCL_ENTRY(clEnqueueSVMUnmap),
    OPENCL_ENTRY(clEnqueueSVMMigrateMem),
    {NULL, 0, NULL},
};
