/* SPDX-License-Identifier: Apache-2.0 */
/* For test-memory.py: wraps PyTorch's CPU allocator beneath the allocator under test, and counts
 * the blocks independently, in a map with a lock. C++17. */
#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <unordered_map>

namespace
{

struct Account {
    std::mutex lock;
    std::unordered_map<void *, size_t> sizes;
    long allocated = 0, peak = 0, n_allocations = 0, n_releases = 0;
};

Account &account()
{
    static Account *const made = new Account;
    return *made;
}

c10::Allocator *inner;

void release(void *memory)
{
    {
        std::lock_guard<std::mutex> guard(account().lock);
        account().allocated -= static_cast<long>(account().sizes[memory]);
        account().sizes.erase(memory);
        account().n_releases++;
    }
    inner->raw_deleter()(memory);
}

struct Counting final : c10::Allocator {
    c10::DataPtr take(size_t size) const
    {
        c10::DataPtr data = inner->allocate(size);
        if (data.get() && data.compare_exchange_deleter(inner->raw_deleter(), release)) {
            std::lock_guard<std::mutex> guard(account().lock);
            account().sizes[data.get()] = size;
            account().allocated += static_cast<long>(size);
            account().peak = std::max(account().peak, account().allocated);
            account().n_allocations++;
        }
        return data;
    }
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
        return release;
    }
    void copy_data(void *to, const void *from, std::size_t size) const
    {
        std::memcpy(to, from, size);
    }
};

/* An allocator as in some libraries: a separate object of each block releases its memory. */
struct Indirect final : c10::Allocator {
    c10::DataPtr allocate(size_t size) const
    {
        return inner->allocate(size);
    }
    c10::DataPtr allocate(size_t size)
    {
        return inner->allocate(size);
    }
    void copy_data(void *to, const void *from, std::size_t size) const
    {
        std::memcpy(to, from, size);
    }
};

Counting counting;
Indirect indirect;

} // namespace

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED void account_install();
EXPORTED void account_install_indirect();
EXPORTED void account_uninstall();
EXPORTED long account_allocated();
EXPORTED long account_peak();
EXPORTED long account_allocations();
EXPORTED long account_releases();
EXPORTED int account_is_first();
EXPORTED void account_report(size_t address, long size, long allocated, long reserved, int index);
EXPORTED void *account_raw_allocate(size_t size);
EXPORTED void account_raw_release(void *memory);

void account_install()
{
    inner = c10::GetCPUAllocator();
    c10::SetCPUAllocator(&counting);
}

void account_install_indirect()
{
    inner = c10::GetCPUAllocator();
    c10::SetCPUAllocator(&indirect);
}

void account_uninstall()
{
    c10::SetCPUAllocator(inner);
}

long account_allocated()
{
    return account().allocated;
}

/* Returns the most bytes allocated at once since the last call. */
long account_peak()
{
    long peak = account().peak;
    account().peak = account().allocated;
    return peak;
}

long account_allocations()
{
    return account().n_allocations;
}

long account_releases()
{
    return account().n_releases;
}

/* Tells whether PyTorch calls this allocator directly, without another one in front of it. */
int account_is_first()
{
    return c10::GetCPUAllocator() == &counting;
}

/* Reports a block to PyTorch as the allocator of a device does. */
void account_report(size_t address, long size, long allocated, long reserved, int index)
{
    c10::reportMemoryUsageToProfiler(
        reinterpret_cast<void *>(address), size, allocated, reserved,
        c10::Device(c10::DeviceType::PrivateUse1, static_cast<c10::DeviceIndex>(index)));
}

void *account_raw_allocate(size_t size)
{
    return c10::GetCPUAllocator()->raw_allocate(size);
}

void account_raw_release(void *memory)
{
    c10::GetCPUAllocator()->raw_deallocate(memory);
}
