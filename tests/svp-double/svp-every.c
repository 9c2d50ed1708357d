/* SPDX-License-Identifier: Apache-2.0 */
/* Calls each recorded function once, except those that svp-program calls in any case. */
#include "svp-every.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "svp-double.h"

static int n_failed, n_callbacks;

static void check_code(int code)
{
    n_failed += code != 0;
}

static void count_callback(void *unused)
{
    (void)unused;
    n_callbacks++;
}

static void call_device(void)
{
    int32_t device = 0;
    uint32_t count;
    int mode;

    check_code(svp_acl_rt_set_device(0));
    check_code(svp_acl_rt_get_device(&device));
    check_code(svp_acl_rt_get_run_mode(&mode));
    check_code(svp_acl_rt_get_device_count(&count));
    check_code(svp_acl_rt_synchronize_device());
    check_code(svp_acl_rt_set_op_wait_timeout(10));
}

static void call_stream(uint32_t model)
{
    void *context = NULL, *current, *stream = NULL;

    check_code(svp_acl_rt_create_context(&context, 0));
    check_code(svp_acl_rt_set_current_context(context));
    check_code(svp_acl_rt_get_current_context(&current));
    n_failed += current != context;
    check_code(svp_acl_rt_create_stream(&stream));
    check_code(svp_acl_rt_subscribe_report(1, stream));
    check_code(svp_acl_rt_launch_callback(count_callback, NULL, 0, stream));
    check_code(svp_acl_rt_process_report(10));
    check_code(svp_acl_rt_unsubscribe_report(1, stream));
    check_code(svp_acl_mdl_execute_async(model, NULL, NULL, stream));
    check_code(svp_acl_rt_synchronize_stream(stream));
    check_code(svp_acl_rt_destroy_stream(stream));
    check_code(svp_acl_rt_destroy_context(context));
    n_failed += n_callbacks != 1;
}

static void call_memory(void)
{
    void *memory = NULL, *cached = NULL, *host = NULL;

    check_code(svp_acl_rt_malloc(&memory, 16, 0));
    check_code(svp_acl_rt_free(memory));
    check_code(svp_acl_rt_malloc_cached(&cached, 16, 0));
    check_code(svp_acl_rt_mem_flush(cached, 16));
    check_code(svp_acl_rt_mem_invalidate(cached, 16));
    free(cached);
    check_code(svp_acl_rt_malloc_host(&host, 16));
    check_code(svp_acl_rt_free_host(host));
}

static void call_model(uint32_t model)
{
    uint32_t other;
    char bytes[16] = "";

    check_code(svp_acl_mdl_load_from_mem(bytes, sizeof bytes, &other));
    check_code(svp_acl_mdl_get_desc(bytes, model));
    check_code(svp_acl_mdl_set_dynamic_batch_size(model, NULL, 0, 1));
    check_code(svp_acl_mdl_set_dynamic_hw_size(model, NULL, 0, 1, 1));
    check_code(svp_acl_mdl_set_total_t(model, NULL, 1));
    check_code(svp_acl_mdl_set_input_aipp(model, NULL, 0, NULL));
    check_code(svp_acl_mdl_set_output_aipp(model, NULL, 0, NULL));
    check_code(svp_acl_mdl_init_dump());
    check_code(svp_acl_mdl_set_dump("dump.json"));
    check_code(svp_acl_mdl_finalize_dump());
    check_code(svp_acl_mdl_unload(other));
}

static void read_operators(const char *data, size_t length, uint32_t model)
{
    char text[512];
    uint32_t n = 0;
    size_t size = 0;

    check_code(svp_acl_prof_get_op_num(data, length, &n));
    n_failed += n == 0;
    check_code(svp_acl_prof_get_op_type_len(data, length, 0, &size));
    check_code(svp_acl_prof_get_op_type(data, length, 0, text, size));
    check_code(svp_acl_prof_get_op_name_len(data, length, 0, &size));
    check_code(svp_acl_prof_get_op_name(data, length, 0, text, size));
    n_failed += svp_acl_prof_get_op_start(data, length, 0) == 0;
    n_failed += svp_acl_prof_get_op_end(data, length, 0) == 0;
    n_failed += svp_acl_prof_get_op_duration(data, length, 0) == 0;
    n_failed += svp_acl_prof_get_model_id(data, length, 0) != model;
}

/* Makes and ends a subscription of the program while its model runs, after the captures of the
 * profiler. */
static void call_subscription(uint32_t model)
{
    char data[4096];
    size_t size = 0;
    int ends[2];
    ssize_t n;

    if (pipe2(ends, O_CLOEXEC)) {
        check_code(1);
        return;
    }
    const void *config = svp_acl_prof_create_subscribe_config(1, 0, &ends[1]);
    check_code(svp_acl_prof_get_op_desc_size(&size));
    check_code(svp_acl_prof_model_subscribe(model, config));
    check_code(svp_acl_mdl_execute(model, NULL, NULL));
    check_code(svp_acl_prof_model_unsubscribe(model));
    n = read(ends[0], data, size < sizeof data ? size : sizeof data);
    if (n > 0)
        read_operators(data, (size_t)n, model);
    else
        check_code(1);
    check_code(svp_acl_prof_destroy_subscribe_config(config));
    close(ends[0]);
    close(ends[1]);
}

/* Calls the functions for profiling, whose results depend on acl.json. */
static void call_profiling(void)
{
    const uint32_t device = 0;
    const void *config = svp_acl_prof_create_config(&device, 1, 0, NULL, 15);

    svp_acl_prof_init("/", 1);
    svp_acl_prof_start(config);
    svp_acl_prof_stop(config);
    svp_acl_prof_finalize();
    check_code(svp_acl_prof_destroy_config(config));
}

int svp_call_every(uint32_t model)
{
    call_device();
    call_stream(model);
    call_memory();
    call_model(model);
    call_subscription(model);
    call_profiling();
    check_code(svp_acl_rt_reset_device(0));
    return n_failed;
}
