/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computes decimal digits, eight at a time in a register, for the helpers that write numbers: a
 * number costs a few multiplications and no loop over its digits. These functions store whole
 * words, so they overwrite up to seven bytes after the text. They need a little-endian machine.
 */
#ifndef STROBE_HELPERS_DIGITS_H
#define STROBE_HELPERS_DIGITS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define DIGITS_8 100000000u
#define DIGITS_ASCII UINT64_C(0x3030303030303030)

#define DIGITS_TENS 10
static const uint64_t digits_tens[DIGITS_TENS] = {1,      10,      100,      1000,      10000,
                                                  100000, 1000000, 10000000, 100000000, 1000000000};

/* Returns the eight digits of `value` (below 10^8), 0 to 9 each, the first in the lowest byte. */
static inline uint64_t digits_split(uint32_t value)
{
    uint64_t fours = value / 10000 | (uint64_t)(value % 10000) << 32;
    uint64_t hundreds = ((fours * 10486) >> 20) & UINT64_C(0x0000007f0000007f);
    uint64_t pairs = hundreds | (fours - hundreds * 100) << 16;
    uint64_t tens = ((pairs * 103) >> 10) & UINT64_C(0x000f000f000f000f);

    return tens | (pairs - tens * 10) << 8;
}

/* Writes all eight digits of a number below 10^8. */
static inline void digits_put_8(char *out, uint32_t value)
{
    uint64_t text = digits_split(value) | DIGITS_ASCII;

    memcpy(out, &text, sizeof text);
}

/* Writes a number below 10^8 without leading zeros; returns the number of digits. */
static inline size_t digits_put_short(char *out, uint32_t value)
{
    uint64_t digits = digits_split(value);
    unsigned zeros = (unsigned)__builtin_ctzll(digits | UINT64_C(1) << 56) / 8;
    uint64_t text = (digits | DIGITS_ASCII) >> (8 * zeros);

    memcpy(out, &text, sizeof text);
    return 8 - zeros;
}

/* "000001002 ... 999" */
#define DIGITS_ONES(a) a "0" a "1" a "2" a "3" a "4" a "5" a "6" a "7" a "8" a "9"
#define DIGITS_LOW(a) DIGITS_ONES(a "0") DIGITS_ONES(a "1") DIGITS_ONES(a "2") DIGITS_ONES(a "3")
#define DIGITS_MIDDLE(a) DIGITS_ONES(a "4") DIGITS_ONES(a "5") DIGITS_ONES(a "6")
#define DIGITS_HIGH(a) DIGITS_ONES(a "7") DIGITS_ONES(a "8") DIGITS_ONES(a "9")
#define DIGITS_HUNDRED(a) DIGITS_LOW(a) DIGITS_MIDDLE(a) DIGITS_HIGH(a)
static const char digits_threes[] = DIGITS_HUNDRED("0") DIGITS_HUNDRED("1") DIGITS_HUNDRED("2")
    DIGITS_HUNDRED("3") DIGITS_HUNDRED("4") DIGITS_HUNDRED("5") DIGITS_HUNDRED("6")
        DIGITS_HUNDRED("7") DIGITS_HUNDRED("8") DIGITS_HUNDRED("9");

/* Returns the three digits of a number below 1000; the fourth byte is undefined. */
static inline uint32_t digits_three(uint32_t value)
{
    uint32_t text;

    memcpy(&text, digits_threes + (size_t)3 * value, sizeof text);
    return text;
}

/* Like digits_put(), for a number below 1000. */
static inline size_t digits_put_three(char *out, uint32_t value)
{
    const unsigned zeros = (value < 100) + (value < 10);
    const uint32_t text = digits_three(value) >> (8 * zeros);

    memcpy(out, &text, sizeof text);
    return 3 - zeros;
}

/* Writes a number and returns its length. Inlined into each of the few functions that write
 * numbers, because a further call would be measurable there. */
__attribute__((always_inline)) static inline size_t digits_put(char *out, uint64_t value)
{
    uint64_t high = value / DIGITS_8;
    uint32_t text;
    size_t length;

    if (value < 1000)
        return digits_put_three(out, (uint32_t)value);
    if (value < 1000000) { /* as most numbers are */
        length = digits_put_three(out, (uint32_t)value / 1000);
        text = digits_three((uint32_t)value % 1000);
        memcpy(out + length, &text, sizeof text);
        return length + 3;
    }
    if (!high)
        return digits_put_short(out, (uint32_t)value);
    if (high < DIGITS_8) {
        length = digits_put_short(out, (uint32_t)high);
    } else {
        length = digits_put_short(out, (uint32_t)(high / DIGITS_8));
        digits_put_8(out + length, (uint32_t)(high % DIGITS_8));
        length += 8;
    }
    digits_put_8(out + length, (uint32_t)(value % DIGITS_8));
    return length + 8;
}

/* Writes four bytes: a point and the three digits of a number below 1000. */
static inline void digits_put_thousandths(char *out, uint32_t value)
{
    const uint32_t text = '.' | digits_three(value) << 8;

    memcpy(out, &text, sizeof text);
}

/* Writes a number of thousandths below 10^8 with its integer part: the five digits before the point
 * and the three after it are computed in one word. Returns the length up to the point; *places is
 * the number of decimals without trailing zeros. */
static inline size_t digits_put_parts(char *out, uint32_t value, unsigned *places)
{
    const uint64_t digits = digits_split(value);
    const unsigned zeros = (unsigned)__builtin_ctzll(digits | UINT64_C(1) << 32) / 8;
    const uint64_t whole = (digits | DIGITS_ASCII) >> (8 * zeros);
    uint32_t part = (uint32_t)(digits >> 40);

    memcpy(out, &whole, sizeof whole);
    *places = part ? 4 - (unsigned)__builtin_clz(part) / 8 : 0;
    part = part << 8 | 0x30303000 | '.';
    memcpy(out + 5 - zeros, &part, sizeof part);
    return 5 - zeros;
}

#endif
