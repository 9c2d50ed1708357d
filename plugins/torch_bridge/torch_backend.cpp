/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The backend of the cpu_op collector: turns libtorch's RecordFunction callbacks into C calls
 * (torch_backend.h).
 *
 * It is C++, because libtorch has no C interface. It is compiled against exactly the libtorch with
 * which it will run: by Strobe's build for the installed libtorch, by `strobe torch build` for any
 * other libtorch. C++17.
 */
#include "torch_backend.h"

/* Without NDEBUG, RecordFunction has one more member; every released libtorch is built with
 * NDEBUG. */
#ifndef NDEBUG
#define NDEBUG 1
#endif

#include <ATen/core/Tensor.h>
#include <ATen/record_function.h>
#include <torch/csrc/api/include/torch/version.h>
#include <torch/csrc/jit/frontend/source_range.h>
#include <torch/csrc/jit/runtime/interpreter.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "torch_flops.h"
#include "torch_text.h"
#include "torch_thread_options.h"
#include "torch_values.h"

#if TORCH_VERSION_MAJOR < 1 || (TORCH_VERSION_MAJOR == 1 && TORCH_VERSION_MINOR < 13)
#error "The cpu_op backend needs libtorch 1.13 or later"
#endif

namespace
{

StrobeTorchTarget target;
const StrobeTorchEvents *events;
uint32_t wanted; /* STROBE_TORCH_*; set before a callback is enabled */

struct Inputs {
    Text shapes;
    Text types;
    Text values;
    Text modules;
};

thread_local Inputs own_inputs;

void append_tensor(Inputs &inputs, const at::Tensor &tensor)
{
    if (!is_plain(tensor)) {
        append_literal(inputs.types, "None");
        return;
    }
    bool first = true;
    for (int64_t size : tensor.sizes()) {
        if (!first)
            inputs.shapes.append(",", 1);
        inputs.shapes.append_number(size);
        first = false;
    }
    const auto type = tensor.dtype().name();
    inputs.types.append(type.data(), type.size());
}

void append_input(Inputs &inputs, const c10::IValue &input)
{
    if (input.isTensor()) {
        append_tensor(inputs, input.toTensor());
    } else if (input.isTensorList()) {
        append_literal(inputs.types, "TensorList");
    } else if (input.isScalar()) {
        append_literal(inputs.types, "Scalar");
    } else if (input.isList()) {
        const auto items = input.toListRef();
        if (items.empty() || items[0].isScalar())
            append_literal(inputs.types, "ScalarList");
        else
            append_literal(inputs.types, "None");
    } else {
        append_literal(inputs.types, "None");
    }
}

StrobeTorchText text_of(const Text &text)
{
    return {text.bytes(), text.length()};
}

/* Appends the names of the modules whose TorchScript is running. */
void describe_modules(Text &modules)
{
    bool first = true;
    for (const std::string &module : torch::jit::currentModuleHierarchy()) {
        if (!first)
            modules.append(";", 1);
        modules.append(module.data(), module.size());
        first = false;
    }
}

void describe_shapes(Inputs &inputs, c10::ArrayRef<const c10::IValue> values)
{
    bool first = true;
    for (const c10::IValue &input : values) {
        if (!first) {
            inputs.shapes.append(";", 1);
            inputs.types.append(";", 1);
        }
        append_input(inputs, input);
        first = false;
    }
}

/* libtorch reports the overload from 2.7 on. */
template <typename Function>
auto overload_of(const Function &function, int)
    -> decltype(function.overload_name(), StrobeTorchText{})
{
    const char *name = function.overload_name();
    return {name, name ? std::strlen(name) : 0};
}

template <typename Function> StrobeTorchText overload_of(const Function &, long)
{
    return {nullptr, 0};
}

StrobeTorchInputs describe_inputs(const at::RecordFunction &function, bool has_inputs,
                                  uint32_t what)
{
    /* a reference, so that the thread's storage is looked up only once */
    Inputs &inputs = own_inputs;
    uint64_t flops = STROBE_ABSENT_U64;
    inputs.shapes.clear();
    inputs.types.clear();
    inputs.values.clear();
    inputs.modules.clear();
    if (has_inputs) {
        describe_shapes(inputs, function.inputs());
        if (what & STROBE_TORCH_FLOPS)
            flops = count_flops(function.name(), function.inputs());
        if (what & STROBE_TORCH_VALUES)
            append_values(inputs.values, function.inputs());
    }
    if (what & STROBE_TORCH_MODULES && function.scope() != at::RecordScope::BACKWARD_FUNCTION)
        describe_modules(inputs.modules);
    return {text_of(inputs.shapes),
            text_of(inputs.types),
            text_of(inputs.values),
            text_of(inputs.modules),
            what & STROBE_TORCH_OVERLOADS ? overload_of(function, 0) : StrobeTorchText{nullptr, 0},
            flops};
}

/* ---- stacks ---- */

/* Returns the stack of TorchScript frames, in the form of Python's frames; 0: no TorchScript
 * runs. */
StrobeStackId script_stack()
{
    const std::vector<torch::jit::StackEntry> entries = torch::jit::currentCallstack();
    std::vector<std::string> texts;
    std::vector<StrobeTorchText> frames;
    for (const torch::jit::StackEntry &entry : entries) {
        const auto place = entry.range.file_line_col();
        if (!place)
            continue;
        texts.push_back(std::get<0>(*place) + "(" + std::to_string(std::get<1>(*place)) +
                        "): " + entry.filename);
    }
    for (const std::string &text : texts)
        frames.push_back({text.data(), text.size()});
    return frames.empty() ? 0 : events->stack_of(frames.data(), frames.size());
}

/* Returns the stack in which the calling thread runs a function. Backward functions get none. */
C10_NOINLINE StrobeStackId find_stack(const at::RecordFunction &function)
{
    if (function.scope() == at::RecordScope::BACKWARD_FUNCTION ||
        (thread_options() & (STROBE_TORCH_OWN | STROBE_TORCH_STACK)) == STROBE_TORCH_OWN)
        return 0;
    StrobeStackId stack = script_stack();
    StrobeWriter *writer = stack ? nullptr : target.writer(target.self);
    return writer ? target.stack(writer) : stack;
}

StrobeStackId stack_of(const at::RecordFunction &function)
{
    return C10_UNLIKELY(target.stack != nullptr) ? find_stack(function) : 0;
}

static_assert(sizeof(strobe_cpu_op) == 5 * sizeof(uint64_t) &&
                  offsetof(strobe_cpu_op, stack) == 3 * sizeof(uint64_t) &&
                  offsetof(strobe_cpu_op, logical_thread) == 4 * sizeof(uint64_t),
              "strobe_torch_fields lays it out in five words");

uint8_t scope_of(const at::RecordFunction &function)
{
    return static_cast<uint8_t>(function.scope());
}

/* Must cpu_op.so store data about the function that the host's span does not have? */
template <bool with_inputs> bool is_noted(const at::RecordFunction &function)
{
    return with_inputs || function.scope() == at::RecordScope::USER_SCOPE || wanted ||
           thread_options();
}

/* The observer of an asynchronous function is placed in cpu_op.so's memory, so that nothing is
 * allocated. */
class AsyncContext final : public at::ObserverContext
{
  public:
    static void *operator new(std::size_t, void *memory) noexcept
    {
        return memory;
    }
    static void operator delete(void *memory) noexcept
    {
        events->free_async(memory);
    }
    static void operator delete(void *, void *) noexcept
    {
    }
};
static_assert(sizeof(AsyncContext) <= STROBE_TORCH_CONTEXT_SIZE, "the head is too small");

template <bool with_inputs>
C10_NOINLINE std::unique_ptr<at::ObserverContext> begin_noted(const at::RecordFunction &function)
{
    const uint32_t own = thread_options();
    const bool is_own = own & STROBE_TORCH_OWN;
    const uint32_t what = is_own ? wanted & (own | STROBE_TORCH_OVERLOADS) : wanted;
    const bool has_inputs = is_own ? (own & STROBE_TORCH_OF_INPUTS) != 0 : with_inputs;
    StrobeTorchInputs described;
    const StrobeTorchInputs *inputs = nullptr;
    if (has_inputs || what) {
        described = describe_inputs(function, has_inputs, what);
        inputs = &described;
    }
    const bool is_range = function.scope() == at::RecordScope::USER_SCOPE;
    const StrobeStackId stack = is_range || function.isAsync() ? stack_of(function) : 0;
    if (!function.isAsync()) {
        events->begin(&function, function.name(), function.seqNr(), scope_of(function), inputs,
                      stack);
        return nullptr;
    }
    void *memory = events->begin_async(function.name(), inputs, stack);
    return std::unique_ptr<at::ObserverContext>(memory ? new (memory) AsyncContext : nullptr);
}

template <bool with_inputs>
std::unique_ptr<at::ObserverContext> on_begin(const at::RecordFunction &function) noexcept
{
    try {
        if (is_noted<with_inputs>(function))
            return begin_noted<with_inputs>(function);
        const char *name = function.name();
        strobe_torch_begin(&target, &function, name, function.seqNr());
    } catch (...) {
        /* the function is not recorded; no exception may reach the program */
    }
    return nullptr;
}

template <bool with_inputs>
void on_end(const at::RecordFunction &function, at::ObserverContext *context) noexcept
{
    /* a range may end inside another function, so it gets the stack at its begin */
    const bool is_range = function.scope() == at::RecordScope::USER_SCOPE;
    StrobeStackId stack = 0;
    try {
        stack = is_range || context ? 0 : stack_of(function);
    } catch (...) {
        /* out of memory: the record gets no stack */
    }
    const strobe_cpu_op fields =
        strobe_torch_fields(function.seqNr(), function.forwardThreadId(), function.threadId(),
                            scope_of(function), stack);
    if (context)
        events->end_async(static_cast<AsyncContext *>(context), &fields);
    else if (is_noted<with_inputs>(function))
        events->end(&function, &fields);
    else
        strobe_torch_end(&target, events, &function, &fields);
}

/* libtorch's header allows adding a global callback "only during the program initialization" and
 * removing it only while "no other code can run", but does not limit disabling and enabling it. So
 * each of the two callbacks is added once in a process, when it is first needed, and then switched
 * on and off. */
struct Callback {
    at::CallbackHandle handle = at::INVALID_CALLBACK_HANDLE;

