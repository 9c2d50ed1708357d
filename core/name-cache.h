/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread's own short way from a name to its id: by the address at which the name lies. A program
 * names its functions with the same few hundred texts; hashing each anew would cost more than the
 * rest of a span. libc only.
 *
 * The address alone proves nothing (a heap block is used again for another text), so the text is
 * compared each time: in aligned words, which may reach beyond the text's end but never into a page
 * that it does not touch, and only as far as it equals the known one.
 */
#ifndef STROBE_CORE_NAME_CACHE_H
#define STROBE_CORE_NAME_CACHE_H

#include <stdint.h>
#include <strobe/record.h>

#define STROBE_CACHED_NAMES 256u
#define STROBE_CACHED_NAME_WORDS 6u

struct cached_name {
    const char *address; /* NULL: free */
    StrobeStringId id;
    uint8_t last;        /* index of the word with the text's NUL */
    uint8_t first_shift; /* bits of the first word before the text */
    uint8_t last_shift;  /* and of the last one behind it */
    uint8_t reserved;
    uint64_t words[STROBE_CACHED_NAME_WORDS]; /* from the last word border before the text */
};

_Static_assert(sizeof(struct cached_name) == 64, "one cache line");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "bytes before the text are low ones");

static inline struct cached_name *strobe_cached_name(struct cached_name *cache, const char *name)
{
    return &cache[(uint64_t)(uintptr_t)name * 0x9e3779b97f4a7c15u >> 56];
}

/* Is `name` the text that lay at this address when it was stored? */
__attribute__((no_sanitize("address", "thread"))) static inline int
strobe_cached_equals(const struct cached_name *known, const char *name)
{
    const uint64_t *word = (const uint64_t *)((uintptr_t)name & ~(uintptr_t)7);
    const uint64_t *expected = known->words, *last = expected + known->last;

    if (known->address != name)
        return 0;
    uint64_t difference = (*word ^ *expected) >> known->first_shift;
    while (expected < last) {
        if (difference)
            return 0;
        difference = *++word ^ *++expected;
    }
    return difference << known->last_shift == 0;
}

/* Keeps the name, unless it is too long. */
void strobe_cached_name_set(struct cached_name *place, const char *name, StrobeStringId id);

#endif
