/* SPDX-License-Identifier: Apache-2.0 */
/* The layer on a driver of the test's own, whose commands end when the test says so. */
#include <CL/cl_layer.h>
#include <dlfcn.h>
#include <glib.h>
#include <pthread.h>
#include "../../sdk/check/mock-host.h"
#include <stdatomic.h>
#include <string.h>

/* ---- the driver ---- */

/* Locks are pthread's: ThreadSanitizer does not see GLib's. */
typedef struct Event {
    struct Event *next;
    pthread_mutex_t lock;
    _Atomic int references, status;
    void(CL_CALLBACK *told)(cl_event, cl_int, void *);
    void *data;
    cl_ulong time[4];
} Event;

static struct {
    cl_icd_dispatch table;
    const cl_icd_dispatch *layer;
    pthread_mutex_t lock;
    Event *line; /* commands that are not complete, each with a reference */
    _Atomic int n_events, n_pending, n_launches, fails_callback, is_stopped;
    _Atomic cl_ulong clock;
} driver = {.lock = PTHREAD_MUTEX_INITIALIZER};

static Event *make_event(void)
{
    Event *event = g_new0(Event, 1);

    pthread_mutex_init(&event->lock, NULL);
    atomic_init(&event->references, 2); /* the caller's and the line's */
    atomic_init(&event->status, CL_SUBMITTED);
    event->time[0] = event->time[1] = atomic_fetch_add(&driver.clock, 10) + 1;
    atomic_fetch_add(&driver.n_events, 1);
    return event;
}

static cl_int retain_event(cl_event handle)
{
    Event *event = (Event *)handle;

    g_assert_cmpint(atomic_fetch_add(&event->references, 1), >, 0);
    return CL_SUCCESS;
}

static cl_int release_event(cl_event handle)
{
    Event *event = (Event *)handle;
    int before = atomic_fetch_sub(&event->references, 1);

    g_assert_cmpint(before, >, 0);
    if (before == 1) {
        atomic_fetch_sub(&driver.n_events, 1);
        pthread_mutex_destroy(&event->lock);
        g_free(event);
    }
    return CL_SUCCESS;
}

static void complete(Event *event)
{
    event->time[2] = atomic_fetch_add(&driver.clock, 10);
    event->time[3] = atomic_fetch_add(&driver.clock, 10);
    pthread_mutex_lock(&event->lock);
    atomic_store(&event->status, CL_COMPLETE);
    void(CL_CALLBACK * told)(cl_event, cl_int, void *) = event->told;
    event->told = NULL;
    pthread_mutex_unlock(&event->lock);
    atomic_fetch_sub(&driver.n_pending, 1);
    if (told)
        told((cl_event)event, CL_COMPLETE, event->data);
    release_event((cl_event)event);
}

static cl_int set_callback(cl_event handle, cl_int at,
                           void(CL_CALLBACK *told)(cl_event, cl_int, void *), void *data)
{
    Event *event = (Event *)handle;

    if (atomic_load(&driver.fails_callback))
        return CL_OUT_OF_RESOURCES;
    pthread_mutex_lock(&event->lock);
    int is_complete = atomic_load(&event->status) == CL_COMPLETE;
    if (!is_complete) {
        event->told = told;
        event->data = data;
    }
    pthread_mutex_unlock(&event->lock);
    if (is_complete)
        told(handle, CL_COMPLETE, data);
    return CL_SUCCESS;
}

static cl_int launch(cl_command_queue queue, cl_kernel kernel, cl_uint n, const size_t *offset,
                     const size_t *global, const size_t *local, cl_uint n_waits,
                     const cl_event *waits, cl_event *event)
{
    Event *made;

    if (n == 0)
        return CL_INVALID_WORK_DIMENSION;
    atomic_fetch_add(&driver.n_launches, 1);
    atomic_fetch_add(&driver.n_pending, 1);
    made = make_event();
    if (event)
        *event = (cl_event)made;
    else
        release_event((cl_event)made);
    pthread_mutex_lock(&driver.lock);
    made->next = driver.line;
    driver.line = made;
    pthread_mutex_unlock(&driver.lock);
    return CL_SUCCESS;
}

static cl_int finish(cl_command_queue queue)
{
    while (atomic_load(&driver.n_pending) > 0)
        g_thread_yield();
    return CL_SUCCESS;
}

