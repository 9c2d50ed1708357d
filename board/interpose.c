/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of the runtime that are recorded. While nothing is recorded, a call costs one load
 * and an indirect call more. The results and errno are not changed. */
#include "board.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum {
    PARAMETER = 100000,
    NOT_INITIALISED = 100001,
    RUNNING = 100042,
    NOT_RUNNING = 100043,
    UNSUPPORTED = 148049,
    UNKNOWN_TYPE = 200007
};

static _Atomic int is_initialised;

/* Returns the runtime's function `name`. NULL: the program is linked statically with the runtime,
 * or the runtime is older than the function. */
static void *find_function(const char *name)
{
    void *function = board_runtime(name);

    if (!function)
        board_say("%s: libsvp_acl.so is not loaded or does not have this function", name);
    return function;
}

static void record_call(const char *name, const char *mode, uint64_t begin, int status,
                        uint32_t model, uint64_t capture)
{
    const int number = errno;

    board_calls_record(&(BoardCall){.name = name,
                                    .mode = mode,
                                    .model = board_session_model(model),
                                    .begin = begin,
                                    .capture = capture,
                                    .model_id = model,
                                    .device = board_session_device(),
                                    .status = status});
    errno = number;
}

/* Sets `next` to the runtime's function with the same name as the calling function. If there is
 * none, the calling function returns `missing_`. */
