/* SPDX-License-Identifier: Apache-2.0 */
/* Functions for op_overhead.py and memory_overhead.py: they run one small operator, or allocate one
 * block, many times, or add a RecordFunction callback that does nothing. This file is C++17 and is
 * compiled against the installed libtorch. */
#ifndef NDEBUG
#define NDEBUG 1 /* RecordFunction has one member more without it */
#endif

#include <ATen/core/Tensor.h>
#include <ATen/ops/add.h>
#include <ATen/ops/ones.h>
#include <ATen/record_function.h>
#include <c10/core/CPUAllocator.h>

#include <memory>

namespace
{

at::CallbackHandle handle;

std::unique_ptr<at::ObserverContext> on_begin(const at::RecordFunction &)
{
    return nullptr;
}

void on_end(const at::RecordFunction &, at::ObserverContext *)
{
}

} // namespace

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED void bench_run_operators(long n);
EXPORTED void bench_run_allocations(long n);
EXPORTED void bench_add_callback();
EXPORTED void bench_remove_callback();

/* Runs aten::add n times; it calls no other operator and allocates one block. */
void bench_run_operators(long n)
{
    static at::Tensor tensor = at::ones({8});
    for (long i = 0; i < n; i++)
        tensor.add(tensor);
}

/* Allocates and releases 512 bytes with PyTorch's CPU allocator n times. */
void bench_run_allocations(long n)
{
    for (long i = 0; i < n; i++)
        c10::GetCPUAllocator()->allocate(512);
}

void bench_add_callback()
{
    handle = at::addGlobalCallback(at::RecordFunctionCallback(on_begin, on_end));
}

void bench_remove_callback()
{
    at::removeCallback(handle);
}
