/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps options of single threads, which override the options for all threads. Part of
 * torch_backend.cpp. */
#ifndef STROBE_TORCH_THREAD_OPTIONS_H
#define STROBE_TORCH_THREAD_OPTIONS_H

#include <ATen/record_function.h>

#include <cstdint>
#include <memory>

namespace
{

/* Options of the calling thread (set_thread). The bit was_own remains when the options are removed,
 * because is_noted() must still return true when a function ends that began with the options.
 * own_options is read only if any thread has had options: a look-up of thread storage costs
 * nanoseconds, and the static thread storage has no room for this library's variables. */
constexpr uint32_t was_own = 1u << 31;
thread_local uint32_t own_options;
uint32_t any_thread_has_own;
thread_local at::CallbackHandle own_callback = at::INVALID_CALLBACK_HANDLE;

uint32_t thread_options()
{
    return C10_UNLIKELY(__atomic_load_n(&any_thread_has_own, __ATOMIC_RELAXED)) ? own_options : 0;
}

std::unique_ptr<at::ObserverContext> ignore_begin(const at::RecordFunction &) noexcept
{
    return nullptr;
}

/* Adds or removes a callback of this thread that does nothing. While this callback exists, libtorch
 * keeps the inputs of the thread's functions, so that the callback of all threads can read the
 * inputs. */
void keep_own_inputs(bool is_on)
{
    if (is_on == (own_callback != at::INVALID_CALLBACK_HANDLE))
        return;
    if (is_on) {
        own_callback =
            at::addThreadLocalCallback(at::RecordFunctionCallback(ignore_begin).needsInputs(true));
        return;
    }
    at::removeCallback(own_callback);
    own_callback = at::INVALID_CALLBACK_HANDLE;
}

void set_own_options(uint32_t options, bool needs_inputs) noexcept
{
    try {
        keep_own_inputs(needs_inputs);
        own_options = options | was_own;
        __atomic_store_n(&any_thread_has_own, 1u, __ATOMIC_RELAXED);
    } catch (...) {
        /* the thread keeps its previous options */
    }
}

} // namespace

#endif