static cl_int wait_for(cl_uint n, const cl_event *events)
{
    for (cl_uint i = 0; i < n; i++)
        while (atomic_load(&((Event *)events[i])->status) > CL_COMPLETE)
            g_thread_yield();
    return CL_SUCCESS;
}

static cl_int give(const void *value, size_t length, size_t size, void *place, size_t *size_ret)
{
    if (place && size < length)
        return CL_INVALID_VALUE;
    if (place)
        memcpy(place, value, length);
    if (size_ret)
        *size_ret = length;
    return CL_SUCCESS;
}

static cl_int event_info(cl_event handle, cl_event_info which, size_t size, void *place,
                         size_t *size_ret)
{
    Event *event = (Event *)handle;
    cl_int value = which == CL_EVENT_REFERENCE_COUNT ? atomic_load(&event->references)
                                                     : atomic_load(&event->status);
    cl_command_queue queue = (cl_command_queue)&driver;

    if (which == CL_EVENT_COMMAND_QUEUE)
        return give(&queue, sizeof queue, size, place, size_ret);
    return give(&value, sizeof value, size, place, size_ret);
}

static cl_int profiling_info(cl_event handle, cl_profiling_info which, size_t size, void *place,
                             size_t *size_ret)
{
    Event *event = (Event *)handle;

    if (atomic_load(&event->status) > CL_COMPLETE)
        return CL_PROFILING_INFO_NOT_AVAILABLE;
    return give(&event->time[which - CL_PROFILING_COMMAND_QUEUED], sizeof(cl_ulong), size, place,
                size_ret);
}

static cl_int device_info(cl_device_id device, cl_device_info which, size_t size, void *place,
                          size_t *size_ret)
{
    cl_device_type type = CL_DEVICE_TYPE_GPU;

    if (which == CL_DEVICE_TYPE)
        return give(&type, sizeof type, size, place, size_ret);
    return give("Fast", 5, size, place, size_ret);
}

static cl_int kernel_info(cl_kernel kernel, cl_kernel_info which, size_t size, void *place,
                          size_t *size_ret)
{
    return give("sum", 4, size, place, size_ret);
}

static cl_command_queue_properties made_with;

static cl_command_queue create_queue(cl_context context, cl_device_id device,
                                     cl_command_queue_properties properties, cl_int *status)
{
    made_with = properties;
    *status = CL_SUCCESS;
    return (cl_command_queue)&driver;
}

static cl_int queue_info(cl_command_queue queue, cl_command_queue_info which, size_t size,
                         void *place, size_t *size_ret)
{
    if (which != CL_QUEUE_PROPERTIES)
        return CL_INVALID_VALUE;
    return give(&made_with, sizeof made_with, size, place, size_ret);
}

/* ---- the test's side ---- */

static const char *plugin_path;

static void let_in(void)
{
    void *plugin = dlopen(plugin_path, RTLD_NOW | RTLD_LOCAL);
    pfn_clInitLayer init = (pfn_clInitLayer)dlsym(plugin, "clInitLayer");
    cl_uint n = sizeof driver.table / sizeof(void *);

    if (driver.layer)
        return;
    atomic_init(&driver.clock, 1000000);
    driver.table.clCreateCommandQueue = create_queue;
    driver.table.clGetCommandQueueInfo = queue_info;
    driver.table.clGetDeviceInfo = device_info;
    driver.table.clGetKernelInfo = kernel_info;
    driver.table.clEnqueueNDRangeKernel = launch;
    driver.table.clFinish = finish;
    driver.table.clWaitForEvents = wait_for;
    driver.table.clGetEventInfo = event_info;
    driver.table.clGetEventProfilingInfo = profiling_info;
    driver.table.clRetainEvent = retain_event;
    driver.table.clReleaseEvent = release_event;
    driver.table.clSetEventCallback = set_callback;
    g_assert_cmpint(init(n, &driver.table, &n, &driver.layer), ==, CL_SUCCESS);
    g_assert_cmpuint(n, ==, sizeof driver.table / sizeof(void *));
}

static StrobeMockHost *begin(void)
{
    StrobeMockHost *mock = strobe_mock_host_load(plugin_path, NULL);
    cl_int status;

    g_assert_nonnull(mock);
    let_in();
    g_assert_cmpint(strobe_mock_host_open(mock), ==, STROBE_OK);
    g_assert_nonnull(driver.layer->clCreateCommandQueue(NULL, (cl_device_id)&driver, 0, &status));
    g_assert_cmpint(strobe_mock_host_warm(mock), ==, STROBE_OK);
    g_assert_cmpint(strobe_mock_host_start(mock), ==, STROBE_OK);
    return mock;
}

