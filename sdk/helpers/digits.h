/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decimal digits, eight at once in a register: a number costs a few multiplications and no loop
 * over its digits. For the helpers that write numbers; whole words are stored, so that up to seven
 * bytes behind the text are overwritten. Little endian.
 */
#ifndef STROBE_HELPERS_DIGITS_H
#define STROBE_HELPERS_DIGITS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define DIGITS_8 100000000u
#define DIGITS_ASCII UINT64_C(0x3030303030303030)

/* The eight digits of `value` (below 10^8), 0 to 9 each, the first in the lowest byte. */
static inline uint64_t digits_split(uint32_t value)
{
    uint64_t fours = value / 10000 | (uint64_t)(value % 10000) << 32;
    uint64_t hundreds = ((fours * 10486) >> 20) & UINT64_C(0x0000007f0000007f);
    uint64_t pairs = hundreds | (fours - hundreds * 100) << 16;
    uint64_t tens = ((pairs * 103) >> 10) & UINT64_C(0x000f000f000f000f);

    return tens | (pairs - tens * 10) << 8;
}

/* All eight digits. */
static inline void digits_put_8(char *out, uint32_t value)
{
    uint64_t text = digits_split(value) | DIGITS_ASCII;

    memcpy(out, &text, sizeof text);
}

/* Those of a number below 10^8, without zeros in front; how many they are. */
static inline size_t digits_put_short(char *out, uint32_t value)
{
    uint64_t digits = digits_split(value);
    unsigned zeros = (unsigned)__builtin_ctzll(digits | UINT64_C(1) << 56) / 8;
    uint64_t text = (digits | DIGITS_ASCII) >> (8 * zeros);

    memcpy(out, &text, sizeof text);
    return 8 - zeros;
}

/* clang-format off */
/* "000001002 ... 999" */
#define DIGITS_TENS(d) d "0" d "1" d "2" d "3" d "4" d "5" d "6" d "7" d "8" d "9"
#define DIGITS_HUNDREDS(h)                                                                         \
    DIGITS_TENS(h "0") DIGITS_TENS(h "1") DIGITS_TENS(h "2") DIGITS_TENS(h "3") DIGITS_TENS(h "4") \
    DIGITS_TENS(h "5") DIGITS_TENS(h "6") DIGITS_TENS(h "7") DIGITS_TENS(h "8") DIGITS_TENS(h "9")
static const char digits_threes[] =
    DIGITS_HUNDREDS("0") DIGITS_HUNDREDS("1") DIGITS_HUNDREDS("2") DIGITS_HUNDREDS("3")
    DIGITS_HUNDREDS("4") DIGITS_HUNDREDS("5") DIGITS_HUNDREDS("6") DIGITS_HUNDREDS("7")
    DIGITS_HUNDREDS("8") DIGITS_HUNDREDS("9");
/* clang-format on */

/* The three digits of a number below 1000, and a byte of no meaning. */
static inline uint32_t digits_three(uint32_t value)
{
    uint32_t text;

    memcpy(&text, digits_threes + (size_t)3 * value, sizeof text);
    return text;
}

/* As digits_put(), of a number below 1000. */
static inline size_t digits_put_three(char *out, uint32_t value)
{
    const unsigned zeros = (value < 100) + (value < 10);
    const uint32_t text = digits_three(value) >> (8 * zeros);

    memcpy(out, &text, sizeof text);
    return 3 - zeros;
}

/* Inline in each of the few functions that put numbers: a call more is felt there. */
__attribute__((always_inline)) static inline size_t digits_put(char *out, uint64_t value)
{
    uint64_t high = value / DIGITS_8;
    uint32_t text;
    size_t length;

    if (value < 1000)
        return digits_put_three(out, (uint32_t)value);
    if (value < 1000000) { /* most of all */
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

/* The last three digits of a number below 1000, and the point before them: four bytes. */
static inline void digits_put_thousandths(char *out, uint32_t value)
{
    const uint32_t text = '.' | digits_three(value) << 8;

    memcpy(out, &text, sizeof text);
}

#endif
