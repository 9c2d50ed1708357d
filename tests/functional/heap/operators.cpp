/* SPDX-License-Identifier: Apache-2.0 */
// Allocates with every form of the operator new, and keeps some of the blocks. For each function it
// prints how many blocks and bytes it has requested, and how many are left. It is a program, or a
// library that does all this while it is loaded.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>

#define TAKES extern "C" __attribute__((visibility("default"), noinline)) void *

constexpr int N = 100, N_KEPT = 40;
constexpr std::align_val_t LARGE{256};

static void *volatile touched;
static std::atomic<int> n_asked; // of the new_handler

static void *touch_memory(void *memory)
{
    touched = memory;
    return memory;
}

TAKES take_one(std::size_t size)
{
    return touch_memory(operator new(size));
}
TAKES take_array(std::size_t size)
{
    return touch_memory(operator new[](size));
}
TAKES take_or_null(std::size_t size)
{
    return touch_memory(operator new(size, std::nothrow));
}
TAKES take_array_or_null(std::size_t size)
{
    return touch_memory(operator new[](size, std::nothrow));
}
TAKES take_aligned(std::size_t size)
{
    return touch_memory(operator new(size, LARGE));
}
TAKES take_aligned_array(std::size_t size)
{
    return touch_memory(operator new[](size, LARGE));
}
TAKES take_aligned_or_null(std::size_t size)
{
    return touch_memory(operator new(size, LARGE, std::nothrow));
}
TAKES take_aligned_array_or_null(std::size_t size)
{
    return touch_memory(operator new[](size, LARGE, std::nothrow));
}
TAKES take_for_free(std::size_t size)
{
    return touch_memory(operator new(size));
}

struct Way {
    const char *name;
    void *(*take)(std::size_t);
    void (*give)(void *, std::size_t);
    std::uintptr_t alignment;
};

static const Way ways[] = {
    {"take_one", take_one,
     [](void *p, std::size_t n) { n % 2 ? operator delete(p) : operator delete(p, n); }, 16},
    {"take_array", take_array,
     [](void *p, std::size_t n) { n % 2 ? operator delete[](p) : operator delete[](p, n); }, 16},
    {"take_or_null", take_or_null, [](void *p, std::size_t) { operator delete(p, std::nothrow); },
     16},
    {"take_array_or_null", take_array_or_null,
     [](void *p, std::size_t) { operator delete[](p, std::nothrow); }, 16},
    {"take_aligned", take_aligned,
     [](void *p, std::size_t n) {
         n % 2 ? operator delete(p, LARGE) : operator delete(p, n, LARGE);
     },
     256},
    {"take_aligned_array", take_aligned_array,
     [](void *p, std::size_t n) {
         n % 2 ? operator delete[](p, LARGE) : operator delete[](p, n, LARGE);
     },
     256},
    {"take_aligned_or_null", take_aligned_or_null,
     [](void *p, std::size_t) { operator delete(p, LARGE, std::nothrow); }, 256},
    {"take_aligned_array_or_null", take_aligned_array_or_null,
     [](void *p, std::size_t) { operator delete[](p, LARGE, std::nothrow); }, 256},
    // this is not allowed, but every allocator here accepts it
    {"take_for_free", take_for_free, [](void *p, std::size_t) { free(p); }, 16},
};

static void run_way(const Way &way)
{
    long bytes = 0, live_bytes = 0;
    for (int i = 0; i < N; i++) {
        std::size_t size = 1000 + static_cast<std::size_t>(i);
        void *memory = way.take(size);
        if (!memory || reinterpret_cast<std::uintptr_t>(memory) % way.alignment)
            abort();
        bytes += static_cast<long>(size);
        if (i < N_KEPT)
            live_bytes += static_cast<long>(size);
        else
            way.give(memory, size);
    }
    std::printf("%s %d %ld %d %ld\n", way.name, N, bytes, N_KEPT, live_bytes);
}

static void handle_no_memory()
{
    if (++n_asked % 3 == 0)
        std::set_new_handler(nullptr);
}

// The exception reaches the caller, through the program's new_handler.
static void ask_too_much(void *(*take)(std::size_t), bool throws)
{
    int before = n_asked;
    bool is_caught = false;
    std::set_new_handler(handle_no_memory);
    try {
        if (take(SIZE_MAX / 4))
            abort();
    } catch (const std::bad_alloc &) {
        is_caught = true;
    }
    if (is_caught != throws || n_asked != before + 3)
        abort();
}

static void run_all()
{
    for (const Way &way : ways)
        run_way(way);
    ask_too_much(take_one, true);
    ask_too_much(take_array, true);
    ask_too_much(take_or_null, false);
    ask_too_much(take_aligned, true);
    std::printf("caught 0 0 0 0\n");
    std::fflush(stdout);
}

#ifdef IS_LIBRARY
static __attribute__((constructor)) void begin()
{
    run_all();
}
#else
int main()
{
    run_all();
    return 0;
}
#endif
