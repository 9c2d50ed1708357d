/* SPDX-License-Identifier: Apache-2.0 */
#include "heap-frames.h"

#include <execinfo.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "code-place.h"

/* Maximum number of frames inside the caller: those of the collector's functions and of the
 * function that allocates. */
#define OWN_FRAMES 8
#define KNOWN_BITS 16
#define TEXT_BYTES (8u << 20)
#define TRIED 8

/* The text of a code address. A stored text never changes. */
typedef struct Known {
    _Atomic uintptr_t place; /* 0: the entry is free */
    _Atomic(const char *) text;
} Known;

static Known *known;
static char *texts;
static _Atomic size_t texts_used;

int heap_frames_prepare(void)
{
    void *first[2];
    if (texts)
        return 1;
    heap_code_place_prepare();
    backtrace(first, 2); /* loads the unwinder's library now, not during an allocation */
    size_t size = (sizeof *known << KNOWN_BITS) + TEXT_BYTES;
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return 0;
    known = (Known *)(void *)memory;
    texts = memory + (sizeof *known << KNOWN_BITS);
    return 1;
}

static const char *store_text(const char *text, size_t length)
{
    size_t at = atomic_fetch_add_explicit(&texts_used, length + 1, memory_order_relaxed);
    if (at + length + 1 > TEXT_BYTES)
        return NULL;
    return memcpy(texts + at, text, length + 1);
}

/* Returns the stored text of a code address; if there is none, writes the text to `buffer` and
 * stores it. If two threads see an address for the first time at once, both may store its text; one
 * copy is then never used. */
static const char *text_of(uintptr_t place, char *buffer, size_t size)
{
    uint32_t first = (uint32_t)((place * 0x9e3779b97f4a7c15u) >> (64 - KNOWN_BITS));
    Known *free_place = NULL;
    for (uint32_t i = 0; i < TRIED && !free_place; i++) {
        Known *at = &known[(first + i) & ((1u << KNOWN_BITS) - 1)];
        uintptr_t there = atomic_load_explicit(&at->place, memory_order_acquire);
        const char *text = atomic_load_explicit(&at->text, memory_order_acquire);
        if (there == place && text)
            return text;
        if (!there)
            free_place = at;
    }
    size_t length = heap_code_place(place, buffer, size);
    const char *kept = free_place ? store_text(buffer, length) : NULL;
    uintptr_t expected = 0;
    if (kept && atomic_compare_exchange_strong(&free_place->place, &expected, place))
        atomic_store_explicit(&free_place->text, kept, memory_order_release);
    return buffer;
}

/* Interns the text of a return address. Subtracts 1, because the instruction after the call may
 * already be in the next function. */
static StrobeStringId intern_place(const StrobeHost *host, StrobeWriter *writer, const void *place)
{
    char buffer[512];
    const char *text = text_of((uintptr_t)place - 1, buffer, sizeof buffer);
    return host->intern(writer, text, strlen(text));
}

StrobeStackId heap_frames_of(const StrobeHost *host, StrobeWriter *writer, const void *caller)
{
    StrobeStringId id = intern_place(host, writer, caller);
    return host->stack(writer, &id, 1);
}

StrobeStackId heap_frames_take(const StrobeHost *host, StrobeWriter *writer, uint32_t depth,
                               const void *caller)
{
    void *places[HEAP_DEPTH_MAX + OWN_FRAMES];
    StrobeStringId ids[HEAP_DEPTH_MAX];
    int n = backtrace(places, (int)depth + OWN_FRAMES), first = 0;
    uint32_t n_ids = 0;
    while (first < n && places[first] != caller)
        first++;
    for (int i = first; i < n && n_ids < depth; i++)
        ids[n_ids++] = intern_place(host, writer, places[i]);
    return n_ids ? host->stack(writer, ids, n_ids) : 0;
}
