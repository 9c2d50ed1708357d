/* SPDX-License-Identifier: Apache-2.0 */
/* A simulated runtime of a camera board. See README.md. */
#include "svp-double.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LAYERS_MAX 4096u
#define MODELS_MAX 64u
#define ERRORS_MAX 32u
#define NS 1000000000

typedef struct Layer {
    char name[320], type[80], unit[32];
    uint64_t us;
    uint64_t counters[13]; /* values of the layer's counters; UINT64_MAX: none */
} Layer;

/* The description of a layer that is written to the pipe of a subscription. */
typedef struct Description {
    uint32_t layer, model;
    uint64_t start, end;
} Description;

typedef struct Subscription {
    int fd;
} Subscription;

static struct {
    Layer layers[LAYERS_MAX];
    uint32_t n_layers, n_devices, batch;
    uint64_t execute_us[2]; /* durations of the first two inferences; 0: the layers determine it */
    uint64_t ns_per_unit;
    struct {
        char name[64];
        int code;
    } errors[ERRORS_MAX];
    uint32_t n_errors;
    uint32_t n_models, n_executed;
    const Subscription *subscribed[MODELS_MAX];
    int is_started;
} board = {.n_devices = 1, .batch = 1, .ns_per_unit = 1};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread int32_t current_device;

/* ---- the text file ---- */

static void read_layer(const char *line)
{
    Layer *layer = &board.layers[board.n_layers];
    int at = 0;
    unsigned long long value, us;

    if (board.n_layers == LAYERS_MAX || sscanf(line, "layer %319s %79s %31s %llu%n", layer->name,
                                               layer->type, layer->unit, &us, &at) != 4)
        return;
    layer->us = us;
    for (int i = 0; i < 13; i++) {
        int n = 0;

        layer->counters[i] = UINT64_MAX;
        if (sscanf(line + at, "%llu%n", &value, &n) == 1) {
            layer->counters[i] = value;
            at += n;
        }
    }
    board.n_layers++;
}

static void read_line(const char *line)
{
    char word[64];
    int code;
    unsigned long long first, second;

    if (sscanf(line, "devices %llu", &first) == 1)
        board.n_devices = (uint32_t)first;
    else if (sscanf(line, "batch %llu", &first) == 1)
        board.batch = (uint32_t)first;
    else if (sscanf(line, "execute %llu %llu", &first, &second) == 2) {
        board.execute_us[0] = first;
        board.execute_us[1] = second;
    } else if (strncmp(line, "unit us", 7) == 0)
        board.ns_per_unit = 1000;
    else if (sscanf(line, "error %63s %d", word, &code) == 2 && board.n_errors < ERRORS_MAX) {
        strcpy(board.errors[board.n_errors].name, word);
        board.errors[board.n_errors++].code = code;
    } else
        read_layer(line);
}

static void __attribute__((constructor)) read_file(void)
{
    const char *path = getenv("SVP_DOUBLE");
    FILE *file = path ? fopen(path, "re") : NULL;
    char line[2048];

    while (file && fgets(line, sizeof line, file))
        read_line(line);
    if (file)
        fclose(file);
}

int svp_double_error(const char *name)
{
    for (uint32_t i = 0; i < board.n_errors; i++)
        if (strcmp(board.errors[i].name, name) == 0)
            return board.errors[i].code;
    return 0;
}

int svp_double_model_error(const char *name, uint32_t id)
{
    return id == 0 || id > board.n_models ? 100011 : svp_double_error(name);
}

/* ---- system, runtime ---- */

int svp_acl_init(const char *config_path)
{
    FILE *file = config_path ? fopen(config_path, "re") : NULL;
    char text[4096] = "";

    if (board.is_started)
        return 100002;
    if (file) {
        size_t n = fread(text, 1, sizeof text - 1, file);

        text[n] = 0;
        fclose(file);
    }
    /* Copies the runtime's input for a test. */
    if (getenv("SVP_DOUBLE_CONFIG")) {
        FILE *copy = fopen(getenv("SVP_DOUBLE_CONFIG"), "we");

        if (copy) {
            fputs(text, copy);
            fclose(copy);
        }
    }
    board.is_started = 1;
    return svp_double_error(__func__);
}

