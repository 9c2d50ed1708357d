/* SPDX-License-Identifier: Apache-2.0 */
/* Creates, retains, releases and queries objects, and has the table of functions. */
#include <stdlib.h>
#include <string.h>

#include "opencl-double.h"

pthread_mutex_t double_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t double_changed = PTHREAD_COND_INITIALIZER;
Object double_platform = {.dispatch = double_table, .object_type = PLATFORM};
Object double_device = {.dispatch = double_table, .object_type = DEVICE};

static int n_live[TYPES];

Object *double_make(uint32_t object_type, Object *of)
{
    Object *object = calloc(1, sizeof *object);

    if (!object)
        abort();
    object->dispatch = double_table;
    object->object_type = object_type;
    object->references = 1;
    object->of = of;
    if (of)
        double_hold(of);
    n_live[object_type]++;
    return object;
}

void double_hold(Object *object)
{
    object->references++;
}

void double_let_go(Object *object)
{
    if (--object->references > 0)
        return;
    n_live[object->object_type]--;
    if (object->of)
        double_let_go(object->of);
    free(object->name);
    free(object->place);
    free(object);
}

__attribute__((destructor)) static void tell_live(void)
{
    static const char *const names[TYPES] = {"platform", "device",  "context", "queue",
                                             "buffer",   "program", "kernel",  "event"};

    double_settle();
    for (int i = CONTEXT; i < TYPES; i++)
        double_report("live %s %d\n", names[i], n_live[i]);
}

int32_t double_answer(const void *value, size_t length, size_t size, void *place, size_t *size_ret)
{
    if (place && size < length)
        return INVALID_VALUE;
    if (place)
        memcpy(place, value, length);
    if (size_ret)
        *size_ret = length;
    return SUCCESS;
}

static int32_t answer_text(const char *text, size_t size, void *place, size_t *size_ret)
{
    return double_answer(text, strlen(text) + 1, size, place, size_ret);
}

static int32_t hold_object(Object *object)
{
    if (object->object_type == EVENT && double_fails("clRetainEvent"))
        return OUT_OF_RESOURCES;
    pthread_mutex_lock(&double_lock);
    double_hold(object);
    pthread_mutex_unlock(&double_lock);
    return SUCCESS;
}

static int32_t let_go(Object *object)
{
    pthread_mutex_lock(&double_lock);
    double_let_go(object);
    pthread_mutex_unlock(&double_lock);
    return SUCCESS;
}

/* ---- making ---- */

static Object *make_object(const char *function, uint32_t object_type, Object *of, int32_t *status)
{
    int fails = double_fails(function);
    Object *object = NULL;

    pthread_mutex_lock(&double_lock);
    if (!fails)
        object = double_make(object_type, of);
    pthread_mutex_unlock(&double_lock);
    if (status)
        *status = fails ? OUT_OF_RESOURCES : SUCCESS;
    return object;
}

static Object *create_context(const intptr_t *properties, uint32_t n, Object *const *devices,
                              void *notify, void *data, int32_t *status)
{
    return make_object("clCreateContext", CONTEXT, NULL, status);
}

static Object *create_queue(Object *context, Object *device, uint64_t properties, int32_t *status)
{
    if ((properties & ~(uint64_t)(OUT_OF_ORDER | PROFILING)) ||
        ((properties & PROFILING) && double_fails("profiling"))) {
        if (status)
            *status = properties & PROFILING ? INVALID_QUEUE_PROPERTIES : INVALID_VALUE;
        return NULL;
    }
    Object *queue = make_object("clCreateCommandQueue", QUEUE, context, status);
    if (queue)
        queue->properties = properties;
    return queue;
}

static Object *create_queue_by_list(Object *context, Object *device, const uint64_t *list,
                                    int32_t *status)
{
    uint64_t properties = 0;
    uint32_t n = 0;

    for (; list && list[n] && n < 14; n += 2) {
        if (list[n] != 0x1093) {
            if (status)
                *status = INVALID_VALUE;
            return NULL;
        }
        properties = list[n + 1];
    }
    Object *queue = create_queue(context, device, properties, status);
    if (n == 0 && getenv("OPENCL_DOUBLE_NO_EMPTY_LIST"))
        return queue;
    for (uint32_t i = 0; queue && list && i <= n; i++)
        queue->list[queue->n_list++] = list[i];
    return queue;
}

static Object *create_buffer(Object *context, uint64_t flags, size_t size, void *host,
                             int32_t *status)
{
    Object *buffer = make_object("clCreateBuffer", BUFFER, context, status);

    if (!buffer)
        return NULL;
    buffer->place = calloc(1, size);
    buffer->size = size;
    if (host && buffer->place)
        memcpy(buffer->place, host, size);
    return buffer;
}

static Object *create_program(Object *context, uint32_t n, const char **texts,
                              const size_t *lengths, int32_t *status)
{
    return make_object("clCreateProgramWithSource", PROGRAM, context, status);
}

static int32_t build_program(Object *program, uint32_t n, Object *const *devices,
                             const char *options, void *notify, void *data)
{
    return double_fails("clBuildProgram") ? OUT_OF_RESOURCES : SUCCESS;
}

static Object *create_kernel(Object *program, const char *name, int32_t *status)
{
    Object *kernel = make_object("clCreateKernel", KERNEL, program, status);

    if (kernel)
        kernel->name = strdup(name);
    return kernel;
}

static int32_t set_argument(Object *kernel, uint32_t i, size_t size, const void *value)
{
    return SUCCESS;
}

/* ---- asking ---- */

static int32_t list_platforms(uint32_t n, Object **list, uint32_t *n_ret)
{
    if (list && n)
        *list = &double_platform;
    if (n_ret)
        *n_ret = 1;
    return SUCCESS;
}

