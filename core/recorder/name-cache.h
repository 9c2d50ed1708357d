/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread's cache from a name to its id, by the name's address. A program uses the same few
 * hundred names for its functions. To hash a name for each span would cost more than the rest of
 * the span. libc only.
 *
 * An address may have another text later (a heap block is reused), so the text is compared each
 * time. The comparison reads at least two aligned words, which may extend beyond the text's end. It
 * always reads all words, which is faster than stopping at the first difference. So a text whose
 * words are in two pages is not cached: the second page may be unmapped.
 */
#ifndef STROBE_CORE_NAME_CACHE_H
#define STROBE_CORE_NAME_CACHE_H

#include <stdint.h>
#include <strobe/record.h>

#define STROBE_CACHED_NAMES 256u
#define STROBE_CACHED_NAME_WORDS 10u
#define STROBE_CACHED_NAME_PAGE 4096u /* smallest page size of all supported machines */

struct cached_name {
    const char *address; /* NULL: an unused entry */
    StrobeStringId id;
    uint32_t last;                               /* index of the word with the text's NUL */
    uint64_t first_mask, second_mask, last_mask; /* masks of the text's bytes in these words */
    const char *short_address; /* `address` if the text has at most two words; otherwise NULL */
    uint64_t words[STROBE_CACHED_NAME_WORDS]; /* the text, from the word boundary before it */
};

_Static_assert(sizeof(struct cached_name) == 128, "short ones in one cache line");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "bytes before the text are low ones");

static inline struct cached_name *strobe_cached_name(struct cached_name *cache, const char *name)
{
    return &cache[(uint64_t)(uintptr_t)name * 0x9e3779b97f4a7c15u >> 56];
}

/* Returns the bits in which the first two words of the text at `name` differ from the cached
 * text. */
__attribute__((no_sanitize("address", "thread"))) static inline uint64_t
strobe_cached_difference(const struct cached_name *known, const char *name)
{
    const uint64_t *words = (const uint64_t *)((uintptr_t)name & ~(uintptr_t)7);

    return ((words[0] ^ known->words[0]) & known->first_mask) |
           ((words[1] ^ known->words[1]) & known->second_mask);
}

__attribute__((no_sanitize("address", "thread"))) static inline int
strobe_cached_rest_equals(const struct cached_name *known, const char *name)
{
    const uint64_t *words = (const uint64_t *)((uintptr_t)name & ~(uintptr_t)7);
    const uint32_t last = known->last;
    uint64_t difference = (words[last] ^ known->words[last]) & known->last_mask;

    for (uint32_t i = 2; i < last; i++)
        difference |= words[i] ^ known->words[i];
    return difference == 0;
}

/* Is `name` at this address, and is the text there still the cached text? */
static inline int strobe_cached_equals(const struct cached_name *known, const char *name)
{
    return known->address == name && strobe_cached_difference(known, name) == 0 &&
           (known->short_address || strobe_cached_rest_equals(known, name));
}

/* Like strobe_cached_equals, for a text of at most two words, in fewer instructions. */
static inline int strobe_cached_equals_short(const struct cached_name *known, const char *name)
{
    return __builtin_expect(known->short_address == name, 1) &&
           strobe_cached_difference(known, name) == 0;
}

/* Caches the name, unless it is too long or its (at least two) words lie in two pages. */
void strobe_cached_name_set(struct cached_name *place, const char *name, StrobeStringId id);

#endif