    template <bool with_inputs> void enable()
    {
        if (handle != at::INVALID_CALLBACK_HANDLE) {
            at::reenableCallback(handle);
            if (at::hasGlobalCallbacks())
                return;
            /* other code has cleared the whole list of callbacks */
        }
        handle = at::addGlobalCallback(
            at::RecordFunctionCallback(on_begin<with_inputs>, on_end<with_inputs>)
                .needsInputs(with_inputs));
    }
    void disable()
    {
        if (handle != at::INVALID_CALLBACK_HANDLE)
            at::disableCallback(handle);
    }
};

std::mutex callbacks_lock;
Callback plain_callback;
Callback inputs_callback;

const char *enable(const StrobeTorchEvents *new_events, uint32_t what) noexcept
{
    try {
        std::lock_guard<std::mutex> guard(callbacks_lock);
        events = new_events;
        wanted = what & ~static_cast<uint32_t>(STROBE_TORCH_INPUTS);
        if (what & STROBE_TORCH_OF_INPUTS)
            inputs_callback.enable<true>();
        else
            plain_callback.enable<false>();
        return nullptr;
    } catch (...) {
        return "libtorch refused the callback";
    }
}

void disable() noexcept
{
    try {
        std::lock_guard<std::mutex> guard(callbacks_lock);
        plain_callback.disable();
        inputs_callback.disable();
    } catch (...) {
    }
}

void set_thread(uint32_t options) noexcept
{
    set_own_options(options, (options & STROBE_TORCH_OF_INPUTS) != 0);
}

void *begin_function(const char *name, int is_user_range) noexcept
{
    try {
        auto function = std::make_unique<at::RecordFunction>(
            is_user_range ? at::RecordScope::USER_SCOPE : at::RecordScope::FUNCTION);
        if (!function->isActive())
            return nullptr;
        function->before(std::string(name));
        return function.release();
    } catch (...) {
        return nullptr;
    }
}

void end_function(void *function) noexcept
{
    delete static_cast<at::RecordFunction *>(function);
}

} // namespace

extern "C" __attribute__((visibility("default"))) const StrobeTorchBackend strobe_torch_backend_4;
const StrobeTorchBackend strobe_torch_backend_4 = {sizeof(StrobeTorchBackend),
                                                   0,
                                                   TORCH_VERSION,
                                                   &target,
                                                   enable,
                                                   disable,
                                                   begin_function,
                                                   end_function,
                                                   set_thread};