int svp_acl_finalize(void)
{
    if (!board.is_started)
        return 100037;
    board.is_started = 0;
    return svp_double_error(__func__);
}

int svp_acl_rt_set_device(int32_t device)
{
    if (device < 0 || (uint32_t)device >= board.n_devices)
        return 100000;
    current_device = device;
    return svp_double_error(__func__);
}

int svp_acl_rt_reset_device(int32_t device)
{
    (void)device;
    return svp_double_error(__func__);
}

int svp_acl_rt_get_device(int32_t *device)
{
    *device = current_device;
    return svp_double_error(__func__);
}

int svp_acl_rt_get_device_count(uint32_t *count)
{
    *count = board.n_devices;
    return svp_double_error(__func__);
}

int svp_acl_rt_create_stream(void **stream)
{
    *stream = malloc(1);
    return svp_double_error(__func__);
}

int svp_acl_rt_destroy_stream(void *stream)
{
    free(stream);
    return svp_double_error(__func__);
}

int svp_acl_rt_synchronize_stream(void *stream)
{
    (void)stream;
    return svp_double_error(__func__);
}

int svp_acl_rt_synchronize_device(void)
{
    return svp_double_error(__func__);
}

int svp_acl_rt_malloc(void **memory, size_t size, int policy)
{
    (void)policy;
    *memory = malloc(size);
    return svp_double_error(__func__);
}

int svp_acl_rt_free(const void *memory)
{
    free((void *)(uintptr_t)memory);
    return svp_double_error(__func__);
}

/* ---- models ---- */

static int load_model(const char *name, uint32_t *id)
{
    pthread_mutex_lock(&lock);
    *id = ++board.n_models;
    pthread_mutex_unlock(&lock);
    return svp_double_error(name);
}

int svp_acl_mdl_load_from_mem(const void *model, size_t size, uint32_t *id)
{
    (void)model;
    (void)size;
    return load_model(__func__, id);
}

int svp_acl_mdl_load_with_config(const void *handle, uint32_t *id)
{
    (void)handle;
    return load_model(__func__, id);
}

int svp_acl_mdl_set_config_opt(void *handle, int attribute, const void *value, size_t size)
{
    (void)handle;
    (void)attribute;
    (void)value;
    (void)size;
    return svp_double_error(__func__);
}

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS + (uint64_t)now.tv_nsec;
}

static void sleep_us(uint64_t us)
{
    const struct timespec time = {(time_t)(us / 1000000), (long)(us % 1000000 * 1000)};

    nanosleep(&time, NULL);
}

/* Runs the layers one after the other, and then reports them through the subscription. */
static void run_layers(uint32_t id, const Subscription *subscription)
{
    uint64_t at = now_ns();

    for (uint32_t i = 0; i < board.n_layers; i++) {
        const uint64_t end = at + board.layers[i].us * 1000;
        const Description description = {i, id, at / board.ns_per_unit, end / board.ns_per_unit};

        at = end;
        if (subscription &&
            write(subscription->fd, &description, sizeof description) != sizeof description)
            return;
    }
    const uint64_t now = now_ns();
    if (at > now)
        sleep_us((at - now) / 1000 + 1);
}

static int run_model(const char *name, uint32_t id)
{
    if (id == 0 || id > board.n_models)
        return 100011;
    const uint32_t number = __atomic_fetch_add(&board.n_executed, 1, __ATOMIC_RELAXED);
    const uint64_t begin = now_ns();
    run_layers(id, id < MODELS_MAX ? board.subscribed[id] : NULL);
    const uint64_t wanted = number < 2 ? board.execute_us[number] * 1000 : 0;
    const uint64_t passed = now_ns() - begin;
    if (passed < wanted)
        sleep_us((wanted - passed) / 1000);
    return svp_double_error(name);
}

int svp_acl_mdl_execute(uint32_t id, const void *input, const void *output)
{
    (void)input;
    (void)output;
    return run_model(__func__, id);
}

