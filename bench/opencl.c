/* SPDX-License-Identifier: Apache-2.0 */
/* opencl PLUGIN FOLDER [REPEATS]: measures the ns of a call that does nothing, and of a launch on
 * the first device (one of 200 launches of an empty kernel, after which the program waits). Each is
 * measured in turn without the layer, through the layer without a session, and through the layer in
 * a session. PLUGIN is opencl.so, which is loaded as the ICD loader loads it. The session is a
 * flight recorder of 64 MB. */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl_layer.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include "measure.h"

#define CALLS 100000
#define LAUNCHES 200 /* number of launches between two waits */

static cl_icd_dispatch target;
static const cl_icd_dispatch *layer;
static cl_command_queue queue;
static cl_kernel kernel;

static cl_int do_nothing(cl_command_queue unused)
{
    keep_value((uint64_t)(uintptr_t)unused);
    return CL_SUCCESS;
}

static void check_status(cl_int status, const char *what)
{
    char text[32];

    snprintf(text, sizeof text, "%d", status);
    if (status != CL_SUCCESS)
        fail(what, text);
}

/* ---- the layer ---- */

#define TAKE(name_)                                                                                \
    do {                                                                                           \
        void *function = dlsym(loader, #name_);                                                    \
        memcpy(&target.name_, &function, sizeof function);                                         \
    } while (0)

/* Gets the functions of the ICD loader that the layer calls in this program. */
static void take_functions(void *loader)
{
    TAKE(clGetPlatformIDs);
    TAKE(clGetDeviceIDs);
    TAKE(clGetDeviceInfo);
    TAKE(clCreateContext);
    TAKE(clReleaseContext);
    TAKE(clCreateCommandQueue);
    TAKE(clReleaseCommandQueue);
    TAKE(clGetCommandQueueInfo);
    TAKE(clCreateProgramWithSource);
    TAKE(clBuildProgram);
    TAKE(clCreateKernel);
    TAKE(clGetKernelInfo);
    TAKE(clGetEventInfo);
    TAKE(clRetainEvent);
    TAKE(clReleaseEvent);
    TAKE(clGetEventProfilingInfo);
    TAKE(clSetEventCallback);
    TAKE(clGetDeviceAndHostTimer);
    TAKE(clEnqueueMarker);
    TAKE(clEnqueueNDRangeKernel);
    TAKE(clFinish);
    target.clFlush = do_nothing;
}

static void let_in(const char *path)
{
    void *loader = dlopen("libOpenCL.so.1", RTLD_NOW), *plugin = dlopen(path, RTLD_NOW);
    cl_uint n = sizeof target / sizeof(void *);

    if (!loader || !plugin)
        fail("cannot load", dlerror());
    take_functions(loader);
    pfn_clInitLayer init = (pfn_clInitLayer)dlsym(plugin, "clInitLayer");
    if (!init || init(n, &target, &n, &layer) != CL_SUCCESS)
        fail("the layer was not let in", path);
}

static void set_up(void)
{
    static const char *source = "kernel void nothing(void) {}";
    cl_platform_id platform;
    cl_device_id device;
    cl_int status;

    check_status(layer->clGetPlatformIDs(1, &platform, NULL), "no platform");
    check_status(layer->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL),
                 "no device");
    cl_context context = layer->clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check_status(status, "no context");
    queue = layer->clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
    check_status(status, "no queue");
    cl_program program = layer->clCreateProgramWithSource(context, 1, &source, NULL, &status);
    check_status(status, "no program");
    check_status(layer->clBuildProgram(program, 1, &device, "", NULL, NULL), "cannot build");
    kernel = layer->clCreateKernel(program, "nothing", &status);
    check_status(status, "no kernel");
}

/* ---- measurements ---- */

static double time_of_calls(const cl_icd_dispatch *table)
{
    double begin = now_ns();

    for (unsigned i = 0; i < CALLS; i++)
        table->clFlush(queue);
    return (now_ns() - begin) / CALLS;
}

static double time_of_launches(const cl_icd_dispatch *table)
{
    size_t one = 1;
    double begin = now_ns();

    for (unsigned i = 0; i < LAUNCHES; i++)
        check_status(
            table->clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL),
            "cannot launch");
    check_status(table->clFinish(queue), "cannot finish");
    return (now_ns() - begin) / LAUNCHES;
}

static void measure_layer(Samples *call_bare, Samples *call, Samples *launch_bare, Samples *launch,
                          long repeats)
{
    time_of_launches(layer);
    for (long r = 0; r < repeats; r++) {
        samples_add(call_bare, time_of_calls(&target));
        samples_add(call, time_of_calls(layer));
        samples_add(launch_bare, time_of_launches(&target));
        samples_add(launch, time_of_launches(layer));
    }
    samples_print(call_bare);
    samples_print(call);
    samples_print(launch_bare);
    samples_print(launch);
}

int main(int argc, char **argv)
{
    static Samples idle[] = {{.name = "call_bare_idle"},
                             {.name = "call_idle"},
                             {.name = "launch_bare_idle"},
                             {.name = "launch_idle"}};
    static Samples busy[] = {
        {.name = "call_bare"}, {.name = "call"}, {.name = "launch_bare"}, {.name = "launch"}};

    if (argc < 3)
        fail("usage", "opencl PLUGIN FOLDER [REPEATS]");
    long repeats = number_argument(argc, argv, 3, 30);
    let_in(argv[1]);
    set_up();
    measure_layer(&idle[0], &idle[1], &idle[2], &idle[3], repeats);
    StrobeSession *session =
        session_begin_with(argv[2], "\"collectors\": {\"opencl\": {}}, "
                                    "\"buffer\": {\"size\": \"64MB\", \"policy\": \"ring\"}");
    measure_layer(&busy[0], &busy[1], &busy[2], &busy[3], repeats);
    session_stop(session);
    if (*strobe_session_diagnostics(session))
        fail("the session is incomplete", strobe_session_diagnostics(session));
    strobe_session_free(session);
    return 0;
}