static void end(StrobeMockHost *mock)
{
    g_assert_cmpint(strobe_mock_host_stop(mock), ==, STROBE_OK);
    g_assert_cmpint(strobe_mock_host_flush(mock, 1000000000), ==, STROBE_OK);
    g_assert_cmpstr(strobe_mock_host_complaints(mock), ==, "");
    g_assert_cmpstr(strobe_mock_host_errors(mock), ==, "");
}

static size_t count(StrobeMockHost *mock, const char *kind)
{
    size_t n = 0;

    for (size_t i = 0; i < strobe_mock_host_n_records(mock); i++)
        n += strcmp(strobe_mock_host_record(mock, i)->kind->name, kind) == 0;
    return n;
}

static const StrobeMockRecord *find(StrobeMockHost *mock, const char *kind)
{
    for (size_t i = 0; i < strobe_mock_host_n_records(mock); i++)
        if (strcmp(strobe_mock_host_record(mock, i)->kind->name, kind) == 0)
            return strobe_mock_host_record(mock, i);
    return NULL;
}

static cl_int enqueue(cl_event *event)
{
    size_t global[] = {100, 4}, local[] = {32, 1};

    return driver.layer->clEnqueueNDRangeKernel((cl_command_queue)&driver, (cl_kernel)&driver, 2,
                                                NULL, global, local, 0, NULL, event);
}

/* The newest first. */
static Event *take(void)
{
    pthread_mutex_lock(&driver.lock);
    Event *event = driver.line;
    driver.line = event ? event->next : NULL;
    pthread_mutex_unlock(&driver.lock);
    return event;
}

static void complete_all(void)
{
    Event *event;

    while ((event = take()))
        complete(event);
}

static cl_uint references(cl_event event)
{
    cl_uint n = 99;

    driver.layer->clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof n, &n, NULL);
    return n;
}

/* ---- cases ---- */

static void test_layer(void)
{
    void *plugin = dlopen(plugin_path, RTLD_NOW | RTLD_LOCAL);
    pfn_clGetLayerInfo info = (pfn_clGetLayerInfo)dlsym(plugin, "clGetLayerInfo");
    pfn_clInitLayer init = (pfn_clInitLayer)dlsym(plugin, "clInitLayer");
    const cl_icd_dispatch *second;
    cl_layer_api_version version = 0;
    char name[16];
    size_t size;
    cl_uint n = 3;

    let_in();
    g_assert_cmpint(info(CL_LAYER_API_VERSION, sizeof version, &version, &size), ==, CL_SUCCESS);
    g_assert_cmpuint(version, ==, 100);
    g_assert_cmpuint(size, ==, sizeof version);
    g_assert_cmpint(info(CL_LAYER_API_VERSION, 1, &version, NULL), ==, CL_INVALID_VALUE);
    g_assert_cmpint(info(CL_LAYER_NAME, sizeof name, name, NULL), ==, CL_SUCCESS);
    g_assert_cmpstr(name, ==, "Strobe");
    g_assert_cmpint(info(0, sizeof name, name, NULL), ==, CL_INVALID_VALUE);
    /* What the driver has not is not there; a second loader has the driver to itself. */
    g_assert_null(driver.layer->clEnqueueReadBuffer);
    g_assert_cmpint(init(n, &driver.table, &n, &second), ==, CL_SUCCESS);
    g_assert_true(second == &driver.table);
    g_assert_cmpint(init(n, NULL, &n, &second), ==, CL_INVALID_VALUE);
}

