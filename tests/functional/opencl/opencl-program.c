/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opencl-program CASE: an OpenCL program that is independent of Strobe, like existing programs.
 *
 * Its output is the same in every run, except for the lines "time NAME QUEUE START END" of commands
 * whose times it requested itself.
 */
#include "opencl-program.h"

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const source =
    "kernel void scale(global float *a, float f) { a[get_global_id(0)] *= f; }\n"
    "kernel void add(global float *a, global const float *b)\n"
    "{ size_t i = get_global_id(0); for (int k = 0; k < 100; k++) a[i] += b[i] / 100; }\n"
    "kernel void grid(global float *a)\n"
    "{ a[get_global_id(1) * get_global_size(0) + get_global_id(0)] += 1; }\n";

cl_context context;
cl_mem a;
float values[N];

static cl_device_id device;
static cl_program program;
static cl_mem b;

void check(cl_int status, const char *what)
{
    if (status == CL_SUCCESS)
        return;
    printf("%s: %d\n", what, status);
    fflush(stdout);
    exit(3);
}

static void set_up(void)
{
    cl_platform_id platform;
    cl_int status;

    check(clGetPlatformIDs(1, &platform, NULL), "platforms");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "devices");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "context");
    program = clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &status);
    check(status, "program");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "build");
    for (int i = 0; i < N; i++)
        values[i] = (float)i;
    a = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof values, NULL, &status);
    check(status, "buffer");
    b = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof values, values,
                       &status);
    check(status, "buffer");
}

cl_command_queue make_queue(cl_command_queue_properties properties)
{
    cl_int status;
    cl_command_queue queue = clCreateCommandQueue(context, device, properties, &status);

    check(status, "queue");
    return queue;
}

static cl_kernel make_kernel(const char *name)
{
    float factor = 2;
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, name, &status);

    check(status, name);
    check(clSetKernelArg(kernel, 0, sizeof a, &a), "argument");
    if (strcmp(name, "scale") == 0)
        check(clSetKernelArg(kernel, 1, sizeof factor, &factor), "argument");
    if (strcmp(name, "add") == 0)
        check(clSetKernelArg(kernel, 1, sizeof b, &b), "argument");
    return kernel;
}

static void enqueue_kernel(cl_command_queue queue, cl_kernel kernel, cl_uint n,
                           const cl_event *waits, cl_event *event)
{
    size_t global = N, local = 64;

    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, n, waits, event),
          "launch");
}

static void print_time(const char *name, int queue, cl_event event)
{
    cl_ulong start = 0, end = 0;

    check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL),
          "start");
    check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL), "end");
    printf("time %s %d %llu %llu\n", name, queue, (unsigned long long)start,
           (unsigned long long)end);
}

static double sum_values(cl_command_queue queue)
{
    double total = 0;

    check(clEnqueueReadBuffer(queue, a, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL), "read");
    for (int i = 0; i < N; i++)
        total += values[i];
    return total;
}

void write_values(cl_command_queue queue)
{
    check(clEnqueueWriteBuffer(queue, a, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL),
          "write");
}

static cl_uint count_event_references(cl_event event)
{
    cl_uint n = 0;

    check(clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof n, &n, NULL), "references");
    return n;
}

static cl_uint queue_references(cl_command_queue queue)
{
    cl_uint n = 0;

    check(clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof n, &n, NULL), "references");
    return n;
}

static cl_uint context_references(void)
{
    cl_uint n = 0;

    check(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof n, &n, NULL), "references");
    return n;
}

static char read_thread_state(const char *tid)
{
    char path[64], text[512];
    size_t n = 0;

    snprintf(path, sizeof path, "/proc/self/task/%.20s/stat", tid);
    FILE *file = fopen(path, "r");
    if (file) {
        n = fread(text, 1, sizeof text - 1, file);
        fclose(file);
    }
    text[n] = 0;
    const char *end = strrchr(text, ')'); /* of the thread's name */
    return end && end[1] ? end[2] : 'S';  /* a thread that has ended does nothing, either */
}

static int do_others_sleep(void)
{
    DIR *threads = opendir("/proc/self/task");
    struct dirent *entry;
    int n_awake = 0;

    while (threads && (entry = readdir(threads)))
        n_awake += entry->d_name[0] != '.' && read_thread_state(entry->d_name) != 'S';
    if (threads)
        closedir(threads);
    return n_awake <= 1; /* this thread itself */
}

/* Waits until the driver's own threads sleep, because they release a command shortly after it is
 * complete. On a busy machine a thread that still has to do so may get no processor for long. */
static void wait_for_driver(void)
{
    do
        usleep(20000);
    while (!do_others_sleep());
}

/* ---- cases ---- */