#define REAL_OF(type_, name_, parameters_, missing_)                                               \
    static type_(*_Atomic next) parameters_;                                                       \
    type_(*real) parameters_ = __atomic_load_n(&next, __ATOMIC_RELAXED);                           \
    if (__builtin_expect(!real, 0)) {                                                              \
        real = (type_(*) parameters_)find_function("svp_acl_" #name_);                             \
        if (!real)                                                                                 \
            return missing_;                                                                       \
        __atomic_store_n(&next, real, __ATOMIC_RELAXED);                                           \
    }
#define REAL(name_, parameters_) REAL_OF(int, name_, parameters_, UNSUPPORTED)

#define CALL(name_, mode_, parameters_, arguments_, model_)                                        \
    EXPORT int svp_acl_##name_ parameters_;                                                        \
    EXPORT int svp_acl_##name_ parameters_                                                         \
    {                                                                                              \
        REAL(name_, parameters_)                                                                   \
        if (__builtin_expect(!atomic_load_explicit(&board_is_on, memory_order_relaxed), 1))        \
            return real arguments_;                                                                \
        const uint64_t begin = board_calls_now();                                                  \
        const int status = real arguments_;                                                        \
        record_call("svp_acl_" #name_, mode_, begin, status, model_, 0);                           \
        return status;                                                                             \
    }

/* Defines a function whose result is not an error code. Its calls are recorded with the status
 * 0. */
#define QUERY(type_, name_, parameters_, arguments_)                                               \
    EXPORT type_ svp_acl_##name_ parameters_;                                                      \
    EXPORT type_ svp_acl_##name_ parameters_                                                       \
    {                                                                                              \
        REAL_OF(type_, name_, parameters_, 0)                                                      \
        if (__builtin_expect(!atomic_load_explicit(&board_is_on, memory_order_relaxed), 1))        \
            return real arguments_;                                                                \
        const uint64_t begin = board_calls_now();                                                  \
        type_ result = real arguments_;                                                            \
        record_call("svp_acl_" #name_, "others", begin, 0, 0, 0);                                  \
        return result;                                                                             \
    }

/* clang-format off */
CALL(rt_reset_device, "runtime", (int32_t device), (device), 0)
CALL(rt_get_device, "runtime", (int32_t *device), (device), 0)
CALL(rt_get_run_mode, "runtime", (int *mode), (mode), 0)
CALL(rt_get_device_count, "runtime", (uint32_t *count), (count), 0)
CALL(rt_synchronize_device, "runtime", (void), (), 0)
CALL(rt_create_context, "runtime", (void **context, int32_t device), (context, device), 0)
CALL(rt_destroy_context, "runtime", (void *context), (context), 0)
CALL(rt_set_current_context, "runtime", (void *context), (context), 0)
CALL(rt_get_current_context, "runtime", (void **context), (context), 0)
CALL(rt_create_stream, "runtime", (void **stream), (stream), 0)
CALL(rt_destroy_stream, "runtime", (void *stream), (stream), 0)
CALL(rt_synchronize_stream, "runtime", (void *stream), (stream), 0)
CALL(rt_malloc, "runtime", (void **memory, size_t size, int policy), (memory, size, policy), 0)
CALL(rt_malloc_cached, "runtime", (void **memory, size_t size, int policy), (memory, size, policy), 0)
CALL(rt_free, "runtime", (const void *memory), (memory), 0)
CALL(rt_malloc_host, "runtime", (void **memory, size_t size), (memory, size), 0)
CALL(rt_free_host, "runtime", (const void *memory), (memory), 0)
CALL(rt_mem_flush, "runtime", (const void *memory, size_t size), (memory, size), 0)
CALL(rt_mem_invalidate, "runtime", (const void *memory, size_t size), (memory, size), 0)
CALL(rt_subscribe_report, "runtime", (uint64_t thread, void *stream), (thread, stream), 0)
CALL(rt_unsubscribe_report, "runtime", (uint64_t thread, void *stream), (thread, stream), 0)
CALL(rt_process_report, "runtime", (int32_t timeout), (timeout), 0)
CALL(rt_launch_callback, "runtime", (void (*function)(void *), void *user, int block, void *stream), (function, user, block, stream), 0)
CALL(rt_set_op_wait_timeout, "runtime", (uint32_t timeout), (timeout), 0)
CALL(mdl_unload, "model", (uint32_t model), (model), model)
CALL(mdl_set_dynamic_batch_size, "model", (uint32_t model, void *set, size_t index, uint64_t batch), (model, set, index, batch), model)
CALL(mdl_set_dynamic_hw_size, "model", (uint32_t model, void *set, size_t index, uint64_t height, uint64_t width), (model, set, index, height, width), model)
CALL(mdl_set_total_t, "model", (uint32_t model, void *set, uint64_t total), (model, set, total), model)
CALL(mdl_set_input_aipp, "model", (uint32_t model, void *set, size_t index, const void *aipp), (model, set, index, aipp), model)
CALL(mdl_set_output_aipp, "model", (uint32_t model, void *set, size_t index, const void *aipp), (model, set, index, aipp), model)
CALL(mdl_init_dump, "model", (void), (), 0)
CALL(mdl_set_dump, "model", (const char *path), (path), 0)
CALL(mdl_finalize_dump, "model", (void), (), 0)
CALL(prof_model_subscribe, "others", (uint32_t model, const void *config), (model, config), model)
CALL(prof_model_unsubscribe, "others", (uint32_t model), (model), model)
CALL(prof_destroy_subscribe_config, "others", (const void *config), (config), 0)
CALL(prof_get_op_desc_size, "others", (size_t *size), (size), 0)
CALL(prof_get_op_num, "others", (const void *data, size_t length, uint32_t *n), (data, length, n), 0)
CALL(prof_get_op_type_len, "others", (const void *data, size_t length, uint32_t index, size_t *size), (data, length, index, size), 0)
CALL(prof_get_op_type, "others", (const void *data, size_t length, uint32_t index, char *out, size_t size), (data, length, index, out, size), 0)
CALL(prof_get_op_name_len, "others", (const void *data, size_t length, uint32_t index, size_t *size), (data, length, index, size), 0)
CALL(prof_get_op_name, "others", (const void *data, size_t length, uint32_t index, char *out, size_t size), (data, length, index, out, size), 0)
QUERY(uint64_t, prof_get_op_start, (const void *data, size_t length, uint32_t index), (data, length, index))
QUERY(uint64_t, prof_get_op_end, (const void *data, size_t length, uint32_t index), (data, length, index))
QUERY(uint64_t, prof_get_op_duration, (const void *data, size_t length, uint32_t index), (data, length, index))
QUERY(size_t, prof_get_model_id, (const void *data, size_t length, uint32_t index), (data, length, index))
QUERY(const void *, prof_create_subscribe_config, (int8_t time_info, int metrics, const void *fd), (time_info, metrics, fd))
/* clang-format on */

/* ---- functions that change what is recorded ---- */

EXPORT int svp_acl_init(const char *config_path);
EXPORT int svp_acl_init(const char *config_path)
{
    char copy[SVP_PATH_MAX];
    REAL(init, (const char *))
    const char *given = board_session_init(config_path, copy);
    const uint64_t begin = board_calls_now();
    const int status = real(given);

    if (status == 0)
        is_initialised = 1;
    if (board_is_on)
        record_call("svp_acl_init", "others", begin, status, 0, 0);
    return status;
}

EXPORT int svp_acl_finalize(void);
EXPORT int svp_acl_finalize(void)
{
    REAL(finalize, (void))
    const uint64_t begin = board_calls_now();
    const int status = real();

    if (status == 0)
        is_initialised = 0;
    if (board_is_on)
        record_call("svp_acl_finalize", "others", begin, status, 0, 0);
    board_session_finalize();
    return status;
}

EXPORT int svp_acl_rt_set_device(int32_t device);
EXPORT int svp_acl_rt_set_device(int32_t device)
{
    REAL(rt_set_device, (int32_t))
    const uint64_t begin = board_calls_now();
    const int status = real(device);

    if (status == 0 && device >= 0)
        board_session_set_device((uint32_t)device);
    if (board_is_on)
        record_call("svp_acl_rt_set_device", "runtime", begin, status, 0, 0);
    return status;
}

EXPORT int svp_acl_mdl_set_config_opt(void *handle, int attribute, const void *value, size_t size);
EXPORT int svp_acl_mdl_set_config_opt(void *handle, int attribute, const void *value, size_t size)
{
    REAL(mdl_set_config_opt, (void *, int, const void *, size_t))
    const uint64_t begin = board_calls_now();
    const int status = real(handle, attribute, value, size);

    if (attribute == 2 && value && status == 0)
        board_session_note_path(value, size);
    if (board_is_on)
        record_call("svp_acl_mdl_set_config_opt", "model", begin, status, 0, 0);
    return status;
}

EXPORT int svp_acl_mdl_load_from_mem(const void *model, size_t size, uint32_t *id);
EXPORT int svp_acl_mdl_load_from_mem(const void *model, size_t size, uint32_t *id)
{
    REAL(mdl_load_from_mem, (const void *, size_t, uint32_t *))
    const uint64_t begin = board_calls_now();
    const int status = real(model, size, id);

    if (status == 0)
        board_session_name_model(*id);
    if (board_is_on)
        record_call("svp_acl_mdl_load_from_mem", "model", begin, status, status ? 0 : *id, 0);
    return status;
}

EXPORT int svp_acl_mdl_load_with_config(const void *handle, uint32_t *id);
EXPORT int svp_acl_mdl_load_with_config(const void *handle, uint32_t *id)
{
    REAL(mdl_load_with_config, (const void *, uint32_t *))
    const uint64_t begin = board_calls_now();
    const int status = real(handle, id);

    if (status == 0)
        board_session_name_model(*id);
    if (board_is_on)
        record_call("svp_acl_mdl_load_with_config", "model", begin, status, status ? 0 : *id, 0);
    return status;
}

EXPORT int svp_acl_mdl_get_desc(void *description, uint32_t model);
EXPORT int svp_acl_mdl_get_desc(void *description, uint32_t model)
{
    REAL(mdl_get_desc, (void *, uint32_t))
    const uint64_t begin = board_calls_now();
    const int status = real(description, model);

    if (board_is_on)
        record_call("svp_acl_mdl_get_desc", "model", begin, status, model, 0);
    return status;
}

EXPORT int svp_acl_mdl_execute(uint32_t model, const void *input, const void *output);
EXPORT int svp_acl_mdl_execute(uint32_t model, const void *input, const void *output)
{
    BoardCapture capture = {.fd = -1};
    REAL(mdl_execute, (uint32_t, const void *, const void *))
    if (!board_is_on)
        return real(model, input, output);
    const int is_captured = board_session_begin_execute(model, &capture);
    const uint64_t begin = board_calls_now();
    const int status = real(model, input, output);

    record_call("svp_acl_mdl_execute", "model", begin, status, model, is_captured ? capture.id : 0);
    const int number = errno;
    if (is_captured)
        board_session_end_execute(&capture);
    errno = number;
    return status;
}

/* The inference continues after this function has returned, so its layers are not captured. */
EXPORT int svp_acl_mdl_execute_async(uint32_t model, const void *input, const void *output,
                                     void *stream);
EXPORT int svp_acl_mdl_execute_async(uint32_t model, const void *input, const void *output,
                                     void *stream)
{
    REAL(mdl_execute_async, (uint32_t, const void *, const void *, void *))
    const uint64_t begin = board_calls_now();
    const int status = real(model, input, output, stream);

    if (board_is_on) {
        board_session_note_execute();
        record_call("svp_acl_mdl_execute_async", "model", begin, status, model, 0);
    }
    return status;
}

/* ---- the runtime's functions for profiling, which control Strobe's recording instead ---- */

#define KNOWN_MASK 15u

typedef struct Config {
    uint64_t mask;
} Config;

static char api_path[SVP_PATH_MAX];
static const Config *started;

static int record_own(const char *name, uint64_t begin, int status)
{
    if (board_is_on)
        record_call(name, "others", begin, status, 0, 0);
    return status;
}

static int name_output(const char *path, size_t length)
{
    if (board_session_is_by_file() || api_path[0])
        return RUNNING;
    if (!is_initialised)
        return NOT_INITIALISED;
    if (!path || length == 0 || length >= sizeof api_path || path[0] != '/')
        return PARAMETER;
    memcpy(api_path, path, length);
    api_path[length] = 0;
    return 0;
}

static int forget_output(void)
{
    if (board_session_is_by_file())
        return RUNNING;
    if (!api_path[0])
        return NOT_RUNNING;
    api_path[0] = 0;
    return 0;
}

EXPORT const void *svp_acl_prof_create_config(const uint32_t *devices, uint32_t n, int metrics,
                                              const void *events, uint64_t mask);
EXPORT const void *svp_acl_prof_create_config(const uint32_t *devices, uint32_t n, int metrics,
                                              const void *events, uint64_t mask)
{
    const uint64_t begin = board_calls_now();
    const int status = mask & ~(uint64_t)KNOWN_MASK ? UNKNOWN_TYPE
                       : devices && n && !events    ? 0
                                                    : PARAMETER;
    Config *config = status ? NULL : malloc(sizeof *config);

    if (config)
        config->mask = metrics == 0 ? mask : mask & ~(uint64_t)4;
    if (status)
        board_complain(
            "svp_acl_prof_create_config: %d: devices must be given, events must not, and types of "
            "data are at most %u",
            status, KNOWN_MASK);
    record_own("svp_acl_prof_create_config", begin, status);
    return config;
}

static int destroy_config(const void *config)
{
    free((void *)(uintptr_t)config);
    return config ? 0 : PARAMETER;
}

static int start_session(const void *config)
{
    int code;

    if (board_session_is_by_file() || started)
        return RUNNING;
    if (!api_path[0])
        return NOT_RUNNING;
    if (!config)
        return PARAMETER;
    code = board_session_start(api_path, ((const Config *)config)->mask);
    if (!code)
        started = config;
    return code;
}

static int stop_session(const void *config)
{
    if (board_session_is_by_file())
        return RUNNING;
    if (!started)
        return NOT_RUNNING;
    if (config != started)
        return PARAMETER;
    started = NULL;
    return board_session_stop();
}

EXPORT int svp_acl_prof_init(const char *path, size_t length);
EXPORT int svp_acl_prof_init(const char *path, size_t length)
{
    const uint64_t begin = board_calls_now();

    return record_own("svp_acl_prof_init", begin, name_output(path, length));
}

EXPORT int svp_acl_prof_finalize(void);
EXPORT int svp_acl_prof_finalize(void)
{
    const uint64_t begin = board_calls_now();

    return record_own("svp_acl_prof_finalize", begin, forget_output());
}

EXPORT int svp_acl_prof_destroy_config(const void *config);
EXPORT int svp_acl_prof_destroy_config(const void *config)
{
    const uint64_t begin = board_calls_now();

    return record_own("svp_acl_prof_destroy_config", begin, destroy_config(config));
}

EXPORT int svp_acl_prof_start(const void *config);
EXPORT int svp_acl_prof_start(const void *config)
{
    const uint64_t begin = board_calls_now();

    return record_own("svp_acl_prof_start", begin, start_session(config));
}

EXPORT int svp_acl_prof_stop(const void *config);
EXPORT int svp_acl_prof_stop(const void *config)
{
    const uint64_t begin = board_calls_now();

    return record_own("svp_acl_prof_stop", begin, stop_session(config));
}
