/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The backend of the cpu_op collector: libtorch's RecordFunction in C calls (torch_backend.h).
 *
 * The one C++ file, since libtorch has no C interface. Compiled against exactly the libtorch that
 * it will meet: by the build for the installed one, by `strobe torch build` for any other. C++17.
 */
#include "torch_backend.h"

/* RecordFunction has a member more without it; every released libtorch is built with it. */
#ifndef NDEBUG
#define NDEBUG 1
#endif

#include <ATen/core/Tensor.h>
#include <ATen/record_function.h>
#include <torch/csrc/api/include/torch/version.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>

#if TORCH_VERSION_MAJOR < 1 || (TORCH_VERSION_MAJOR == 1 && TORCH_VERSION_MINOR < 13)
#error "The cpu_op backend needs libtorch 1.13 or later"
#endif

namespace
{

StrobeTorchTarget target;
const StrobeTorchEvents *events;

/* Text that grows to the longest it ever held, one per thread; an append that finds no memory is
 * left out. */
class Text
{
  public:
    Text() = default;
    Text(const Text &) = delete;
    Text &operator=(const Text &) = delete;
    ~Text()
    {
        /* functions may still run while the thread's other objects are destroyed */
        std::free(bytes_);
        bytes_ = nullptr;
        length_ = size_ = 0;
    }
    void clear()
    {
        length_ = 0;
    }
    void append(const char *bytes, size_t length)
    {
        if (length_ + length > size_ && !grow(length_ + length))
            return;
        std::memcpy(bytes_ + length_, bytes, length);
        length_ += length;
    }
    void append_number(int64_t value)
    {
        char digits[24];
        size_t at = sizeof digits;
        uint64_t rest = value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
        do
            digits[--at] = static_cast<char>('0' + rest % 10);
        while (rest /= 10);
        if (value < 0)
            digits[--at] = '-';
        append(digits + at, sizeof digits - at);
    }
    const char *bytes() const
    {
        return bytes_ ? bytes_ : "";
    }
    size_t length() const
    {
        return length_;
    }

  private:
    bool grow(size_t needed)
    {
        size_t size = needed * 2 + 512;
        void *grown = std::realloc(bytes_, size);
        if (!grown)
            return false;
        bytes_ = static_cast<char *>(grown);
        size_ = size;
        return true;
    }
    char *bytes_ = nullptr;
    size_t length_ = 0;
    size_t size_ = 0;
};

struct Inputs {
    Text shapes;
    Text types;
};

thread_local Inputs own_inputs;

/* A tensor whose sizes and type can be read without asking a subclass. */
bool is_plain(const at::Tensor &tensor)
{
    return tensor.defined() && !tensor.is_nested() &&
           !tensor.unsafeGetTensorImpl()->has_symbolic_sizes_strides();
}

template <size_t size> void append_token(Text &types, const char (&token)[size])
{
    types.append(token, size - 1);
}

void append_tensor(Inputs &inputs, const at::Tensor &tensor)
{
    if (!is_plain(tensor)) {
        append_token(inputs.types, "None");
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
        append_token(inputs.types, "TensorList");
    } else if (input.isScalar()) {
        append_token(inputs.types, "Scalar");
    } else if (input.isList()) {
        const auto items = input.toListRef();
        if (items.empty() || items[0].isScalar())
            append_token(inputs.types, "ScalarList");
        else
            append_token(inputs.types, "None");
    } else {
        append_token(inputs.types, "None");
    }
}

StrobeTorchInputs describe_inputs(const at::RecordFunction &function)
{
    Inputs &inputs = own_inputs; /* one look-up of the thread's storage */
    inputs.shapes.clear();
    inputs.types.clear();
    bool first = true;
    for (const c10::IValue &input : function.inputs()) {
        if (!first) {
            inputs.shapes.append(";", 1);
            inputs.types.append(";", 1);
        }
        append_input(inputs, input);
        first = false;
    }
    return {inputs.shapes.bytes(), inputs.shapes.length(), inputs.types.bytes(),
            inputs.types.length()};
}

static_assert(sizeof(strobe_cpu_op) == 4 * sizeof(uint64_t) &&
                  offsetof(strobe_cpu_op, stack) == 3 * sizeof(uint64_t),
              "strobe_torch_fields lays it out in four words");

uint8_t scope_of(const at::RecordFunction &function)
{
    return static_cast<uint8_t>(function.scope());
}

/* Does more have to be remembered of a function than the host's span does? */
template <bool with_inputs> bool is_noted(const at::RecordFunction &function)
{
    return with_inputs || function.scope() == at::RecordScope::USER_SCOPE;
}

/* The observer of an asynchronous function lies in cpu_op.so's memory: nothing is allocated. */
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
    StrobeTorchInputs described;
    const StrobeTorchInputs *inputs = nullptr;
    if (with_inputs) {
        described = describe_inputs(function);
        inputs = &described;
    }
    if (!function.isAsync()) {
        events->begin(&function, function.name(), function.seqNr(), scope_of(function), inputs);
        return nullptr;
    }
    void *memory = events->begin_async(function.name(), inputs);
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
        /* the function is not recorded; the program must not notice */
    }
    return nullptr;
}

