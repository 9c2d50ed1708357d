/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wraps PyTorch's CPU allocator: implements torch_memory.h. C++17; torch_backend.cpp says how it is
 * compiled.
 *
 * The wrapped allocator still does all the work and reports to PyTorch's own profiler. The program
 * can still use libtorch's only slot for a memory profiler.
 */
#include "torch_memory.h"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <torch/csrc/api/include/torch/version.h>

#include <atomic>
#include <cstring>
#include <mutex>

/* a named namespace, because the parts of the bridge are compiled as one file */
namespace strobe_torch_memory
{

/* number of allocators that can be wrapped in a process */
constexpr int PLACES = 4;

std::atomic<const StrobeTorchMemoryEvents *> events;

/* The allocator that is set as the CPU allocator. It is never destroyed, because storages keep its
 * address. */
class Allocator final : public c10::Allocator
{
  public:
    void stand_before(c10::Allocator *inner, c10::DeleterFnPtr own_deleter)
    {
        inner_deleter_ = inner->raw_deleter();
        own_deleter_ = own_deleter;
        inner_ = inner;
    }
    c10::Allocator *inner() const
    {
        return inner_;
    }
    c10::DeleterFnPtr inner_deleter() const
    {
        return inner_deleter_;
    }

    /* No `override`, because the base class differs between versions of libtorch. */
    c10::DataPtr allocate(size_t size) const
    {
        return take(size);
    }
    c10::DataPtr allocate(size_t size)
    {
        return take(size);
    }
    c10::DeleterFnPtr raw_deleter() const override
    {
        return own_deleter_;
    }
    void copy_data(void *to, const void *from, std::size_t size) const
    {
        std::memcpy(to, from, size);
    }

  private:
    c10::DataPtr take(size_t size) const
    {
        /* may throw; the exception reaches the caller */
        c10::DataPtr data = inner_->allocate(size);
        const void *address = data.get();
        if (address && data.compare_exchange_deleter(inner_deleter_, own_deleter_))
            events.load(std::memory_order_relaxed)->allocated(address, size);
        return data;
    }

    c10::Allocator *inner_ = nullptr;
    c10::DeleterFnPtr inner_deleter_ = nullptr;
    c10::DeleterFnPtr own_deleter_ = nullptr;
};

/* Returns the wrappers. Each wrapper needs its own deleter, because a deleter gets only the
 * address. The wrappers are made at the first use and never destroyed, because the program may
 * release memory while it ends. */
Allocator *places()
{
    static Allocator *const made = new Allocator[PLACES];
    return made;
}

Allocator *all_places;

template <int place> void release(void *memory)
{
    if (memory) /* NULL: oneDNN releases scratch memory even if it has not allocated any */
        events.load(std::memory_order_relaxed)->released(memory);
    all_places[place].inner_deleter()(memory);
}

constexpr c10::DeleterFnPtr deleters[PLACES] = {release<0>, release<1>, release<2>, release<3>};

std::mutex lock;
uint8_t priority; /* priority with which the wrapper was set */

bool is_ours(const c10::Allocator *allocator)
{
    for (int i = 0; i < PLACES; i++)
        if (allocator == &all_places[i])
            return true;
    return false;
}

/* Returns the wrapper of an allocator, or NULL if no wrapper is free. */
Allocator *place_before(c10::Allocator *inner)
{
    for (int i = 0; i < PLACES; i++) {
        if (all_places[i].inner() == inner)
            return &all_places[i];
        if (all_places[i].inner())
            continue;
        all_places[i].stand_before(inner, deleters[i]);
        return &all_places[i];
    }
    return nullptr;
}

/* Sets the allocator with the lowest priority that takes effect, so that the program can later set
 * its own allocator as if no wrapper were set. */
bool set(c10::Allocator *allocator)
{
    for (unsigned least = 0; least <= UINT8_MAX; least++) {
        c10::SetCPUAllocator(allocator, static_cast<uint8_t>(least));
        if (c10::GetCPUAllocator() == allocator) {
            priority = static_cast<uint8_t>(least);
            return true;
        }
    }
    return false;
}

const char *attach(const StrobeTorchMemoryEvents *new_events) noexcept
{
    try {
        std::lock_guard<std::mutex> guard(lock);
        all_places = places();
        events = new_events;
        c10::Allocator *current = c10::GetCPUAllocator();
        if (is_ours(current))
            return nullptr;
        /* the release of memory can be followed only if the address is also the deleter's
         * context */
        if (!current->raw_deleter())
            return "the CPU allocator in use does not release all memory in the same way";
        Allocator *own = place_before(current);
        if (!own)
            return "the program has set too many CPU allocators, one after the other";
        return set(own) ? nullptr : "libtorch refused the allocator";
    } catch (...) {
        return "libtorch refused the allocator";
    }
}

void detach() noexcept
{
    try {
        std::lock_guard<std::mutex> guard(lock);
        c10::Allocator *current = all_places ? c10::GetCPUAllocator() : nullptr;
        if (current && is_ours(current))
            c10::SetCPUAllocator(static_cast<Allocator *>(current)->inner(), priority);
    } catch (...) {
    }
}

} // namespace strobe_torch_memory

extern "C" __attribute__((visibility("default"))) const StrobeTorchMemory strobe_torch_memory_1;
const StrobeTorchMemory strobe_torch_memory_1 = {sizeof(StrobeTorchMemory), 0, TORCH_VERSION,
                                                 strobe_torch_memory::attach,
                                                 strobe_torch_memory::detach};
