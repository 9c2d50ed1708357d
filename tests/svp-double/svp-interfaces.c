/* SPDX-License-Identifier: Apache-2.0 */
/* Those functions of the runtime that have nothing to do with layers: contexts, host memory,
 * reports, settings of models, dumps, profiling by calls. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "svp-double.h"

enum { PARAMETER = 100000, DUMP_RUNNING = 100044, DUMP_NOT_RUNNING = 100045 };

/* ---- devices, contexts, reports ---- */

static __thread void *current_context;

int svp_acl_rt_get_run_mode(int *mode)
{
    *mode = 0; /* on the device */
    return svp_double_error(__func__);
}

int svp_acl_rt_create_context(void **context, int32_t device)
{
    (void)device;
    *context = malloc(1);
    return svp_double_error(__func__);
}

int svp_acl_rt_destroy_context(void *context)
{
    if (context == current_context)
        current_context = NULL;
    free(context);
    return svp_double_error(__func__);
}

int svp_acl_rt_set_current_context(void *context)
{
    current_context = context;
    return svp_double_error(__func__);
}

int svp_acl_rt_get_current_context(void **context)
{
    *context = current_context;
    return svp_double_error(__func__);
}

int svp_acl_rt_subscribe_report(uint64_t thread, void *stream)
{
    (void)thread;
    (void)stream;
    return svp_double_error(__func__);
}

int svp_acl_rt_unsubscribe_report(uint64_t thread, void *stream)
{
    (void)thread;
    (void)stream;
    return svp_double_error(__func__);
}

int svp_acl_rt_process_report(int32_t timeout)
{
    (void)timeout;
    return svp_double_error(__func__);
}

/* Calls the function at once, because the double's streams are empty when a call returns. */
int svp_acl_rt_launch_callback(void (*function)(void *), void *user, int block, void *stream)
{
    (void)block;
    (void)stream;
    if (!function)
        return PARAMETER;
    function(user);
    return svp_double_error(__func__);
}

int svp_acl_rt_set_op_wait_timeout(uint32_t timeout)
{
    (void)timeout;
    return svp_double_error(__func__);
}

/* ---- memory ---- */

int svp_acl_rt_malloc_cached(void **memory, size_t size, int policy)
{
    (void)policy;
    *memory = malloc(size);
    return svp_double_error(__func__);
}

int svp_acl_rt_malloc_host(void **memory, size_t size)
{
    *memory = malloc(size);
    return svp_double_error(__func__);
}

int svp_acl_rt_free_host(const void *memory)
{
    free((void *)(uintptr_t)memory);
    return svp_double_error(__func__);
}

int svp_acl_rt_mem_flush(const void *memory, size_t size)
{
    (void)size;
    return memory ? svp_double_error(__func__) : PARAMETER;
}

int svp_acl_rt_mem_invalidate(const void *memory, size_t size)
{
    (void)size;
    return memory ? svp_double_error(__func__) : PARAMETER;
}

/* ---- models ---- */

int svp_acl_mdl_get_desc(void *description, uint32_t id)
{
    return description ? svp_double_model_error(__func__, id) : PARAMETER;
}

int svp_acl_mdl_set_dynamic_batch_size(uint32_t id, void *set, size_t index, uint64_t batch)
{
    (void)set;
    (void)index;
    return batch ? svp_double_model_error(__func__, id) : PARAMETER;
}

int svp_acl_mdl_set_dynamic_hw_size(uint32_t id, void *set, size_t index, uint64_t height,
                                    uint64_t width)
{
    (void)set;
    (void)index;
    return height && width ? svp_double_model_error(__func__, id) : PARAMETER;
}

int svp_acl_mdl_set_total_t(uint32_t id, void *set, uint64_t total)
{
    (void)set;
    return total ? svp_double_model_error(__func__, id) : PARAMETER;
}

int svp_acl_mdl_set_input_aipp(uint32_t id, void *set, size_t index, const void *aipp)
{
    (void)set;
    (void)index;
    (void)aipp;
    return svp_double_model_error(__func__, id);
}

int svp_acl_mdl_set_output_aipp(uint32_t id, void *set, size_t index, const void *aipp)
{
    (void)set;
    (void)index;
    (void)aipp;
    return svp_double_model_error(__func__, id);
}

/* ---- dumps: none is written ---- */

static int dumps;

int svp_acl_mdl_init_dump(void)
{
    if (dumps)
        return DUMP_RUNNING;
    dumps = 1;
    return svp_double_error(__func__);
}

int svp_acl_mdl_set_dump(const char *path)
{
    if (!dumps)
        return DUMP_NOT_RUNNING;
    return path ? svp_double_error(__func__) : PARAMETER;
}

int svp_acl_mdl_finalize_dump(void)
{
    if (!dumps)
        return DUMP_NOT_RUNNING;
    dumps = 0;
    return svp_double_error(__func__);
}

/* ---- profiling by calls: the double has no profiler of its own ---- */

int svp_acl_prof_init(const char *path, size_t length)
{
    (void)path;
    (void)length;
    return svp_double_error(__func__);
}

int svp_acl_prof_finalize(void)
{
    return svp_double_error(__func__);
}

const void *svp_acl_prof_create_config(const uint32_t *devices, uint32_t n, int metrics,
                                       const void *events, uint64_t mask)
{
    (void)devices;
    (void)n;
    (void)metrics;
    (void)events;
    (void)mask;
    return malloc(1);
}

int svp_acl_prof_destroy_config(const void *config)
{
    free((void *)(uintptr_t)config);
    return 0;
}

int svp_acl_prof_start(const void *config)
{
    (void)config;
    return svp_double_error(__func__);
}

int svp_acl_prof_stop(const void *config)
{
    (void)config;
    return svp_double_error(__func__);
}