/* Launches one kernel three times and the other five times, on two queues with profiling. */
static void run_times(void)
{
    cl_command_queue queue[2] = {make_queue(CL_QUEUE_PROFILING_ENABLE),
                                 make_queue(CL_QUEUE_PROFILING_ENABLE)};
    cl_kernel scale = make_kernel("scale"), add = make_kernel("add");
    cl_event event[8];

    write_values(queue[0]);
    for (int i = 0; i < 8; i++) {
        enqueue_kernel(queue[i % 2], i < 3 ? scale : add, 0, NULL, &event[i]);
        check(clWaitForEvents(1, &event[i]), "wait");
    }
    wait_for_driver();
    for (int i = 0; i < 8; i++) {
        print_time(i < 3 ? "scale" : "add", i % 2, event[i]);
        clReleaseEvent(event[i]);
    }
    printf("sum %.1f\n", sum_values(queue[1]));
}

static void print_refusals(cl_command_queue queue, cl_event event)
{
    cl_command_queue_properties properties = 77;
    cl_queue_properties list[8] = {99, 99, 99, 99};
    cl_ulong time = 55;
    size_t size = 44;

    for (cl_profiling_info which = CL_PROFILING_COMMAND_QUEUED;
         which <= CL_PROFILING_COMMAND_COMPLETE; which++) {
        cl_int status = clGetEventProfilingInfo(event, which, sizeof time, &time, NULL);
        printf("profiling %d %llu\n", status, (unsigned long long)time);
    }
    check(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL),
          "properties");
    printf("properties %llu\n", (unsigned long long)properties);
    int status = clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, sizeof list, list, &size);
    printf("list %d %zu:", status, size);
    for (int i = 0; i < 4; i++)
        printf(" %llu", (unsigned long long)list[i]);
    status = clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, 1, list, &size);
    printf(" too small %d\n", status);
}

static void print_counts(cl_command_queue queue, cl_event event)
{
    printf("references: event %u, queue %u, context %u\n", count_event_references(event),
           queue_references(queue), context_references());
}

/* Prints all that a program sees of commands for which it has not requested times, with queues that
 * were made in every possible way. */
