// SPDX-License-Identifier: Apache-2.0
// PyTorch operators that work on an OpenCL device, like those of a backend for a device. A
// collector records this work, and the program prints the device's own times for comparison.
#define CL_TARGET_OPENCL_VERSION 120
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <CL/cl.h>
#include <sys/syscall.h>
#include <torch/library.h>
#include <unistd.h>

#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <string>

namespace
{

const char source[] =
    "kernel void scale(global float *x, float by) { size_t i = get_global_id(0); x[i] *= by; }"
    "kernel void shift(global float *x, float by) { size_t i = get_global_id(0);"
    " for (int k = 0; k < 2000; k++) x[i] += by; }";

void check(cl_int status, const char *what)
{
    if (status != CL_SUCCESS)
        throw std::runtime_error(std::string(what) + " failed: " + std::to_string(status));
}

/* The first device that there is, one queue of it, in order. */
struct Device {
    cl_context context = nullptr;
    cl_command_queue queue = nullptr;
    cl_program program = nullptr;
    std::mutex lock;

    Device()
    {
        cl_platform_id platform;
        cl_device_id device;
        cl_int status;
        check(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
        check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), "clGetDeviceIDs");
        context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
        check(status, "clCreateContext");
        queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
        check(status, "clCreateCommandQueue");
        const char *text = source;
        program = clCreateProgramWithSource(context, 1, &text, nullptr, &status);
        check(status, "clCreateProgramWithSource");
        check(clBuildProgram(program, 1, &device, "", nullptr, nullptr), "clBuildProgram");
    }
};

Device &device()
{
    static Device only;
    return only;
}

/* What the device says of a command: "task OPERATOR COMMAND THREAD BEGIN END". */
void tell(const char *op, const char *command, cl_event event)
{
    cl_ulong begin = 0, end = 0;

    check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof begin, &begin, nullptr),
          "clGetEventProfilingInfo");
    check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr),
          "clGetEventProfilingInfo");
    printf("task %s %s %ld %llu %llu\n", op, command, syscall(SYS_gettid),
           (unsigned long long)begin, (unsigned long long)end);
    clReleaseEvent(event);
}

/* To the device, through a kernel, and back. */
at::Tensor run(const char *op, const char *name, const at::Tensor &x, float by)
{
    Device &on = device();
    std::lock_guard<std::mutex> guard(on.lock);
    at::Tensor result = x.contiguous().clone();
    size_t n = (size_t)result.numel(), bytes = n * sizeof(float);
    cl_event events[3];
    cl_int status;

    cl_kernel kernel = clCreateKernel(on.program, name, &status);
    check(status, "clCreateKernel");
    cl_mem buffer = clCreateBuffer(on.context, CL_MEM_READ_WRITE, bytes, nullptr, &status);
    check(status, "clCreateBuffer");
    check(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof by, &by), "clSetKernelArg");
    check(clEnqueueWriteBuffer(on.queue, buffer, CL_FALSE, 0, bytes, result.data_ptr<float>(), 0,
                               nullptr, &events[0]),
          "clEnqueueWriteBuffer");
    check(clEnqueueNDRangeKernel(on.queue, kernel, 1, nullptr, &n, nullptr, 0, nullptr, &events[1]),
          "clEnqueueNDRangeKernel");
    check(clEnqueueReadBuffer(on.queue, buffer, CL_TRUE, 0, bytes, result.data_ptr<float>(), 0,
                              nullptr, &events[2]),
          "clEnqueueReadBuffer");
    check(clFinish(on.queue), "clFinish");
    tell(op, "write", events[0]);
    tell(op, name, events[1]);
    tell(op, "read", events[2]);
    fflush(stdout);
    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
    return result;
}

at::Tensor scale(const at::Tensor &x, double by)
{
    return run("strobe_test::scale", "scale", x, (float)by);
}

/* An operator with its own work, and with two operators inside. */
at::Tensor outer(const at::Tensor &x)
{
    static auto inner = c10::Dispatcher::singleton()
                            .findSchemaOrThrow("strobe_test::scale", "")
                            .typed<at::Tensor(const at::Tensor &, double)>();

    return inner.call(run("strobe_test::outer", "shift", inner.call(x, 3.0), 1.0f), 0.5);
}

TORCH_LIBRARY(strobe_test, m)
{
    m.def("scale(Tensor x, float by) -> Tensor");
    m.def("outer(Tensor x) -> Tensor");
}

TORCH_LIBRARY_IMPL(strobe_test, CPU, m)
{
    m.impl("scale", scale);
    m.impl("outer", outer);
}

} // namespace