/* In the double, the inference has ended when the call returns. */
int svp_acl_mdl_execute_async(uint32_t id, const void *input, const void *output, void *stream)
{
    (void)input;
    (void)output;
    (void)stream;
    return run_model(__func__, id);
}

int svp_acl_mdl_unload(uint32_t id)
{
    return svp_double_model_error(__func__, id);
}

/* ---- profiling ---- */

const void *svp_acl_prof_create_subscribe_config(int8_t time_info, int metrics, const void *fd)
{
    Subscription *subscription = malloc(sizeof *subscription);

    (void)time_info;
    (void)metrics;
    if (subscription)
        subscription->fd = *(const int *)fd;
    return subscription;
}

int svp_acl_prof_destroy_subscribe_config(const void *config)
{
    free((void *)(uintptr_t)config);
    return 0;
}

int svp_acl_prof_model_subscribe(uint32_t id, const void *config)
{
    if (id == 0 || id > board.n_models || id >= MODELS_MAX)
        return 100011;
    if (board.subscribed[id])
        return 148046;
    board.subscribed[id] = config;
    return svp_double_error(__func__);
}

int svp_acl_prof_model_unsubscribe(uint32_t id)
{
    if (id >= MODELS_MAX || !board.subscribed[id])
        return 100043;
    board.subscribed[id] = NULL;
    return 0;
}

int svp_acl_prof_get_op_desc_size(size_t *size)
{
    *size = sizeof(Description);
    return 0;
}

int svp_acl_prof_get_op_num(const void *data, size_t length, uint32_t *n)
{
    (void)data;
    *n = (uint32_t)(length / sizeof(Description));
    return 0;
}

static const Description *description_at(const void *data, size_t length, uint32_t index)
{
    return index < length / sizeof(Description) ? (const Description *)data + index : NULL;
}

static int put_text(const char *text, char *out, size_t size)
{
    return snprintf(out, size, "%s", text) < (int)size ? 0 : 100000;
}

int svp_acl_prof_get_op_type(const void *data, size_t length, uint32_t index, char *out,
                             size_t size)
{
    const Description *op = description_at(data, length, index);

    return op ? put_text(board.layers[op->layer].type, out, size) : 100000;
}

int svp_acl_prof_get_op_name(const void *data, size_t length, uint32_t index, char *out,
                             size_t size)
{
    const Description *op = description_at(data, length, index);

    return op ? put_text(board.layers[op->layer].name, out, size) : 100000;
}

static int put_length(const char *text, size_t *size)
{
    *size = strlen(text) + 1;
    return 0;
}

int svp_acl_prof_get_op_type_len(const void *data, size_t length, uint32_t index, size_t *size)
{
    const Description *op = description_at(data, length, index);

    return op ? put_length(board.layers[op->layer].type, size) : 100000;
}

int svp_acl_prof_get_op_name_len(const void *data, size_t length, uint32_t index, size_t *size)
{
    const Description *op = description_at(data, length, index);

    return op ? put_length(board.layers[op->layer].name, size) : 100000;
}

size_t svp_acl_prof_get_model_id(const void *data, size_t length, uint32_t index)
{
    const Description *op = description_at(data, length, index);

    return op ? op->model : 0;
}

uint64_t svp_acl_prof_get_op_start(const void *data, size_t length, uint32_t index)
{
    const Description *op = description_at(data, length, index);

    return op ? op->start : 0;
}

uint64_t svp_acl_prof_get_op_end(const void *data, size_t length, uint32_t index)
{
    const Description *op = description_at(data, length, index);

    return op ? op->end : 0;
}

uint64_t svp_acl_prof_get_op_duration(const void *data, size_t length, uint32_t index)
{
    const Description *op = description_at(data, length, index);

    return op ? op->end - op->start : 0;
}

int svp_double_op_counters(const void *data, size_t length, uint32_t index, const char **unit,
                           uint64_t counters[13])
{
    const Description *op = description_at(data, length, index);

    if (!op)
        return 0;
    *unit = board.layers[op->layer].unit;
    memcpy(counters, board.layers[op->layer].counters, sizeof board.layers[op->layer].counters);
    return 1;
}

uint32_t svp_double_model_batch(void)
{
    return board.batch;
}
