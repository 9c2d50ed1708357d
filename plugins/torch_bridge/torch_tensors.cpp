/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports the tensors that functions get as inputs: implements torch_tensors.h. C++17; see
 * torch_backend.cpp for how it is compiled, and why a callback is added once and then only
 * switched.
 */
#include "torch_tensors.h"

/* Without NDEBUG, RecordFunction has one more member; every released libtorch is built with
 * NDEBUG. */
#ifndef NDEBUG
#define NDEBUG 1
#endif

#include <ATen/core/Tensor.h>
#include <ATen/core/function_schema.h>
#include <ATen/record_function.h>
#include <torch/csrc/api/include/torch/version.h>

#include <memory>
#include <mutex>

/* a named namespace, because the parts of the bridge are compiled as one file */
namespace strobe_torch_tensors
{

const StrobeTorchTensorEvents *events;

bool is_write(const c10::AliasInfo *alias)
{
    if (!alias)
        return false;
    if (alias->isWrite())
        return true;
    for (const c10::AliasInfo &contained : alias->containedTypes())
        if (contained.isWrite())
            return true;
    return false;
}

/* Returns the inputs to which a function writes, as bits; only the first 64 inputs are
 * considered. */
uint64_t ask_written(const at::RecordFunction &function)
{
    uint64_t written = 0;
    const auto schema = function.operator_schema();
    if (!schema)
        return 0;
    const auto &arguments = schema->arguments();
    for (size_t i = 0; i < arguments.size() && i < 64; i++)
        if (is_write(arguments[i].alias_info()))
            written |= uint64_t{1} << i;
    return written;
}

/* Result of ask_written for one operator. To get a schema copies it, which takes microseconds, so
 * each thread keeps the results. An operator's name keeps its address as long as the operator
 * exists. */
struct Written {
    const char *name;
    uint64_t inputs;
};
constexpr size_t KEPT = 1024;
thread_local Written kept[KEPT];

uint64_t written_inputs(const at::RecordFunction &function)
{
    if (function.scope() != at::RecordScope::FUNCTION)
        return 0;
    const char *name = function.name();
    Written &place = kept[(reinterpret_cast<uintptr_t>(name) >> 4) % KEPT];
    if (place.name != name)
        place = {name, ask_written(function)};
    return place.inputs;
}

/* Collects tensors and reports them in batches. */
class Batch
{
  public:
    Batch(const at::RecordFunction &function) : name_(function.name())
    {
    }
    void add(const at::Tensor &tensor, uint32_t input, bool is_written)
    {
        if (!tensor.defined() || tensor.is_nested() || !tensor.has_storage() ||
            !tensor.device().is_cpu())
            return;
        const c10::Storage &storage = tensor.storage();
        const auto address = reinterpret_cast<uintptr_t>(storage.data_ptr().get());
        if (!address)
            return;
        if (n_ == STROBE_TORCH_TENSORS_MAX)
            send();
        tensors_[n_++] = {address,
                          storage.nbytes(),
                          input,
                          is_written,
                          tensor.requires_grad() && tensor.is_leaf(),
                          0};
    }
    void send()
    {
        if (n_)
            events->used(name_, tensors_, n_);
        n_ = 0;
    }

  private:
    const char *name_;
    size_t n_ = 0;
    StrobeTorchTensor tensors_[STROBE_TORCH_TENSORS_MAX];
};

void tell(const at::RecordFunction &function)
{
    const uint64_t written = written_inputs(function);
    Batch batch(function);
    uint32_t number = 0;
    for (const c10::IValue &input : function.inputs()) {
        const bool is_written = number < 64 && (written >> number & 1);
        if (input.isTensor()) {
            batch.add(input.toTensor(), number, is_written);
        } else if (input.isList()) { /* a list of tensors, some of which may be undefined */
            for (const c10::IValue &item : input.toListRef())
                if (item.isTensor())
                    batch.add(item.toTensor(), number, is_written);
        }
        number++;
    }
    batch.send();
}

std::unique_ptr<at::ObserverContext> on_begin(const at::RecordFunction &function) noexcept
{
    try {
        tell(function);
    } catch (...) {
        /* the inputs are not reported; no exception may reach the program */
    }
    return nullptr;
}

std::mutex lock;
at::CallbackHandle handle = at::INVALID_CALLBACK_HANDLE;

const char *enable(const StrobeTorchTensorEvents *new_events) noexcept
{
    try {
        std::lock_guard<std::mutex> guard(lock);
        events = new_events;
        if (handle != at::INVALID_CALLBACK_HANDLE) {
            at::reenableCallback(handle);
            if (at::hasGlobalCallbacks())
                return nullptr;
            /* other code has cleared the whole list of callbacks */
        }
        handle = at::addGlobalCallback(at::RecordFunctionCallback(on_begin).needsInputs(true));
        return nullptr;
    } catch (...) {
        return "libtorch refused the callback";
    }
}

void disable() noexcept
{
    try {
        std::lock_guard<std::mutex> guard(lock);
        if (handle != at::INVALID_CALLBACK_HANDLE)
            at::disableCallback(handle);
    } catch (...) {
    }
}

} // namespace strobe_torch_tensors

extern "C" __attribute__((visibility("default"))) const StrobeTorchTensors strobe_torch_tensors_1;
const StrobeTorchTensors strobe_torch_tensors_1 = {sizeof(StrobeTorchTensors), 0, TORCH_VERSION,
                                                   strobe_torch_tensors::enable,
                                                   strobe_torch_tensors::disable};
