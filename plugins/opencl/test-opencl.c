/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the layer with a simulated driver, whose commands are complete when the test says so. */
#include "test-driver.h"

#include <CL/cl_layer.h>
#include <dlfcn.h>
#include <glib.h>
#include <pthread.h>
#include "../../sdk/check/mock-host.h"
#include <stdatomic.h>
#include <string.h>

static struct {
    cl_icd_dispatch table;
    const cl_icd_dispatch *layer;
    _Atomic int is_stopped;
} driver;

/* ---- the test's side ---- */

static const char *plugin_path;

static void let_in(void)
{
    void *plugin = dlopen(plugin_path, RTLD_NOW | RTLD_LOCAL);
    pfn_clInitLayer init = (pfn_clInitLayer)dlsym(plugin, "clInitLayer");
    cl_uint n = sizeof driver.table / sizeof(void *);

    if (driver.layer)
        return;
    test_driver_fill(&driver.table);
    g_assert_cmpint(init(n, &driver.table, &n, &driver.layer), ==, CL_SUCCESS);
    g_assert_cmpuint(n, ==, sizeof driver.table / sizeof(void *));
}

static StrobeMockHost *start_mock(void)
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

static void stop_mock(StrobeMockHost *mock)
{
    g_assert_cmpint(strobe_mock_host_stop(mock), ==, STROBE_OK);
    g_assert_cmpint(strobe_mock_host_flush(mock, 1000000000), ==, STROBE_OK);
    g_assert_cmpstr(strobe_mock_host_complaints(mock), ==, "");
    g_assert_cmpstr(strobe_mock_host_errors(mock), ==, "");
}

static size_t count_records(StrobeMockHost *mock, const char *kind)
{
    size_t n = 0;

    for (size_t i = 0; i < strobe_mock_host_n_records(mock); i++)
        n += strcmp(strobe_mock_host_record(mock, i)->kind->name, kind) == 0;
    return n;
}

static const StrobeMockRecord *find_record(StrobeMockHost *mock, const char *kind)
{
    for (size_t i = 0; i < strobe_mock_host_n_records(mock); i++)
        if (strcmp(strobe_mock_host_record(mock, i)->kind->name, kind) == 0)
            return strobe_mock_host_record(mock, i);
    return NULL;
}

static cl_int enqueue_kernel(cl_event *event)
{
    size_t global[] = {100, 4}, local[] = {32, 1};

    return driver.layer->clEnqueueNDRangeKernel((cl_command_queue)&test_driver, (cl_kernel)&driver,
                                                2, NULL, global, local, 0, NULL, event);
}

static cl_uint count_references(cl_event event)
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
    /* The layer does not have functions that the driver does not have. A second loader gets the
     * driver's own table, without the layer. */
    g_assert_null(driver.layer->clEnqueueReadBuffer);
    g_assert_cmpint(init(n, &driver.table, &n, &second), ==, CL_SUCCESS);
    g_assert_true(second == &driver.table);
    g_assert_cmpint(init(n, NULL, &n, &second), ==, CL_INVALID_VALUE);
}

static void test_task(void)
{
    StrobeMockHost *mock = start_mock();
    const StrobeMockRecord *task, *call;

    g_assert_cmpuint(test_driver.made_with, ==, CL_QUEUE_PROFILING_ENABLE);
    g_assert_cmpint(enqueue_kernel(NULL), ==, CL_SUCCESS);
    g_assert_null(find_record(mock, "device_task"));
    test_driver_complete_all();
    task = find_record(mock, "device_task");
    call = find_record(mock, "api_call");
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
    g_assert_cmpuint(count_records(mock, "clock_sync"), ==, 1);
    g_assert_cmpint(atomic_load(&test_driver.n_events), ==, 0);
    stop_mock(mock);
    strobe_mock_host_free(mock);
}

static void test_no_window(void)
{
    StrobeMockHost *mock = start_mock();

    stop_mock(mock);
    strobe_mock_host_clear(mock);
    g_assert_cmpint(enqueue_kernel(NULL), ==, CL_SUCCESS);
    test_driver_complete_all();
    g_assert_cmpuint(strobe_mock_host_n_records(mock), ==, 0);
    g_assert_cmpint(atomic_load(&test_driver.n_events), ==, 0);
    strobe_mock_host_free(mock);
}

