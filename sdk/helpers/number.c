/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/helpers/number.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "digits.h"

#define DIGITS_MAX 17 /* a double needs at most this many digits */

/* A decimal with at most 15 digits is the shortest text of its nearest double. */
#define EXACT_LIMIT 1000000000000000ull

static uint64_t get_magnitude(int64_t value)
{
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

/* Writes exactly `width` digits, with leading zeros. */
static void put_padded(char *out, uint64_t value, unsigned width)
{
    while (width) {
        out[--width] = (char)('0' + value % 10);
        value /= 10;
    }
}

size_t strobe_format_uint(char *out, uint64_t value)
{
    size_t length = digits_put(out, value);

    out[length] = '\0';
    return length;
}

size_t strobe_format_int(char *out, int64_t value)
{
    size_t sign = value < 0;

    if (sign)
        *out = '-';
    return sign + strobe_format_uint(out + sign, get_magnitude(value));
}

/* Writes microseconds. A time since the epoch has 16 digits. */
static inline size_t put_us(char *out, uint64_t us)
{
    if (us < EXACT_LIMIT || us >= 10 * EXACT_LIMIT)
        return digits_put(out, us);
    digits_put_8(out, (uint32_t)(us / DIGITS_8));
    digits_put_8(out + 8, (uint32_t)(us % DIGITS_8));
    return 16;
}

size_t strobe_format_us_fixed(char *out, int64_t ns)
{
    const uint64_t value = get_magnitude(ns), us = value / 1000;
    size_t length = 0;

    if (ns < 0)
        out[length++] = '-';
    length += put_us(out + length, us);
    digits_put_thousandths(out + length, (uint32_t)(value % 1000));
    length += 4;
    out[length] = '\0';
    return length;
}

size_t strobe_format_us_repr(char *out, int64_t ns)
{
    const size_t sign = ns < 0;
    uint64_t value = get_magnitude(ns);
    unsigned places;
    size_t length;

    if (value < DIGITS_8) { /* most durations are less than a tenth of a second */
        *out = '-';
        length = sign + digits_put_parts(out + sign, (uint32_t)value, &places);
        length += 1 + (places ? places : 1);
        out[length] = '\0';
        return length;
    }
    if (value >= EXACT_LIMIT)
        return strobe_format_double(out, (double)ns / 1000.0);
    length = strobe_format_us_fixed(out, ns);
    /* Like Python, writes no trailing zeros, but at least one decimal. */
    for (int i = 0; i < 2 && out[length - 1] == '0'; i++)
        length--;
    out[length] = '\0';
    return length;
}

/* Drops trailing zeros of a decimal number, except a zero directly after the point. */
static size_t trim_zeros(char *out, size_t length)
{
    while (out[length - 1] == '0' && out[length - 2] != '.')
        length--;
    return length;
}

/* Writes the decimal value/10^places if it is the shortest text of `value`. No other decimal with
 * up to 15 digits gives the same double, so a shorter decimal is found too, with trailing zeros. */
static size_t put_short_decimal(char *out, double value)
{
    const unsigned step = value < 1e12 ? 3 : 1;

    for (unsigned places = step; places < DIGITS_TENS; places += step) {
        const uint64_t unit = digits_tens[places];
        double scaled = value * (double)unit;
        uint64_t digits;
        size_t length;

        if (scaled >= (double)EXACT_LIMIT)
            return 0;
        digits = (uint64_t)(scaled + 0.5);
        if ((double)digits / (double)unit != value)
            continue;
        length = digits_put(out, digits / unit);
        if (places == 3) {
            digits_put_thousandths(out + length, (uint32_t)(digits % unit));
        } else {
            out[length] = '.';
            put_padded(out + length + 1, digits % unit, places);
        }
        return trim_zeros(out, length + 1 + places);
    }
    return 0;
}

size_t strobe_format_binary(char *out, int64_t value, unsigned bits)
{
    static const uint64_t fives[] = {1,       5,        25,        125,       625,
                                     3125,    15625,    78125,     390625,    1953125,
                                     9765625, 48828125, 244140625, 1220703125};
    static const uint64_t limits[] = {1000000000000000,
                                      100000000000000,
                                      10000000000000,
                                      1000000000000,
                                      100000000000,
                                      10000000000,
                                      1000000000,
                                      100000000,
                                      10000000,
                                      1000000,
                                      100000,
                                      10000,
                                      1000,
                                      100};
    uint64_t rest = (uint64_t)value & (((uint64_t)1 << bits) - 1);
    uint64_t whole = (uint64_t)value >> bits;
    unsigned zeros = (unsigned)__builtin_ctzll(rest | (uint64_t)1 << bits);
    unsigned places = bits - zeros;
    size_t length;

    if (value < 0 || places >= sizeof fives / sizeof fives[0] || whole >= limits[places])
        return strobe_format_double(out, (double)value / (double)((uint64_t)1 << bits));
    length = digits_put(out, whole);
    out[length++] = '.';
    if (!places)
        places = 1;
    put_padded(out + length, (rest >> zeros) * fives[places], places);
    length += places;
    out[length] = '\0';
    return length;
}

/* Is digits * 10^exponent, read by strtod, equal to `value`? The text is an integer with an
 * exponent. It contains no decimal point, so strtod's result does not depend on the locale. */
static int reads_back(const char *digits, int n, int exponent, double value)
{
    char text[DIGITS_MAX + 8];

    snprintf(text, sizeof text, "%.*se%d", n, digits, exponent - (n - 1));
    return strtod(text, NULL) == value;
}

/* Adds 1 to the last digit; returns the number of digits without trailing zeros. */
static int increment_digits(char *digits, int n, int *exponent)
{
    int last = n - 1;

    while (last >= 0 && digits[last] == '9')
        last--;
    if (last < 0) {
        digits[0] = '1';
        (*exponent)++;
        return 1;
    }
    digits[last]++;
    return last + 1;
}

/* Splits `text`, "d.ddde+xx", into its digits and its exponent; returns the number of digits. */
static int take_apart(const char *text, char *digits, int *exponent)
{
    int used = 0;

    for (; *text && *text != 'e'; text++)
        if (*text >= '0' && *text <= '9')
            digits[used++] = *text;
    *exponent = *text ? atoi(text + 1) : 0;
    return used;
}

/* Finds the shortest digits d.ddd * 10^exponent that read back as `value` (finite, above 0). Uses
 * the C library's exact conversions, and works for any value. If a decimal with up to 15 digits
 * reads back, it equals the value's text of 15 digits (with trailing zeros), unless doubles are
 * farther apart there. */
static int any_shortest_digits(double value, char *digits, int *exponent)
{
    int binary, used = 0;
    /* Doubles are closer to each other below a power of two than above: a shorter text above the
     * power may read back although it is farther away. */
    int is_power = frexp(value, &binary) == 0.5;

    for (int n = is_power || value < DBL_MIN ? 1 : 15; n <= DIGITS_MAX; n++) {
        char text[40];

        snprintf(text, sizeof text, "%.*e", n - 1, value);
        used = take_apart(text, digits, exponent);
        if (reads_back(digits, used, *exponent, value))
            break;
        if (is_power) {
            used = increment_digits(digits, used, exponent);
            if (reads_back(digits, used, *exponent, value))
                break;
        }
    }
    while (used > 1 && digits[used - 1] == '0')
        used--;
    return used;
}

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 Wide;

#define PLACES_MAX 20 /* so many are needed for 17 digits of a value of 1e-4 or more */

/* The exact value of a double times 10^places: `scaled` / 2^shift. */
typedef struct Scaled {
    Wide scaled, ten; /* 10^places */
    unsigned places, shift;
    int is_even; /* the double's mantissa is even: a text exactly between it and a neighbour then
                    reads back as this double */
} Scaled;

/* Returns 10^places; `places` must be at most 21. */
static Wide power_of_ten(unsigned places)
{
    return (Wide)(digits_tens[places % 8] * (places >= 8 ? 100000000ull : 1)) *
           (places >= 16 ? 100000000ull : 1);
}

/* Scales the value so that it has 17 digits before the point. 0: the value is out of range, or its
 * two neighbouring doubles are not equally far from it. */
static int scale_value(double value, Scaled *out)
{
    int binary, places;
    uint64_t digits = (uint64_t)ldexp(frexp(value, &binary), 53);

    if (value < 1e-4 || value >= 1e15 || digits == (uint64_t)1 << 52)
        return 0;
    places = 16 - (int)floor((binary - 1) * 0.30102999566398120);
    out->shift = (unsigned)(53 - binary);
    out->is_even = digits % 2 == 0;
    out->ten = power_of_ten((unsigned)places);
    out->scaled = out->ten * digits;
    /* 18 digits: use the next power of ten */
    if (out->scaled >> out->shift >= (Wide)100 * EXACT_LIMIT) {
        out->ten = power_of_ten((unsigned)--places);
        out->scaled = out->ten * digits;
    }
    out->places = (unsigned)places;
    return out->places <= PLACES_MAX;
}

/* Returns the integer that is nearest to the scaled value / `unit`; of two, the even one. */
static uint64_t round_nearest(const Scaled *s, uint64_t unit)
{
    Wide below = s->scaled >> s->shift;
    uint64_t whole = (uint64_t)below / unit;
    Wide rest = s->scaled - ((Wide)(whole * unit) << s->shift), half = (Wide)unit << s->shift;

    if (rest * 2 > half || (rest * 2 == half && whole % 2))
        whole++;
    return whole;
}

/* Are the digits nearer to this double than to its neighbours? Half the distance to a neighbour is
 * 10^places / 2, in the scale of `scaled`. */
static int is_read_back(const Scaled *s, uint64_t digits)
{
    Wide there = (Wide)digits << s->shift;
    Wide apart = there > s->scaled ? there - s->scaled : s->scaled - there;

    return apart * 2 < s->ten || (apart * 2 == s->ten && s->is_even);
}

/* Like any_shortest_digits, but faster and only for some values. Returns 0 if this method does not
 * apply. */
static int quick_shortest_digits(double value, char *digits, int *exponent)
{
    static const uint64_t units[] = {100, 10, 1};
    uint64_t found = 0;
    Scaled s;
    int used;

    if (!scale_value(value, &s))
        return 0;
    for (int i = 0; i < 3; i++) {
        found = round_nearest(&s, units[i]) * units[i];
        if (is_read_back(&s, found))
            break;
    }
    used = (int)digits_put(digits, found);
    *exponent = used - 1 - (int)s.places;
    while (used > 1 && digits[used - 1] == '0')
        used--;
    return used;
}
#else
static int quick_shortest_digits(double value, char *digits, int *exponent)
{
    (void)value;
    (void)digits;
    (void)exponent;
    return 0;
}
#endif

static int shortest_digits(double value, char *digits, int *exponent)
{
    int used = quick_shortest_digits(value, digits, exponent);

    return used ? used : any_shortest_digits(value, digits, exponent);
}

/* Writes d.ddde+XX with at least two digits of the exponent, like Python. */
static size_t put_exponent_form(char *out, const char *digits, int n, int exponent)
{
    size_t length = 0;
    int size = abs(exponent);

    out[length++] = digits[0];
    if (n > 1) {
        out[length++] = '.';
        memcpy(out + length, digits + 1, (size_t)n - 1);
        length += (size_t)n - 1;
    }
    out[length++] = 'e';
    out[length++] = exponent < 0 ? '-' : '+';
    if (size < 10)
        out[length++] = '0';
    return length + digits_put(out + length, (uint64_t)size);
}

static size_t put_plain_form(char *out, const char *digits, int n, int exponent)
{
    size_t length = 0;

    if (exponent < 0) {
        out[length++] = '0';
        out[length++] = '.';
        for (int i = -1; i > exponent; i--)
            out[length++] = '0';
        memcpy(out + length, digits, (size_t)n);
        return length + (size_t)n;
    }
    for (int i = 0; i <= exponent; i++)
        out[length++] = i < n ? digits[i] : '0';
    out[length++] = '.';
    if (n <= exponent + 1)
        out[length++] = '0';
    for (int i = exponent + 1; i < n; i++)
        out[length++] = digits[i];
    return length;
}

static size_t put_digits(char *out, double value)
{
    char digits[DIGITS_MAX + 3];
    int exponent;
    int n = shortest_digits(value, digits, &exponent);

    if (exponent < -4 || exponent >= 16)
        return put_exponent_form(out, digits, n, exponent);
    return put_plain_form(out, digits, n, exponent);
}

size_t strobe_format_double(char *out, double value)
{
    size_t length = 0;
    size_t used = 0;

    if (isnan(value)) {
        memcpy(out, "nan", 4);
        return 3;
    }
    if (signbit(value)) {
        out[length++] = '-';
        value = -value;
    }
    if (isinf(value)) {
        memcpy(out + length, "inf", 4);
        return length + 3;
    }
    if (value == 0) {
        memcpy(out + length, "0.0", 4);
        return length + 3;
    }
    if (value >= 1e-4)
        used = put_short_decimal(out + length, value);
    length += used ? used : put_digits(out + length, value);
    out[length] = '\0';
    return length;
}