template <bool with_inputs>
void on_end(const at::RecordFunction &function, at::ObserverContext *context) noexcept
{
    const strobe_cpu_op fields =
        strobe_torch_fields(function.seqNr(), function.forwardThreadId(), scope_of(function));
    if (context)
        events->end_async(static_cast<AsyncContext *>(context), &fields);
    else if (is_noted<with_inputs>(function))
        events->end(&function, &fields);
    else
        strobe_torch_end(&target, events, &function, &fields);
}

/* libtorch's header allows the adding of a global callback "only during the program
 * initialization" and its removal only while "no other code can run", but puts no such limit on
 * disabling and enabling one. So each of the two callbacks is added once per process, when it is
 * first needed, and then switched. */
struct Callback {
    at::CallbackHandle handle = at::INVALID_CALLBACK_HANDLE;

    template <bool with_inputs> void enable()
    {
        if (handle != at::INVALID_CALLBACK_HANDLE) {
            at::reenableCallback(handle);
            if (at::hasGlobalCallbacks())
                return;
            /* someone has cleared the whole list since */
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

const char *enable(const StrobeTorchEvents *new_events, int with_inputs) noexcept
{
    try {
        std::lock_guard<std::mutex> guard(callbacks_lock);
        events = new_events;
        if (with_inputs)
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

/* ---- communication: the ranges that process groups mark while an operation is under way ---- */

uint64_t (*collective_begins)(const StrobeTorchCollective *operation);
void (*collective_ends)(uint64_t id);

bool is_collective(const at::RecordFunction &function)
{
    static const char *const groups[] = {"gloo:", "mpi:", "nccl:", "ucc:"};
    for (const char *group : groups)
        if (std::strncmp(function.name(), group, std::strlen(group)) == 0)
            return function.isAsync(); /* as no range of a program's own is */
    return false;
}

const char *element_type(const at::Tensor &tensor)
{
    switch (tensor.scalar_type()) {
    case at::ScalarType::Char:
        return "int8";
    case at::ScalarType::Byte:
        return "uint8";
    case at::ScalarType::Short:
        return "int16";
    case at::ScalarType::Int:
        return "int32";
    case at::ScalarType::Long:
        return "int64";
    case at::ScalarType::Half:
        return "fp16";
    case at::ScalarType::BFloat16:
        return "bfp16";
    case at::ScalarType::Float:
        return "fp32";
    case at::ScalarType::Double:
        return "fp64";
    default:
        return "na";
    }
}

StrobeTorchCollective describe_collective(const at::RecordFunction &function)
{
    StrobeTorchCollective operation = {function.name(), "na", 0};
    for (const c10::IValue &input : function.inputs()) {
        if (!input.isTensor() || !is_plain(input.toTensor()))
            continue;
        operation.type = element_type(input.toTensor());
        operation.count += static_cast<uint64_t>(input.toTensor().numel());
    }
    return operation;
}

struct CollectiveContext final : at::ObserverContext {
    uint64_t id;
};

std::unique_ptr<at::ObserverContext> on_collective(const at::RecordFunction &function) noexcept
{
    try {
        if (!is_collective(function))
            return nullptr;
        const StrobeTorchCollective operation = describe_collective(function);
        auto context = std::make_unique<CollectiveContext>();
        context->id = collective_begins(&operation);
        if (context->id)
            return context;
    } catch (...) {
        /* it is not marked; the program must not notice */
    }
    return nullptr;
}

void on_collective_end(const at::RecordFunction &, at::ObserverContext *context) noexcept
{
    if (context)
        collective_ends(static_cast<CollectiveContext *>(context)->id);
}

at::CallbackHandle collectives_handle = at::INVALID_CALLBACK_HANDLE;

const char *enable_collectives(uint64_t (*begin)(const StrobeTorchCollective *),
                               void (*end)(uint64_t)) noexcept
{
    try {
        std::lock_guard<std::mutex> guard(callbacks_lock);
        collective_begins = begin;
        collective_ends = end;
        if (collectives_handle != at::INVALID_CALLBACK_HANDLE) {
            at::reenableCallback(collectives_handle);
            return nullptr;
        }
        collectives_handle =
            at::addGlobalCallback(at::RecordFunctionCallback(on_collective, on_collective_end)
                                      .needsInputs(true)
                                      .scopes({at::RecordScope::USER_SCOPE}));
        return nullptr;
    } catch (...) {
        return "libtorch refused the callback";
    }
}

void disable_collectives() noexcept
{
    try {
        std::lock_guard<std::mutex> guard(callbacks_lock);
        if (collectives_handle != at::INVALID_CALLBACK_HANDLE)
            at::disableCallback(collectives_handle);
    } catch (...) {
    }
}

} // namespace

extern "C" __attribute__((visibility("default")))
const StrobeTorchCollectives strobe_torch_collectives_1;
const StrobeTorchCollectives strobe_torch_collectives_1 = {sizeof(StrobeTorchCollectives), 0,
                                                           enable_collectives, disable_collectives};

extern "C" __attribute__((visibility("default"))) const StrobeTorchBackend strobe_torch_backend_1;
const StrobeTorchBackend strobe_torch_backend_1 = {
    sizeof(StrobeTorchBackend), 0, TORCH_VERSION, &target, enable, disable};