static void test_failed_call(void)
{
    StrobeMockHost *mock = start_mock();
    cl_event event = (cl_event)&driver;

    g_assert_cmpint(driver.layer->clEnqueueNDRangeKernel((cl_command_queue)&test_driver,
                                                         (cl_kernel)&driver, 0, NULL, NULL, NULL, 0,
                                                         NULL, &event),
                    ==, CL_INVALID_WORK_DIMENSION);
    g_assert_true(event == (cl_event)&driver);
    g_assert_cmpuint(count_records(mock, "api_call"), ==, 1);
    g_assert_cmpuint(count_records(mock, "device_task"), ==, 0);
    stop_mock(mock);
    strobe_mock_host_free(mock);
}

/* The program does not see the layer's references in the reference count of an event, neither
 * before the event is complete nor afterwards. */
static void test_references(void)
{
    StrobeMockHost *mock = start_mock();
    cl_event event;

    g_assert_cmpint(enqueue_kernel(&event), ==, CL_SUCCESS);
    g_assert_cmpuint(count_references(event), ==, 2);
    test_driver_complete_all();
    g_assert_cmpuint(count_references(event), ==, 1);
    driver.layer->clReleaseEvent(event);
    g_assert_cmpint(atomic_load(&test_driver.n_events), ==, 0);
    g_assert_cmpuint(count_records(mock, "device_task"), ==, 1);
    stop_mock(mock);
    strobe_mock_host_free(mock);
}

static cl_command_queue_properties properties_of_queue(void)
{
    cl_command_queue_properties properties = 99;

    driver.layer->clGetCommandQueueInfo((cl_command_queue)&test_driver, CL_QUEUE_PROPERTIES,
                                        sizeof properties, &properties, NULL);
    return properties;
}

/* The program turns profiling of its queue on and off with a function of OpenCL 1.0. */
static void test_property(void)
{
    StrobeMockHost *mock = start_mock();
    cl_command_queue_properties old = 99;
    cl_command_queue queue = (cl_command_queue)&test_driver;
    cl_ulong time;
    cl_event event;

    g_assert_cmpuint(properties_of_queue(), ==, 0);
    g_assert_cmpint(enqueue_kernel(&event), ==, CL_SUCCESS);
    test_driver_complete_all();
    g_assert_cmpint(driver.layer->clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END,
                                                          sizeof time, &time, NULL),
                    ==, CL_PROFILING_INFO_NOT_AVAILABLE);
    driver.layer->clSetCommandQueueProperty(queue, CL_QUEUE_PROFILING_ENABLE, CL_TRUE, &old);
    g_assert_cmpuint(old, ==, 0);
    g_assert_cmpuint(properties_of_queue(), ==, CL_QUEUE_PROFILING_ENABLE);
    g_assert_cmpint(driver.layer->clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END,
                                                          sizeof time, &time, NULL),
                    ==, CL_SUCCESS);
    driver.layer->clReleaseEvent(event);
    driver.layer->clSetCommandQueueProperty(queue, CL_QUEUE_PROFILING_ENABLE, CL_FALSE, &old);
    g_assert_cmpuint(old, ==, CL_QUEUE_PROFILING_ENABLE);
    g_assert_cmpuint(properties_of_queue(), ==, 0);
    g_assert_cmpint(enqueue_kernel(NULL), ==, CL_SUCCESS);
    test_driver_complete_all();
    g_assert_cmpuint(count_records(mock, "device_task"), ==, 1);
    stop_mock(mock);
    g_assert_nonnull(strstr(strobe_mock_host_messages(mock), "1 commands of queues without"));
    strobe_mock_host_free(mock);
}

/* If the driver never calls back, the complete commands are found by the program's call that
 * waits. */
static void test_no_callback(void)
{
    StrobeMockHost *mock = start_mock();
    cl_event event;

    atomic_store(&test_driver.fails_callback, 1);
    for (int i = 0; i < 1000; i++)
        g_assert_cmpint(enqueue_kernel(NULL), ==, CL_SUCCESS);
    test_driver_complete_all();
    g_assert_cmpuint(count_records(mock, "device_task"), ==, 0);
    driver.layer->clFinish((cl_command_queue)&test_driver);
    g_assert_cmpuint(count_records(mock, "device_task"), ==, 1000);
    /* After a wait for one command, the commands before it are also known to be complete. */
    for (int i = 0; i < 3; i++)
        g_assert_cmpint(enqueue_kernel(NULL), ==, CL_SUCCESS);
    g_assert_cmpint(enqueue_kernel(&event), ==, CL_SUCCESS);
    test_driver_complete_all();
    driver.layer->clWaitForEvents(1, &event);
    g_assert_cmpuint(count_records(mock, "device_task"), ==, 1004);
    driver.layer->clReleaseEvent(event);
    g_assert_cmpint(atomic_load(&test_driver.n_events), ==, 0);
    atomic_store(&test_driver.fails_callback, 0);
    stop_mock(mock);
    strobe_mock_host_free(mock);
}