static void run_unasked(void)
{
    const cl_queue_properties none[] = {0};
    const cl_queue_properties out_of_order[] = {CL_QUEUE_PROPERTIES,
                                                CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    const cl_queue_properties asked[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    const cl_queue_properties wrong[] = {0x7777, 1, 0};
    const cl_queue_properties *lists[] = {NULL, none, out_of_order, asked};
    cl_kernel scale = make_kernel("scale");
    cl_int status;

    for (int i = 0; i < 5; i++) {
        cl_command_queue queue =
            i < 4 ? clCreateCommandQueueWithProperties(context, device, lists[i], &status)
                  : clCreateCommandQueue(context, device, 0, &status);
        cl_event event;
        printf("queue %d: %d\n", i, status);
        enqueue_kernel(queue, scale, 0, NULL, NULL);
        enqueue_kernel(queue, scale, 0, NULL, &event);
        check(clFinish(queue), "finish");
        wait_for_driver();
        if (i != 3)
            print_refusals(queue, event);
        print_counts(queue, event);
        check(clRetainEvent(event), "retain");
        print_counts(queue, event);
        check(clReleaseEvent(event), "release");
        check(clReleaseEvent(event), "release");
        printf("queue references %u\n", queue_references(queue));
        check(clReleaseCommandQueue(queue), "release");
        printf("context references %u\n", context_references());
    }
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, wrong, &status);
    printf("wrong properties: %d %d\n", queue == NULL, status);
    queue = clCreateCommandQueue(context, device, 1u << 20, &status);
    printf("wrong properties: %d %d\n", queue == NULL, status);
    size_t global = 1;
    queue = make_queue(0);
    printf("wrong launch: %d\n",
           clEnqueueNDRangeKernel(queue, scale, 7, NULL, &global, NULL, 0, NULL, NULL));
}

/* Runs commands whose order only events determine, without requesting times. */
static void run_out_of_order(void)
{
    cl_command_queue queue = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_kernel scale = make_kernel("scale"), grid = make_kernel("grid");
    size_t global[2] = {64, 64}, local[2] = {8, 4};
    cl_event event[3];

    write_values(queue);
    enqueue_kernel(queue, scale, 0, NULL, &event[0]);
    check(clEnqueueNDRangeKernel(queue, grid, 2, NULL, global, local, 1, &event[0], &event[1]),
          "launch");
    enqueue_kernel(queue, scale, 2, event, &event[2]);
    check(clWaitForEvents(1, &event[2]), "wait");
    printf("sum %.1f\n", sum_values(queue));
    wait_for_driver();
    for (int i = 0; i < 3; i++) {
        printf("references %u\n", count_event_references(event[i]));
        check(clReleaseEvent(event[i]), "release");
    }
}

static void *launch_many(void *data)
{
    cl_command_queue queue = data;
    cl_kernel scale = make_kernel("scale");

    for (int i = 0; i < 50; i++)
        enqueue_kernel(queue, scale, 0, NULL, NULL);
    check(clFinish(queue), "finish");
    clReleaseKernel(scale);
    return NULL;
}

static void run_threads(void)
{
    cl_command_queue queue[2] = {make_queue(0), make_queue(CL_QUEUE_PROFILING_ENABLE)};
    pthread_t thread[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, launch_many, queue[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
}

static _Atomic int n_called, called_status;

static void CL_CALLBACK is_called(cl_event event, cl_int status, void *data)
{
    cl_command_type type = 0;

    clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL);
    atomic_store(&called_status, status * 100000 + (int)type);
    atomic_fetch_add(&n_called, 1);
}

/* Launches a kernel that waits for an event of the program, and uses callbacks. */
static void run_user_event(void)
{
    cl_command_queue queue = make_queue(0);
    cl_kernel scale = make_kernel("scale");
    cl_int status, execution = 9;
    cl_event user = clCreateUserEvent(context, &status), event;

    check(status, "user event");
    write_values(queue);
    enqueue_kernel(queue, scale, 1, &user, &event);
    check(clSetEventCallback(event, CL_COMPLETE, is_called, NULL), "callback");
    check(clFlush(queue), "flush");
    clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof execution, &execution, NULL);
    printf("waits %d, called %d\n", execution > CL_RUNNING, atomic_load(&n_called));
    wait_for_driver();
    print_counts(queue, event);
    printf("profiling of the user's: %d\n",
           clGetEventProfilingInfo(user, CL_PROFILING_COMMAND_END, 0, NULL, NULL));
    check(clSetUserEventStatus(user, CL_COMPLETE), "user event");
    check(clWaitForEvents(1, &event), "wait");
    while (!atomic_load(&n_called))
        usleep(100);
    check(clSetEventCallback(event, CL_COMPLETE, is_called, NULL), "callback");
    while (atomic_load(&n_called) < 2)
        usleep(100);
    printf("called %d with %d\n", atomic_load(&n_called), atomic_load(&called_status));
    wait_for_driver();
    printf("user references %u\n", count_event_references(user));
    check(clReleaseEvent(user), "release");
    printf("sum %.1f\n", sum_values(queue));
}

/* Releases all objects while commands are running. The driver keeps those that it needs. */
static void run_early_release(void)
{
    cl_command_queue queue = make_queue(0);
    cl_kernel add = make_kernel("add");
    cl_event event;

    for (int i = 0; i < 20; i++)
        enqueue_kernel(queue, add, 0, NULL, NULL);
    enqueue_kernel(queue, add, 0, NULL, &event);
    check(clFlush(queue), "flush");
    printf("release %d %d %d %d %d\n", clReleaseKernel(add), clReleaseMemObject(a),
           clReleaseProgram(program), clReleaseCommandQueue(queue), clReleaseContext(context));
    printf("wait %d\n", clWaitForEvents(1, &event));
    printf("release %d\n", clReleaseEvent(event));
}

/* Polls for the ends of commands, and never waits. */
static void run_never_waits(void)
{
    cl_command_queue queue = make_queue(0);
    cl_kernel scale = make_kernel("scale");
    cl_int execution = CL_QUEUED;
    cl_event event;

    for (int i = 0; i < 999; i++)
        enqueue_kernel(queue, scale, 0, NULL, NULL);
    enqueue_kernel(queue, scale, 0, NULL, &event);
    check(clFlush(queue), "flush");
    while (execution > CL_COMPLETE) {
        usleep(1000);
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof execution, &execution,
                       NULL);
    }
    printf("status %d\n", execution);
}

/* Never queries the state of commands, and ends when they must have been complete for a long
 * time. */
static void run_never_asks(void)
{
    cl_command_queue queue = make_queue(0);
    cl_kernel scale = make_kernel("scale");

    for (int i = 0; i < 10; i++)
        enqueue_kernel(queue, scale, 0, NULL, NULL);
    check(clFlush(queue), "flush");
    sleep(1);
}

/* Makes a launch every few milliseconds, for about a second. */
static void run_paced(void)
{
    cl_command_queue queue = make_queue(0);
    cl_kernel scale = make_kernel("scale");

    for (int i = 0; i < 150; i++) {
        enqueue_kernel(queue, scale, 0, NULL, NULL);
        check(clFinish(queue), "finish");
        usleep(5000);
    }
}

