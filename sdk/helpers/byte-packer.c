/* SPDX-License-Identifier: Apache-2.0 */
/* Packed bytes are a row of parts: a byte with the number of plain bytes (upper half) and what a
 * reference is longer than MATCH_MIN (lower half), either 15 when more bytes of 255 and a last one
 * follow; the plain bytes; two bytes: how far back the reference goes, the low one first. The last
 * part ends behind its plain bytes. */
#include "byte-packer.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define MATCH_MIN 4u
#define HASH_BITS 12u
#define NIBBLE_MAX 15u
#define STEP_BITS 5u /* so often nothing is found before bytes are skipped */

/* Most pieces are short: they are copied with what follows them, where there is something. */
#define SHORT 16u

static uint32_t load32(const uint8_t *at)
{
    uint32_t value;

    memcpy(&value, at, sizeof value);
    return value;
}

static uint64_t load64(const uint8_t *at)
{
    uint64_t value;

    memcpy(&value, at, sizeof value);
    return value;
}

/* The first in memory that is not zero. */
static size_t first_byte_of(uint64_t eight)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return (size_t)__builtin_ctzll(eight) / 8;
#else
    return (size_t)__builtin_clzll(eight) / 8;
#endif
}

static uint32_t hash_of(uint64_t eight)
{
    return (uint32_t)(eight * 0x9e3779b97f4a7c15u >> (64 - HASH_BITS));
}

/* ---- packing ---- */

static uint8_t *put_length(uint8_t *out, size_t length)
{
    for (; length >= 255; length -= 255)
        *out++ = 255;
    *out++ = (uint8_t)length;
    return out;
}

/* `match`: 0, nothing follows the plain bytes; `end` of all. */
static uint8_t *put_part(uint8_t *out, const uint8_t *plain, size_t n, size_t match, size_t back,
                         const uint8_t *end)
{
    size_t more = match ? match - MATCH_MIN : 0;
    uint8_t *head = out++;

    *head = (uint8_t)((n < NIBBLE_MAX ? n : NIBBLE_MAX) << 4);
    if (n >= NIBBLE_MAX)
        out = put_length(out, n - NIBBLE_MAX);
    if (n <= SHORT && (size_t)(end - plain) >= SHORT)
        memcpy(out, plain, SHORT);
    else if (n)
        memcpy(out, plain, n);
    out += n;
    if (!match)
        return out;
    *out++ = (uint8_t)back;
    *out++ = (uint8_t)(back >> 8);
    *head |= (uint8_t)(more < NIBBLE_MAX ? more : NIBBLE_MAX);
    return more >= NIBBLE_MAX ? put_length(out, more - NIBBLE_MAX) : out;
}

/* How many bytes are the same, up to `end`. */
static size_t count_same(const uint8_t *at, const uint8_t *before, const uint8_t *end)
{
    const uint8_t *from = at;

    for (; end - at >= 8; at += 8, before += 8) {
        uint64_t difference = load64(at) ^ load64(before);

        if (difference)
            return (size_t)(at - from) + first_byte_of(difference);
    }
    while (at < end && *at == *before)
        at++, before++;
    return (size_t)(at - from);
}

/* Records repeat at the distance of the one before: that is tried first, and a hash of eight bytes
 * leads to what is worth a reference more often than one of four. */
size_t strobe_pack(const void *bytes, size_t n, void *packed)
{
    uint16_t places[1u << HASH_BITS] = {0}; /* where eight bytes of this hash were last */
    const uint8_t *start = bytes, *end = start + n, *plain = start, *at = start + 1;
    uint8_t *out = packed;
    size_t misses = 0, back = 0; /* of the last reference */

    while (n > 2 * MATCH_MIN && end - at >= 8) {
        uint64_t eight = load64(at);
        uint16_t *place = &places[hash_of(eight)];
        const uint8_t *before = start + *place;

        *place = (uint16_t)(at - start);
        if (back && load32(at - back) == load32(at)) {
            before = at - back;
        } else if (load32(before) != load32(at)) {
            at += 1 + (misses++ >> STEP_BITS);
            continue;
        }
        while (at > plain && before > start && at[-1] == before[-1])
            at--, before--;
        size_t same = count_same(at, before, end);
        back = (size_t)(at - before);
        out = put_part(out, plain, (size_t)(at - plain), same, back, end);
        at += same;
        plain = at;
        misses = 0;
    }
    out = put_part(out, plain, (size_t)(end - plain), 0, 0, end);
    return (size_t)(out - (uint8_t *)packed);
}

/* ---- unpacking ---- */

typedef struct Input {
    const uint8_t *at, *end;
} Input;

/* A length that goes on behind its half byte; false: there is no more. */
static bool take_length(Input *in, size_t *length)
{
    uint8_t more = 255;

    if (*length < NIBBLE_MAX)
        return true;
    while (more == 255) {
        if (in->at == in->end)
            return false;
        more = *in->at++;
        *length += more;
    }
    return true;
}

/* The reference may reach into what it writes itself. */
static void copy_back(uint8_t *to, size_t back, size_t n, size_t room)
{
    const uint8_t *from = to - back;

    if (back >= SHORT && n <= SHORT && room >= SHORT) {
        memcpy(to, from, SHORT);
        return;
    }
    if (back >= n) {
        memcpy(to, from, n);
        return;
    }
    for (; back >= 8 && n >= 8; to += 8, from += 8, n -= 8)
        memcpy(to, from, 8);
    while (n--)
        *to++ = *from++;
}

/* Bytes of the reference behind the plain ones; 0: none, or it is none of this output. */
static size_t take_reference(Input *in, size_t half, size_t written, size_t room, size_t *back)
{
    size_t n = half;

    if (in->end - in->at < 2)
        return 0;
    *back = (size_t)(in->at[0] | in->at[1] << 8);
    in->at += 2;
    if (!take_length(in, &n) || *back == 0 || *back > written || n > room || n + MATCH_MIN > room)
        return 0;
    return n + MATCH_MIN;
}

int strobe_unpack(const void *packed, size_t length, void *bytes, size_t n)
{
    Input in = {packed, (const uint8_t *)packed + length};
    uint8_t *start = bytes, *out = start, *end = start + n;

    while (in.at < in.end) {
        uint8_t head = *in.at++;
        size_t plain = head >> 4, back = 0, same;

        if (!take_length(&in, &plain) || plain > (size_t)(in.end - in.at) ||
            plain > (size_t)(end - out))
            return EILSEQ;
        if (plain <= SHORT && in.end - in.at >= SHORT && end - out >= SHORT)
            memcpy(out, in.at, SHORT);
        else
            memcpy(out, in.at, plain);
        out += plain;
        in.at += plain;
        if (in.at == in.end)
            break;
        same = take_reference(&in, head & 15u, (size_t)(out - start), (size_t)(end - out), &back);
        if (!same)
            return EILSEQ;
        copy_back(out, back, same, (size_t)(end - out));
        out += same;
    }
    return out == end ? 0 : EILSEQ;
}