static void *complete_soon(void *data)
{
    g_usleep(20000);
    test_driver_complete_all();
    return NULL;
}

/* The end of the window waits for commands that are not complete, as long as the host's limit
 * allows. */
static void test_end_of_window(void)
{
    StrobeMockHost *mock = start_mock();
    pthread_t thread;
    cl_event event;

    g_assert_cmpint(enqueue_kernel(&event), ==, CL_SUCCESS);
    pthread_create(&thread, NULL, complete_soon, NULL);
    stop_mock(mock);
    pthread_join(thread, NULL);
    g_assert_cmpuint(count_records(mock, "device_task") + count_records(mock, "api_call"), ==, 2);
    driver.layer->clReleaseEvent(event);

    /* The next window records a pair of clock readings before its first command. */
    strobe_mock_host_clear(mock);
    g_assert_cmpint(strobe_mock_host_start(mock), ==, STROBE_OK);
    g_assert_cmpuint(count_records(mock, "clock_sync"), ==, 1);
    g_assert_cmpint(enqueue_kernel(NULL), ==, CL_SUCCESS);
    g_assert_cmpint(strobe_mock_host_stop(mock), ==, STROBE_OK);
    strobe_mock_host_flush(mock, 1000000);
    g_assert_cmpint(strobe_mock_host_close(mock), ==, STROBE_OK);
    g_assert_nonnull(strstr(strobe_mock_host_messages(mock), "1 commands had not finished"));
    test_driver_complete_all();
    g_assert_cmpuint(count_records(mock, "device_task"), ==, 0);
    g_assert_cmpint(atomic_load(&test_driver.n_events), ==, 0);
    strobe_mock_host_free(mock);
}

/* ---- a race ---- */

#define LAUNCHES 4000

static void *complete_some(void *data)
{
    while (!atomic_load(&driver.is_stopped)) {
        TestEvent *event = test_driver_take();
        if (event)
            test_driver_complete(event);
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
        g_assert_cmpint(enqueue_kernel(i % 3 ? &event : NULL), ==, CL_SUCCESS);
        if (i % 100 == 0)
            driver.layer->clFinish((cl_command_queue)&test_driver);
        if (!event)
            continue;
        if (i % 5 == 0) {
            driver.layer->clWaitForEvents(1, &event);
            driver.layer->clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
                                         &status, NULL);
            g_assert_cmpint(status, ==, CL_COMPLETE);
        }
        if (i % 50 == 1) {
            cl_uint n = count_references(event);
            g_assert_cmpuint(n, >=, 1);
            g_assert_cmpuint(n, <=, 2);
        }
        driver.layer->clReleaseEvent(event);
    }
    return NULL;
}

static int compare_ids(const void *a, const void *b)
{
    const gint64 *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Each launch is recorded once, by the first thread that sees its end. No event is left over or
 * lost. */
static void test_race(void)
{
    StrobeMockHost *mock = start_mock();
    pthread_t completer[2], launcher[2];
    g_autoptr(GArray) ids = g_array_new(FALSE, FALSE, sizeof(gint64));

    /* makes the tracks, which the mock host cannot do while other threads record */
    enqueue_kernel(NULL);
    test_driver_complete_all();
    atomic_store(&driver.is_stopped, 0);
    for (int i = 0; i < 2; i++) {
        pthread_create(&completer[i], NULL, complete_some, NULL);
        pthread_create(&launcher[i], NULL, launch_some, NULL);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(launcher[i], NULL);
    driver.layer->clFinish((cl_command_queue)&test_driver);
    atomic_store(&driver.is_stopped, 1);
    for (int i = 0; i < 2; i++)
        pthread_join(completer[i], NULL);
    stop_mock(mock);
    g_assert_cmpint(atomic_load(&test_driver.n_events), ==, 0);
    for (size_t i = 0; i < strobe_mock_host_n_records(mock); i++) {
        const StrobeMockRecord *record = strobe_mock_host_record(mock, i);
        gint64 id = strobe_mock_host_integer(record, "task");
        if (strcmp(record->kind->name, "device_task") == 0)
            g_array_append_val(ids, id);
    }
    g_assert_cmpuint(ids->len, ==, 2 * LAUNCHES + 1);
    g_array_sort(ids, compare_ids);
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
    g_test_add_func("/opencl/property", test_property);
    g_test_add_func("/opencl/no-callback", test_no_callback);
    g_test_add_func("/opencl/end-of-window", test_end_of_window);
    g_test_add_func("/opencl/race", test_race);
    return g_test_run();
}