/* Ends right after ten launches are known to be complete, with one more launch that never
 * begins. */
static void run_exit(int is_sudden)
{
    cl_command_queue queue = make_queue(0);
    cl_kernel scale = make_kernel("scale");
    cl_int status;
    cl_event user = clCreateUserEvent(context, &status);

    for (int i = 0; i < 10; i++)
        enqueue_kernel(queue, scale, 0, NULL, NULL);
    check(clFinish(queue), "finish");
    enqueue_kernel(queue, scale, 1, &user, NULL);
    printf("leaves\n");
    fflush(stdout);
    if (is_sudden)
        _exit(5);
    exit(4);
}

static void run_fork(void)
{
    cl_command_queue queue = make_queue(0);
    cl_kernel scale = make_kernel("scale");
    int status;

    enqueue_kernel(queue, scale, 0, NULL, NULL);
    check(clFinish(queue), "finish");
    wait_for_driver();
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        cl_command_queue_properties properties = 77;
        cl_uint n = 0;
        clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL);
        clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof n, &n, NULL);
        _exit(properties == 0 && n == 1 ? 6 : 7);
    }
    waitpid(child, &status, 0);
    printf("child %d\n", WEXITSTATUS(status));
    enqueue_kernel(queue, scale, 0, NULL, NULL);
    check(clFinish(queue), "finish");
}

/* Makes a launch through a function pointer that the program has requested by name. */
static void run_extension(void)
{
    typedef cl_int(CL_API_CALL * Launch)(cl_command_queue, cl_kernel, cl_uint, const size_t *,
                                         const size_t *, const size_t *, cl_uint, const cl_event *,
                                         cl_event *);
    cl_command_queue queue = make_queue(0);
    cl_kernel scale = make_kernel("scale");
    size_t global = N;
    cl_platform_id platform;

    check(clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL),
          "platform");
    Launch by_name =
        (Launch)clGetExtensionFunctionAddressForPlatform(platform, "clEnqueueNDRangeKernel");
    printf("by name %d, nothing by no name %d\n", by_name != NULL,
           clGetExtensionFunctionAddressForPlatform(platform, "clNoSuchFunction") == NULL);
    if (!by_name)
        by_name = clEnqueueNDRangeKernel;
    check(by_name(queue, scale, 1, NULL, &global, NULL, 0, NULL, NULL), "launch");
    check(clFinish(queue), "finish");
}

/* Makes and releases queues and kernels, so that handles are used again. */
static void run_churn(void)
{
    const char *const names[] = {"scale", "add"};

    for (int i = 0; i < 40; i++) {
        cl_command_queue queue = make_queue(0);
        cl_kernel kernel = make_kernel(names[i % 2]);
        enqueue_kernel(queue, kernel, 0, NULL, NULL);
        check(clFinish(queue), "finish");
        printf("release %d %d\n", clReleaseKernel(kernel), clReleaseCommandQueue(queue));
    }
}

/* Begins to use OpenCL only after a fork, in the parent and in the child. */
static int run_fork_first(void)
{
    pid_t child = fork();
    int status = 0;

    set_up();
    for (int i = child ? 0 : 3; i < 5; i++) {
        cl_command_queue queue = make_queue(0);
        enqueue_kernel(queue, make_kernel("scale"), 0, NULL, NULL);
        check(clFinish(queue), "finish");
    }
    if (child)
        waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 9;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "times";

    if (strcmp(name, "fork-first") == 0)
        return run_fork_first();
    set_up();
    if (strcmp(name, "times") == 0)
        run_times();
    else if (strcmp(name, "unasked") == 0)
        run_unasked();
    else if (strcmp(name, "out-of-order") == 0)
        run_out_of_order();
    else if (strcmp(name, "threads") == 0)
        run_threads();
    else if (strcmp(name, "user-event") == 0)
        run_user_event();
    else if (strcmp(name, "early-release") == 0)
        run_early_release();
    else if (strcmp(name, "never-waits") == 0)
        run_never_waits();
    else if (strcmp(name, "never-asks") == 0)
        run_never_asks();
    else if (strcmp(name, "paced") == 0)
        run_paced();
    else if (strcmp(name, "exit") == 0 || strcmp(name, "sudden-exit") == 0)
        run_exit(name[0] == 's');
    else if (strcmp(name, "fork") == 0)
        run_fork();
    else if (strcmp(name, "copies") == 0)
        run_copies();
    else if (strcmp(name, "svm") == 0)
        run_svm();
    else if (strcmp(name, "extension") == 0)
        run_extension();
    else if (strcmp(name, "churn") == 0)
        run_churn();
    else
        return 2;
    return 0;
}
