/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations for programs that use a camera board's runtime, and for its double. */
#ifndef STROBE_TESTS_SVP_DOUBLE_H
#define STROBE_TESTS_SVP_DOUBLE_H

#include <stddef.h>
#include <stdint.h>

enum { SVP_PATH_ATTRIBUTE = 2 };

#pragma GCC visibility push(default)

int svp_acl_init(const char *config_path);
int svp_acl_finalize(void);
int svp_acl_rt_set_device(int32_t device);
int svp_acl_rt_reset_device(int32_t device);
int svp_acl_rt_get_device(int32_t *device);
int svp_acl_rt_get_device_count(uint32_t *count);
int svp_acl_rt_create_stream(void **stream);
int svp_acl_rt_destroy_stream(void *stream);
int svp_acl_rt_synchronize_stream(void *stream);
int svp_acl_rt_synchronize_device(void);
int svp_acl_rt_malloc(void **memory, size_t size, int policy);
int svp_acl_rt_free(const void *memory);
int svp_acl_rt_get_run_mode(int *mode);
int svp_acl_rt_create_context(void **context, int32_t device);
int svp_acl_rt_destroy_context(void *context);
int svp_acl_rt_set_current_context(void *context);
int svp_acl_rt_get_current_context(void **context);
int svp_acl_rt_malloc_cached(void **memory, size_t size, int policy);
int svp_acl_rt_malloc_host(void **memory, size_t size);
int svp_acl_rt_free_host(const void *memory);
int svp_acl_rt_mem_flush(const void *memory, size_t size);
int svp_acl_rt_mem_invalidate(const void *memory, size_t size);
int svp_acl_rt_subscribe_report(uint64_t thread, void *stream);
int svp_acl_rt_unsubscribe_report(uint64_t thread, void *stream);
int svp_acl_rt_process_report(int32_t timeout);
int svp_acl_rt_launch_callback(void (*function)(void *), void *user, int block, void *stream);
int svp_acl_rt_set_op_wait_timeout(uint32_t timeout);
int svp_acl_mdl_load_from_mem(const void *model, size_t size, uint32_t *id);
int svp_acl_mdl_load_with_config(const void *handle, uint32_t *id);
int svp_acl_mdl_set_config_opt(void *handle, int attribute, const void *value, size_t size);
int svp_acl_mdl_execute(uint32_t id, const void *input, const void *output);
int svp_acl_mdl_execute_async(uint32_t id, const void *input, const void *output, void *stream);
int svp_acl_mdl_unload(uint32_t id);
int svp_acl_mdl_get_desc(void *description, uint32_t id);
int svp_acl_mdl_set_dynamic_batch_size(uint32_t id, void *set, size_t index, uint64_t batch);
int svp_acl_mdl_set_dynamic_hw_size(uint32_t id, void *set, size_t index, uint64_t height,
                                    uint64_t width);
int svp_acl_mdl_set_total_t(uint32_t id, void *set, uint64_t total);
int svp_acl_mdl_set_input_aipp(uint32_t id, void *set, size_t index, const void *aipp);
int svp_acl_mdl_set_output_aipp(uint32_t id, void *set, size_t index, const void *aipp);
int svp_acl_mdl_init_dump(void);
int svp_acl_mdl_set_dump(const char *path);
int svp_acl_mdl_finalize_dump(void);
int svp_acl_prof_init(const char *path, size_t length);
int svp_acl_prof_finalize(void);
const void *svp_acl_prof_create_config(const uint32_t *devices, uint32_t n, int metrics,
                                       const void *events, uint64_t mask);
int svp_acl_prof_destroy_config(const void *config);
int svp_acl_prof_start(const void *config);
int svp_acl_prof_stop(const void *config);
int svp_acl_prof_model_subscribe(uint32_t id, const void *config);
int svp_acl_prof_model_unsubscribe(uint32_t id);
const void *svp_acl_prof_create_subscribe_config(int8_t time_info, int metrics, const void *fd);
int svp_acl_prof_destroy_subscribe_config(const void *config);
int svp_acl_prof_get_op_desc_size(size_t *size);
int svp_acl_prof_get_op_num(const void *data, size_t length, uint32_t *n);
int svp_acl_prof_get_op_type(const void *data, size_t length, uint32_t index, char *out,
                             size_t size);
int svp_acl_prof_get_op_name(const void *data, size_t length, uint32_t index, char *out,
                             size_t size);
int svp_acl_prof_get_op_type_len(const void *data, size_t length, uint32_t index, size_t *size);
int svp_acl_prof_get_op_name_len(const void *data, size_t length, uint32_t index, size_t *size);
size_t svp_acl_prof_get_model_id(const void *data, size_t length, uint32_t index);
uint64_t svp_acl_prof_get_op_start(const void *data, size_t length, uint32_t index);
uint64_t svp_acl_prof_get_op_end(const void *data, size_t length, uint32_t index);
uint64_t svp_acl_prof_get_op_duration(const void *data, size_t length, uint32_t index);

/* The functions below exist only in the double. */
int svp_double_op_counters(const void *data, size_t length, uint32_t index, const char **unit,
                           uint64_t counters[13]);
uint32_t svp_double_model_batch(void);

#pragma GCC visibility pop

/* Returns the error that the text file requests for a function; 0: none. */
int svp_double_error(const char *name);
/* Returns the error that the text file requests for a function, or 100011 if there is no model
 * `id`; 0: none. */
int svp_double_model_error(const char *name, uint32_t id);

#endif