static void test_task(void)
{
    StrobeMockHost *mock = begin();
    const StrobeMockRecord *task, *call;

    g_assert_cmpuint(made_with, ==, CL_QUEUE_PROFILING_ENABLE);
    g_assert_cmpint(enqueue(NULL), ==, CL_SUCCESS);
    g_assert_null(find(mock, "device_task"));
    complete_all();
    task = find(mock, "device_task");
    call = find(mock, "api_call");
    g_assert_nonnull(task);
    g_assert_nonnull(call);
    g_assert_cmpstr(task->name, ==, "sum");
    g_assert_cmpuint(task->end - task->begin, ==, 10);
    g_assert_cmpuint(task->begin, ==, strobe_mock_host_integer(task, "opencl.start"));
    g_assert_cmpint(strobe_mock_host_integer(task, "opencl.queued_ns"), ==, 9);
    g_assert_cmpstr(strobe_mock_host_text(mock, task, "grid_dim"), ==, "4,4,1");
    g_assert_cmpstr(strobe_mock_host_text(mock, task, "block_dim"), ==, "32,1,1");
    g_assert_cmpint(strobe_mock_host_integer(task, "block_num"), ==, 16);
    g_assert_cmpstr(strobe_mock_host_text(mock, task, "core"), ==, "GPU");
    g_assert_cmpint(strobe_mock_host_integer(task, "connection"), ==,
                    strobe_mock_host_integer(call, "connection"));
    g_assert_cmpstr(strobe_mock_host_track(mock, task->track)->group, ==, "OpenCL Fast");
    g_assert_cmpuint(strobe_mock_host_track(mock, task->track)->clock, ==, STROBE_CLOCK_OF_TRACK);
    g_assert_cmpuint(count(mock, "clock_sync"), ==, 1);
    g_assert_cmpint(atomic_load(&driver.n_events), ==, 0);
    end(mock);
    strobe_mock_host_free(mock);
}

static void test_no_window(void)
{
    StrobeMockHost *mock = begin();

    end(mock);
    strobe_mock_host_clear(mock);
    g_assert_cmpint(enqueue(NULL), ==, CL_SUCCESS);
    complete_all();
    g_assert_cmpuint(strobe_mock_host_n_records(mock), ==, 0);
    g_assert_cmpint(atomic_load(&driver.n_events), ==, 0);
    strobe_mock_host_free(mock);
}

static void test_failed_call(void)
{
    StrobeMockHost *mock = begin();
    cl_event event = (cl_event)&driver;

    g_assert_cmpint(driver.layer->clEnqueueNDRangeKernel((cl_command_queue)&driver,
                                                         (cl_kernel)&driver, 0, NULL, NULL, NULL, 0,
                                                         NULL, &event),
                    ==, CL_INVALID_WORK_DIMENSION);
    g_assert_true(event == (cl_event)&driver);
    g_assert_cmpuint(count(mock, "api_call"), ==, 1);
    g_assert_cmpuint(count(mock, "device_task"), ==, 0);
    end(mock);
    strobe_mock_host_free(mock);
}

/* References of ours are in no count, before and after; the last one is the program's. */
static void test_references(void)
{
    StrobeMockHost *mock = begin();
    cl_event event;

    g_assert_cmpint(enqueue(&event), ==, CL_SUCCESS);
    g_assert_cmpuint(references(event), ==, 2);
    complete_all();
    g_assert_cmpuint(references(event), ==, 1);
    driver.layer->clReleaseEvent(event);
    g_assert_cmpint(atomic_load(&driver.n_events), ==, 0);
    g_assert_cmpuint(count(mock, "device_task"), ==, 1);
    end(mock);
    strobe_mock_host_free(mock);
}

/* A driver that never calls: whoever waits finds what is complete. */
static void test_no_callback(void)
{
    StrobeMockHost *mock = begin();

    atomic_store(&driver.fails_callback, 1);
    for (int i = 0; i < 1000; i++)
        g_assert_cmpint(enqueue(NULL), ==, CL_SUCCESS);
    complete_all();
    g_assert_cmpuint(count(mock, "device_task"), ==, 0);
    driver.layer->clFinish((cl_command_queue)&driver);
    g_assert_cmpuint(count(mock, "device_task"), ==, 1000);
    g_assert_cmpint(atomic_load(&driver.n_events), ==, 0);
    atomic_store(&driver.fails_callback, 0);
    end(mock);
    strobe_mock_host_free(mock);
}

static void *complete_soon(void *data)
{
    g_usleep(20000);
    complete_all();
    return NULL;
}

