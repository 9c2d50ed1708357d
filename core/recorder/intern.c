/* SPDX-License-Identifier: Apache-2.0 */
#include "intern.h"

#include <string.h>
#include "testpoint.h"

/* A string in the arena: its length (bit 31: a stack) and its bytes, aligned to 4. */
struct arena_string {
    uint32_t length;
    char bytes[];
};

static inline uint64_t load_u64(const unsigned char *p)
{
    uint64_t value;
    memcpy(&value, p, 8);
    return value;
}

static inline uint64_t mix_words(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
    const uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX);
    const uint64_t first = (a >> 32) * (b & UINT32_MAX) + (low >> 32);
    const uint64_t second = (a & UINT32_MAX) * (b >> 32) + (first & UINT32_MAX);

    return a * b ^ ((a >> 32) * (b >> 32) + (first >> 32) + (second >> 32));
#endif
}

static inline uint64_t load_u32(const unsigned char *p)
{
    uint32_t value;
    memcpy(&value, p, 4);
    return value;
}

/* Returns the hash of `n` bytes. Most names are short; for a short name, two overlapping loads and
 * one multiplication suffice. */
static inline uint64_t hash_bytes(const unsigned char *p, size_t n, uint64_t seed)
{
    uint64_t h = seed ^ (n * 0x9e3779b97f4a7c15u);

    for (; n > 16; p += 8, n -= 8)
        h = mix_words(h ^ load_u64(p), 0xd6e8feb86659fd93u);
    if (n >= 8)
        return mix_words(h ^ load_u64(p), 0xa0761d6478bd642fu ^ load_u64(p + n - 8));
    if (n >= 4)
        return mix_words(h ^ load_u32(p), 0xa0761d6478bd642fu ^ load_u32(p + n - 4));
    return mix_words(h ^ (n ? (uint64_t)p[0] << 16 | (uint64_t)p[n / 2] << 8 | p[n - 1] : 0),
                     0xa0761d6478bd642fu);
}

static _Atomic uint64_t *offsets_of(const struct pool_header *header)
{
    return strobe_pool_at(header, header->offsets_at);
}

static struct arena_string *string_at(const struct pool_header *header, uint64_t offset)
{
    return strobe_pool_at(header, header->arena_at + offset);
}

static int is_equal(const struct pool_header *header, uint32_t id, const void *bytes,
                    uint32_t stored_length, size_t length)
{
    uint32_t found_length = 0;
    const char *found = strobe_pool_string(header, id, &found_length);

    return found && found_length == stored_length && memcmp(found, bytes, length) == 0;
}

static int is_room_for_stack(const struct pool_header *header, uint64_t need)
{
    return atomic_load_explicit(&header->n_stacks, memory_order_relaxed) <
               header->string_places / STROBE_POOL_STACK_SHARE &&
           atomic_load_explicit(&header->stack_bytes, memory_order_relaxed) + need <=
               header->arena_bytes / STROBE_POOL_STACK_SHARE;
}

static void count_stack(struct pool_header *header, uint64_t bytes)
{
    atomic_fetch_add_explicit(&header->n_stacks, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&header->stack_bytes, bytes, memory_order_relaxed);
}

/* Copies the bytes into the arena and publishes them under a new id. Returns the id, or 0 if there
 * is no room. */
static uint32_t publish_string(struct pool_header *header, const void *bytes,
                               uint32_t stored_length, size_t length)
{
    uint64_t need = (sizeof(struct arena_string) + length + 3) & ~(uint64_t)3;
    uint64_t used = atomic_load_explicit(&header->arena_used, memory_order_relaxed);
    int is_stack = (stored_length & STROBE_STRING_IS_STACK) != 0;

    if (is_stack && !is_room_for_stack(header, need))
        return 0;
    do
        if (used > header->arena_bytes || need > header->arena_bytes - used || used % 4)
            return 0;
    while (!atomic_compare_exchange_weak_explicit(&header->arena_used, &used, used + need,
                                                  memory_order_relaxed, memory_order_relaxed));
    STROBE_TESTPOINT("string-placed");
    struct arena_string *string = string_at(header, used);
    string->length = stored_length;
    memcpy(string->bytes, bytes, length);
    uint32_t id = atomic_load_explicit(&header->n_strings, memory_order_relaxed);
    do
        if (id >= header->string_places)
            return 0;
    while (!atomic_compare_exchange_weak_explicit(&header->n_strings, &id, id + 1,
                                                  memory_order_relaxed, memory_order_relaxed));
    if (is_stack)
        count_stack(header, need);
    STROBE_TESTPOINT("string-numbered");
    atomic_store_explicit(&offsets_of(header)[id], used + 1, memory_order_release);
    return id;
}

uint32_t strobe_pool_intern(struct pool_header *header, const void *bytes, size_t length,
                            int is_stack)
{
    _Atomic uint32_t *slots = strobe_pool_at(header, header->slots_at);
    uint32_t stored_length = (uint32_t)length | (is_stack ? STROBE_STRING_IS_STACK : 0);
    uint32_t mine = 0;

    if (length == 0)
        return is_stack ? 0 : STROBE_EMPTY_STRING;
    uint64_t hash = hash_bytes(bytes, length, is_stack ? 0x51ab : 0x2545f491);
    uint32_t n_slots = strobe_pool_string_slots(header);
    for (uint32_t i = (uint32_t)hash, n = 0; n < n_slots; i++, n++) {
        _Atomic uint32_t *slot = &slots[i & (n_slots - 1)];
        uint32_t id = atomic_load_explicit(slot, memory_order_acquire);
        if (id == 0) {
            if (mine == 0)
                mine = publish_string(header, bytes, stored_length, length);
            if (mine == 0)
                return 0;
            STROBE_TESTPOINT("string-published");
            if (atomic_compare_exchange_strong_explicit(slot, &id, mine, memory_order_release,
                                                        memory_order_acquire))
                return mine;
            /* Another thread has stored its string `id` in the slot; this string may have the same
             * bytes. */
        }
        if (is_equal(header, id, bytes, stored_length, length))
            return id;
    }
    return mine;
}

void strobe_pool_intern_begin(struct pool_header *header)
{
    atomic_store(&header->n_strings, STROBE_EMPTY_STRING); /* id 0 means "no string" */
    publish_string(header, "", 0, 0);
}

const char *strobe_pool_string(const struct pool_header *header, uint32_t id, uint32_t *length)
{
    if (id == 0 || id >= header->string_places)
        return NULL;
    uint64_t offset = atomic_load_explicit(&offsets_of(header)[id], memory_order_acquire);
    if (offset == 0 || offset > header->arena_bytes || (offset - 1) % 4 ||
        header->arena_bytes - (offset - 1) < sizeof(struct arena_string))
        return NULL;
    const struct arena_string *string = string_at(header, offset - 1);
    *length = string->length;
    if ((*length & ~STROBE_STRING_IS_STACK) >
        header->arena_bytes - (offset - 1) - sizeof(struct arena_string))
        return NULL;
    return string->bytes;
}