static int32_t platform_info(Object *platform, uint32_t which, size_t size, void *place,
                             size_t *size_ret)
{
    static const char *const texts[] = {"FULL_PROFILE", "OpenCL 3.0 double", "Double", "Strobe",
                                        "cl_khr_icd"};

    if (which == 0x0920)
        return answer_text("DOUBLE", size, place, size_ret);
    if (which < 0x0900 || which > 0x0904)
        return INVALID_VALUE;
    return answer_text(texts[which - 0x0900], size, place, size_ret);
}

static int32_t list_devices(Object *platform, uint64_t type, uint32_t n, Object **list,
                            uint32_t *n_ret)
{
    if (list && n)
        *list = &double_device;
    if (n_ret)
        *n_ret = 1;
    return SUCCESS;
}

static int32_t device_info(Object *device, uint32_t which, size_t size, void *place,
                           size_t *size_ret)
{
    const uint64_t accelerator = 8;
    Object *platform = &double_platform;

    if (double_fails("clGetDeviceInfo"))
        return OUT_OF_RESOURCES;
    switch (which) {
    case 0x1000:
        return double_answer(&accelerator, sizeof accelerator, size, place, size_ret);
    case 0x102B:
        return answer_text("Double device", size, place, size_ret);
    case 0x1031:
        return double_answer(&platform, sizeof platform, size, place, size_ret);
    default:
        return INVALID_VALUE;
    }
}

static uint32_t count_references(const Object *object)
{
    pthread_mutex_lock(&double_lock);
    uint32_t n = object->references;
    pthread_mutex_unlock(&double_lock);
    return n;
}

static int32_t context_info(Object *context, uint32_t which, size_t size, void *place,
                            size_t *size_ret)
{
    uint32_t n = count_references(context);

    return which == 0x1080 ? double_answer(&n, sizeof n, size, place, size_ret) : INVALID_VALUE;
}

static int32_t queue_info(Object *queue, uint32_t which, size_t size, void *place, size_t *size_ret)
{
    Object *device = &double_device;
    uint32_t n = count_references(queue);

    if (double_fails("clGetCommandQueueInfo"))
        return OUT_OF_RESOURCES;
    switch (which) {
    case 0x1090:
        return double_answer(&queue->of, sizeof queue->of, size, place, size_ret);
    case 0x1091:
        return double_answer(&device, sizeof device, size, place, size_ret);
    case 0x1092:
        return double_answer(&n, sizeof n, size, place, size_ret);
    case 0x1093:
        return double_answer(&queue->properties, sizeof queue->properties, size, place, size_ret);
    case 0x1098:
        return double_answer(queue->list, queue->n_list * sizeof *queue->list, size, place,
                             size_ret);
    default:
        return INVALID_VALUE;
    }
}

static int32_t kernel_info(Object *kernel, uint32_t which, size_t size, void *place,
                           size_t *size_ret)
{
    uint32_t n = count_references(kernel);

    if (double_fails("clGetKernelInfo"))
        return OUT_OF_RESOURCES;
    if (which == 0x1190)
        return answer_text(kernel->name, size, place, size_ret);
    return which == 0x1192 ? double_answer(&n, sizeof n, size, place, size_ret) : INVALID_VALUE;
}

/* ---- the table ---- */

__attribute__((visibility("default"))) int32_t clIcdGetPlatformIDsKHR(uint32_t n, Object **list,
                                                                      uint32_t *n_ret);
__attribute__((visibility("default"))) void *clGetExtensionFunctionAddress(const char *name);

int32_t clIcdGetPlatformIDsKHR(uint32_t n, Object **list, uint32_t *n_ret)
{
    return list_platforms(n, list, n_ret);
}

void *clGetExtensionFunctionAddress(const char *name)
{
    if (strcmp(name, "clIcdGetPlatformIDsKHR") == 0)
        return (void *)(uintptr_t)clIcdGetPlatformIDsKHR;
    if (strcmp(name, "clGetPlatformInfo") == 0)
        return (void *)(uintptr_t)platform_info;
    if (strcmp(name, "clEnqueueNDRangeKernel") == 0)
        return (void *)(uintptr_t)double_launch;
    return NULL;
}

static void *extension_of_platform(Object *platform, const char *name)
{
    return clGetExtensionFunctionAddress(name);
}

#define AT(place_, function_) [place_] = (void *)(uintptr_t)(function_)

void *const double_table[149] = {
    AT(0, list_platforms),
    AT(1, platform_info),
    AT(2, list_devices),
    AT(3, device_info),
    AT(4, create_context),
    AT(6, hold_object),
    AT(7, let_go),
    AT(8, context_info),
    AT(9, create_queue),
    AT(10, hold_object),
    AT(11, let_go),
    AT(12, queue_info),
    AT(14, create_buffer),
    AT(17, hold_object),
    AT(18, let_go),
    AT(26, create_program),
    AT(28, hold_object),
    AT(29, let_go),
    AT(30, build_program),
    AT(34, create_kernel),
    AT(36, hold_object),
    AT(37, let_go),
    AT(38, set_argument),
    AT(39, kernel_info),
    AT(41, double_wait),
    AT(42, double_event_info),
    AT(43, hold_object),
    AT(44, let_go),
    AT(45, double_profiling_info),
    AT(46, double_flush),
    AT(47, double_finish),
    AT(48, double_read),
    AT(49, double_write),
    AT(59, double_launch),
    AT(62, double_marker),
    AT(65, clGetExtensionFunctionAddress),
    AT(81, double_set_callback),
    AT(84, double_user_event),
    AT(85, double_set_user_event),
    AT(107, extension_of_platform),
    AT(123, create_queue_by_list),
    AT(140, double_timer),
};