/* What the device works on when the window ends is waited for, for as long as the host lets. */
static void test_end_of_window(void)
{
    StrobeMockHost *mock = begin();
    pthread_t thread;
    cl_event event;

    g_assert_cmpint(enqueue(&event), ==, CL_SUCCESS);
    pthread_create(&thread, NULL, complete_soon, NULL);
    end(mock);
    pthread_join(thread, NULL);
    g_assert_cmpuint(count(mock, "device_task") + count(mock, "api_call"), ==, 2);
    driver.layer->clReleaseEvent(event);

    g_assert_cmpint(strobe_mock_host_start(mock), ==, STROBE_OK);
    g_assert_cmpint(enqueue(NULL), ==, CL_SUCCESS);
    g_assert_cmpint(strobe_mock_host_stop(mock), ==, STROBE_OK);
    g_assert_cmpint(strobe_mock_host_flush(mock, 1000000), ==, STROBE_OK);
    g_assert_nonnull(strstr(strobe_mock_host_messages(mock), "1 commands had not finished"));
    complete_all();
    g_assert_cmpuint(count(mock, "device_task"), ==, 1);
    g_assert_cmpint(atomic_load(&driver.n_events), ==, 0);
    strobe_mock_host_free(mock);
}

/* ---- a race ---- */

#define LAUNCHES 4000

static void *complete_some(void *data)
{
    while (!atomic_load(&driver.is_stopped)) {
        Event *event = take();
        if (event)
            complete(event);
        else
            g_thread_yield();
    }
    return NULL;
}

static void *launch_some(void *data)
{
    for (int i = 0; i < LAUNCHES; i++) {
        cl_event event = NULL;
        cl_int status;
        g_assert_cmpint(enqueue(i % 3 ? &event : NULL), ==, CL_SUCCESS);
        if (i % 100 == 0)
            driver.layer->clFinish((cl_command_queue)&driver);
        if (!event)
            continue;
        if (i % 5 == 0) {
            driver.layer->clWaitForEvents(1, &event);
            driver.layer->clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
                                         &status, NULL);
            g_assert_cmpint(status, ==, CL_COMPLETE);
        }
        if (i % 50 == 1) {
            cl_uint n = references(event);
            g_assert_cmpuint(n, >=, 1);
            g_assert_cmpuint(n, <=, 2);
        }
        driver.layer->clReleaseEvent(event);
    }
    return NULL;
}

static int compare(const void *a, const void *b)
{
    const gint64 *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Each launch is recorded once, whoever sees its end first, and no event is left or lost. */
static void test_race(void)
{
    StrobeMockHost *mock = begin();
    pthread_t completer[2], launcher[2];
    g_autoptr(GArray) ids = g_array_new(FALSE, FALSE, sizeof(gint64));

    enqueue(NULL); /* the mock host may not make tracks while others record */
    complete_all();
    atomic_store(&driver.is_stopped, 0);
    for (int i = 0; i < 2; i++) {
        pthread_create(&completer[i], NULL, complete_some, NULL);
        pthread_create(&launcher[i], NULL, launch_some, NULL);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(launcher[i], NULL);
    driver.layer->clFinish((cl_command_queue)&driver);
    atomic_store(&driver.is_stopped, 1);
    for (int i = 0; i < 2; i++)
        pthread_join(completer[i], NULL);
    end(mock);
    g_assert_cmpint(atomic_load(&driver.n_events), ==, 0);
    for (size_t i = 0; i < strobe_mock_host_n_records(mock); i++) {
        const StrobeMockRecord *record = strobe_mock_host_record(mock, i);
        gint64 id = strobe_mock_host_integer(record, "task");
        if (strcmp(record->kind->name, "device_task") == 0)
            g_array_append_val(ids, id);
    }
    g_assert_cmpuint(ids->len, ==, 2 * LAUNCHES + 1);
    g_array_sort(ids, compare);
    for (guint i = 1; i < ids->len; i++)
        g_assert_cmpint(g_array_index(ids, gint64, i), !=, g_array_index(ids, gint64, i - 1));
    strobe_mock_host_free(mock);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    plugin_path = g_build_filename(g_getenv("STROBE_TEST_PLUGINS"), "opencl.so", NULL);
    g_test_add_func("/opencl/layer", test_layer);
    g_test_add_func("/opencl/task", test_task);
    g_test_add_func("/opencl/no-window", test_no_window);
    g_test_add_func("/opencl/failed-call", test_failed_call);
    g_test_add_func("/opencl/references", test_references);
    g_test_add_func("/opencl/no-callback", test_no_callback);
    g_test_add_func("/opencl/end-of-window", test_end_of_window);
    g_test_add_func("/opencl/race", test_race);
    return g_test_run();
}
