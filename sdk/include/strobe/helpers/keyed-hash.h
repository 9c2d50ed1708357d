/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hashes of numbers and texts from outside, with a key that differs in each process, so that a
 * hostile file cannot give all its numbers the same hash. Neither a hash nor the iteration order of
 * a table may affect any output. libc only. Any thread. Since 1.0.
 */
#ifndef STROBE_HELPERS_KEYED_HASH_H
#define STROBE_HELPERS_KEYED_HASH_H

#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Key of the hash functions. `factor` and `other` are odd. */
typedef struct StrobeHashKey {
    uint64_t add, factor, other;
} StrobeHashKey;

/* Returns the process's key. */
const StrobeHashKey *strobe_hash_key(void);

/* Returns the lower half of the product of `a` and `b`, XORed with its upper half. */
static inline uint64_t strobe_hash_fold(uint64_t a, uint64_t b)
{
#if defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 Wide;
    const Wide product = (Wide)a * b;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
#else /* 32-bit machines multiply by halves */
    const uint64_t low = (uint64_t)(uint32_t)a * (uint32_t)b, high = (a >> 32) * (b >> 32);
    const uint64_t one = (uint32_t)a * (b >> 32), other = (a >> 32) * (uint32_t)b;
    const uint64_t middle = (low >> 32) + (uint32_t)one + (uint32_t)other;

    return (middle << 32 | (uint32_t)low) ^ (high + (one >> 32) + (other >> 32) + (middle >> 32));
#endif
}

/* Returns the hash of a number; a table may use any bits of the hash. One product would prevent
 * that a file chooses numbers with equal hashes. But with some keys consecutive numbers would fill
 * a table without gaps, so there is a second product. */
static inline uint64_t strobe_hash_number(const StrobeHashKey *key, uint64_t number)
{
    return strobe_hash_fold(strobe_hash_fold(number ^ key->add, key->factor) ^ key->add,
                            key->other);
}

/* Returns the hash of two numbers, or of a hash and a further number. */
static inline uint64_t strobe_hash_pair(const StrobeHashKey *key, uint64_t so_far, uint64_t number)
{
    return strobe_hash_number(key, strobe_hash_fold(so_far ^ key->other, key->factor) ^ number);
}

uint64_t strobe_hash_bytes(const StrobeHashKey *key, const void *bytes, size_t length);

/* These functions return the hash of a uint64_t (or int64_t), of a NUL-terminated text, and of a
 * number stored in a pointer, for tables such as GLib's. */
unsigned strobe_hash_of_number(const void *number);
unsigned strobe_hash_of_text(const void *text);
unsigned strobe_hash_of_pointer(const void *pointer);

#if defined(__cplusplus)
}
#endif

#endif
