/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/helpers/cell-number.h>

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <strobe/helpers/fields.h>

#include "digits.h"

#define FIXED_LIMIT 1e15
#define TEXT_MAX 64

/* ---- writing ---- */

/* Splits `value` into *mantissa and the shift that is returned: value = mantissa / 2^shift. The
 * shift is above 0, because the value is below 2^52. */
static inline int take_apart(double value, uint64_t *mantissa)
{
    uint64_t bits;
    int shift;

    memcpy(&bits, &value, sizeof bits);
    *mantissa = bits & ((UINT64_C(1) << 52) - 1);
    shift = 1075 - (int)(bits >> 52);
    if (bits >> 52)
        *mantissa |= UINT64_C(1) << 52;
    else
        shift--;
    return shift;
}

/* Returns value * unit as an integer, rounded like printf: to the nearest, halves to even. The
 * result is exact, because a double is an integer times a power of two. `value` must not be
 * negative and must be below FIXED_LIMIT. */
static unsigned __int128 scale_value(double value, uint64_t unit)
{
    uint64_t mantissa;
    int shift = take_apart(value, &mantissa);

    if (shift > 100)
        return 0; /* the value is far below half of the last digit */
    unsigned __int128 product = (unsigned __int128)mantissa * unit;
    unsigned __int128 rest = product & (((unsigned __int128)1 << shift) - 1);
    unsigned __int128 half = (unsigned __int128)1 << (shift - 1);

    product >>= shift;
    return product + (rest > half || (rest == half && (product & 1)));
}

/* Like scale_value, for a unit up to 1000, with which the product fits in 63 bits. */
static inline uint64_t scale_small(double value, uint64_t unit)
{
    uint64_t mantissa, product, rest, half;
    int shift = take_apart(value, &mantissa);

    if (shift > 63)
        return 0;
    product = mantissa * unit;
    half = UINT64_C(1) << (shift - 1);
    rest = product & (2 * half - 1);
    product >>= shift;
    return product + (rest > half || (rest == half && (product & 1)));
}

/* Writes thousandths as a number with a decimal point; *places is the number of decimals without
 * trailing zeros. */
static inline size_t put_thousandths(char *out, uint64_t scaled, unsigned *places)
{
    uint32_t part;
    size_t length;

    if (__builtin_expect(scaled < DIGITS_8, 1))
        return digits_put_parts(out, (uint32_t)scaled, places);
    length = digits_put(out, scaled / 1000);
    part = (uint32_t)(digits_split((uint32_t)(scaled % 1000)) >> 40);
    *places = part ? 4 - (unsigned)__builtin_clz(part) / 8 : 0;
    part = part << 8 | 0x30303000 | '.';
    memcpy(out + length, &part, sizeof part);
    return length;
}

/* Writes a number with any number of decimals. */
static size_t put_decimals(char *out, double value, int decimals)
{
    const uint64_t unit = digits_tens[decimals];
    unsigned __int128 scaled = scale_value(value, unit);
    uint64_t whole, digits;
    size_t length;

    if (scaled >> 64) {
        whole = (uint64_t)(scaled / unit);
        digits = (uint64_t)(scaled % unit);
    } else {
        whole = (uint64_t)scaled / unit;
        digits = (uint64_t)scaled % unit;
    }
    length = digits_put(out, whole);
    if (decimals) {
        out[length++] = '.';
        for (int at = decimals; at-- > 0; digits /= 10)
            out[length + (size_t)at] = (char)('0' + digits % 10);
        length += (size_t)decimals;
    }
    return length;
}

/* Writes a number with six decimals, for a number that then has at most eight digits. */
static size_t put_millionths(char *out, double value)
{
    uint64_t scaled = (uint64_t)scale_value(value, 1000000), text;
    size_t length = digits_put(out, scaled / 1000000);

    text = (digits_split((uint32_t)(scaled % 1000000)) | DIGITS_ASCII) >> 16;
    out[length] = '.';
    memcpy(out + length + 1, &text, sizeof text);
    return length + 7;
}

size_t strobe_format_fixed(char *out, double value, int decimals)
{
    const double size = fabs(value);
    size_t length = 0;
    unsigned places;

    if (!(size < FIXED_LIMIT))
        return strobe_format_double(out, value);
    if (signbit(value))
        out[length++] = '-';
    if (decimals == 3)
        length += put_thousandths(out + length, scale_small(size, 1000), &places) + 4;
    else if (decimals == 0)
        length += digits_put(out + length, scale_small(size, 1));
    else if (decimals == 6 && size < DIGITS_8)
        length += put_millionths(out + length, size);
    else
        length += put_decimals(out + length, size, decimals);
    out[length] = '\0';
    return length;
}

static size_t trim_zeros(char *out, size_t length, int keep_one)
{
    while (out[length - 1] == '0')
        length--;
    if (out[length - 1] == '.')
        length += keep_one ? 1 : (size_t)-1;
    out[length] = '\0';
    return length;
}

size_t strobe_format_trimmed(char *out, double value, int decimals, int keep_one)
{
    const double size = fabs(value);
    size_t length = 0;
    unsigned places;

    if (decimals != 3 || !(size < FIXED_LIMIT)) {
        length = strobe_format_fixed(out, value, decimals);
        return decimals && size < FIXED_LIMIT ? trim_zeros(out, length, keep_one) : length;
    }
    if (signbit(value))
        out[length++] = '-';
    length += put_thousandths(out + length, scale_small(size, 1000), &places);
    length += places ? places + 1 : keep_one ? 2 : 0;
    out[length] = '\0';
    return length;
}

/* ---- reading ---- */

typedef struct Text {
    const char *bytes;
    size_t length;
} Text;

static Text without_blanks(const char *bytes, size_t length)
{
    while (length && (*bytes == ' ' || *bytes == '\t'))
        bytes++, length--;
    while (length && strchr(" \t\r", bytes[length - 1]))
        length--;
    return (Text){bytes, length};
}

/* Reads an integer of 64 bits, signed or unsigned. */
static int read_whole(Text text, StrobeCellValue *value)
{
    int negative = text.length && text.bytes[0] == '-';
    uint64_t size = 0;
    size_t i = (size_t)negative;

    if (i == text.length)
        return -1;
    for (; i < text.length; i++) {
        unsigned digit = (unsigned)text.bytes[i] - '0';

        if (digit > 9 || __builtin_mul_overflow(size, 10u, &size) ||
            __builtin_add_overflow(size, digit, &size))
            return -1;
    }
    if (negative && size > (uint64_t)1 << 63)
        return -1;
    value->type = STROBE_CELL_WHOLE;
    value->whole = (int64_t)(negative ? -size : size);
    value->is_unsigned = !negative && size > INT64_MAX;
    value->real = negative ? -(double)size : (double)size;
    return 0;
}

/* Reads any decimal number. Passes it to strtod with the decimal point of the locale. */
static int read_real(Text text, double *value)
{
    const char *point = localeconv()->decimal_point;
    char copy[TEXT_MAX + 16];
    size_t n = 0;
    char *end;

    if (text.length == 0 || text.length > TEXT_MAX || strlen(point) > 8)
        return -1;
    for (size_t i = 0; i < text.length; i++) {
        char c = text.bytes[i];

        if (!strchr("0123456789+-.eE", c) || !c)
            return -1;
        if (c != '.') {
            copy[n++] = c;
            continue;
        }
        if (n + strlen(point) > TEXT_MAX)
            return -1;
        n += (size_t)snprintf(copy + n, sizeof copy - n, "%s", point);
    }
    copy[n] = '\0';
    errno = 0;
    *value = strtod(copy, &end);
    return end == copy + n && isfinite(*value) ? 0 : -1;
}

static int set_real(Text text, double factor, StrobeCellValue *value)
{
    if (read_real(text, &value->real))
        return -1;
    value->real *= factor;
    value->type = STROBE_CELL_REAL;
    return 0;
}

/* The digits up to the third decimal give the ns, and further decimals give `rest`: "12.345678" is
 * 12345 ns and a rest of 0.678. */
int strobe_read_us(const char *bytes, size_t length, int64_t *ns, double *rest)
{
    Text text = without_blanks(bytes, length);
    int negative = text.length && text.bytes[0] == '-';
    uint64_t size = 0, below = 0;
    int decimals = -1; /* number of decimals so far; -1: before the point */
    size_t i = (size_t)negative;
    double unit = 1;

    if (i == text.length)
        return -1;
    for (; i < text.length; i++) {
        unsigned digit = (unsigned)text.bytes[i] - '0';

        if (text.bytes[i] == '.' && decimals < 0) {
            decimals = 0;
        } else if (digit > 9) {
            return -1;
        } else if (decimals >= 3) {
            if (decimals++ < 18) {
                below = below * 10 + digit;
                unit *= 10;
            }
        } else {
            if (__builtin_mul_overflow(size, 10u, &size) ||
                __builtin_add_overflow(size, digit, &size))
                return -1;
            decimals += decimals >= 0;
        }
    }
    for (int places = decimals < 0 ? 0 : decimals; places < 3; places++)
        if (__builtin_mul_overflow(size, 10u, &size))
            return -1;
    if (size > INT64_MAX)
        return -1;
    *ns = negative ? -(int64_t)size : (int64_t)size;
    if (rest)
        *rest = (negative ? -1 : 1) * (double)below / unit;
    return 0;
}

static int read_us(Text text, StrobeCellValue *value)
{
    if (memchr(text.bytes, 'e', text.length) || memchr(text.bytes, 'E', text.length))
        return set_real(text, 1000, value);
    if (strobe_read_us(text.bytes, text.length, &value->whole, &value->rest))
        return -1;
    value->type = STROBE_CELL_WHOLE;
    value->real = (double)value->whole + value->rest;
    return 0;
}

/* Reads "NPU:3" or "CPU". */
static int read_device(Text text, StrobeCellValue *value)
{
    if (text.length == 3 && memcmp(text.bytes, "CPU", 3) == 0) {
        value->type = STROBE_CELL_WHOLE;
        value->whole = -1;
        value->real = -1;
        return 0;
    }
    if (text.length < 5 || memcmp(text.bytes, "NPU:", 4))
        return -1;
    return read_whole((Text){text.bytes + 4, text.length - 4}, value);
}

static int is_fraction(Text text)
{
    for (size_t i = 0; i < text.length; i++)
        if (strchr(".eE", text.bytes[i]))
            return 1;
    return 0;
}

int strobe_cell_read(const StrobeColumn *column, const char *bytes, size_t length,
                     StrobeCellValue *value)
{
    Text text = without_blanks(bytes, length);

    *value = (StrobeCellValue){.type = STROBE_CELL_ABSENT};
    if (text.length == 0 || (column->absent && strlen(column->absent) == text.length &&
                             memcmp(column->absent, text.bytes, text.length) == 0))
        return 0;
    switch (column->cell) {
    case STROBE_CELL_US_REPR:
    case STROBE_CELL_US_FIXED:
    case STROBE_CELL_US_TAB:
    case STROBE_CELL_US_TRIM:
    case STROBE_CELL_US_FIXED6:
        return read_us(text, value);
    case STROBE_CELL_KB:
        return set_real(text, 1024, value);
    case STROBE_CELL_MB:
    case STROBE_CELL_MB_FIXED3:
        return set_real(text, 1048576, value);
    case STROBE_CELL_DEVICE:
        return read_device(text, value);
    default:
        if (is_fraction(text))
            return set_real(text, 1, value);
        return read_whole(text, value);
    }
}

/* ---- storing ---- */

/* Converts the value to an integer; returns 0 if it is not between `least` and `greatest`. */
static int as_whole(const StrobeCellValue *value, int64_t least, int64_t greatest, int64_t *out)
{
    if (value->type == STROBE_CELL_WHOLE) {
        *out = value->whole;
        return !value->is_unsigned && *out >= least && *out <= greatest;
    }
    if (!(fabs(value->real) < 9e18))
        return 0;
    *out = llround(value->real);
    return *out >= least && *out <= greatest;
}

static int store_unsigned(const StrobeCellValue *value, void *field)
{
    int64_t whole;

    if (value->type == STROBE_CELL_WHOLE && value->is_unsigned)
        whole = value->whole;
    else if (!as_whole(value, 0, INT64_MAX, &whole))
        return -1;
    memcpy(field, &whole, sizeof whole);
    return 0;
}

int strobe_cell_store(const StrobeCellValue *value, uint32_t type, void *field)
{
    static const struct {
        uint32_t type;
        int64_t least, greatest;
    } ranges[] = {
        {STROBE_FIELD_U8, 0, UINT8_MAX},          {STROBE_FIELD_BOOL, 0, 1},
        {STROBE_FIELD_U32, 0, UINT32_MAX},        {STROBE_FIELD_I32, INT32_MIN, INT32_MAX},
        {STROBE_FIELD_I64, INT64_MIN, INT64_MAX},
    };
    int64_t whole;

    if (value->type == STROBE_CELL_ABSENT)
        return 0;
    if (type == STROBE_FIELD_F64) {
        memcpy(field, &value->real, sizeof value->real);
        return 0;
    }
    if (type == STROBE_FIELD_U64 || type == STROBE_FIELD_LINK)
        return store_unsigned(value, field);
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        if (ranges[i].type == type) {
            if (!as_whole(value, ranges[i].least, ranges[i].greatest, &whole))
                return -1;
            memcpy(field, &whole, strobe_field_size(type)); /* little endian */
            return 0;
        }
    return -1;
}

/* ---- numbers as the Python of the Ascend PyTorch Profiler computes them ---- */

#define WHOLE_MAX (INT64_C(1) << 53) /* a double can hold all integers up to this */
#define EXACT_DIGITS 15              /* a double can hold any integer with this many digits */

double strobe_us_of_ns(int64_t ns)
{
    if (ns >= -WHOLE_MAX && ns <= WHOLE_MAX)
        return (double)ns / 1000.0; /* the nearest double; the sum below may differ from it */
    /* A time since the epoch has more digits than a double can hold; its two parts have fewer.
     * */
    return (double)(ns / 1000) + (double)(ns % 1000) / 1000.0;
}

double strobe_round_decimals(double value, int decimals)
{
    static const double units[] = {1, 10, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
    char text[STROBE_NUMBER_MAX];
    uint64_t digits = 0;
    size_t length;
    double rounded;

    if (!isfinite(value) || fabs(value) > FIXED_LIMIT)
        return value;
    length = strobe_format_fixed(text, value, decimals);
    if (length > EXACT_DIGITS)
        return read_real((Text){text, length}, &rounded) ? value : rounded;
    /* Dividend and divisor are exact doubles, so the quotient is the double that is nearest to the
     * text. */
    for (const char *at = text; *at; at++)
        if (*at >= '0' && *at <= '9')
            digits = digits * 10 + (uint64_t)(*at - '0');
    return copysign((double)digits / units[decimals], value);
}

double strobe_view_exact_us(const StrobeView *record, uint32_t offset)
{
    const double exact = strobe_field_f64(record, offset, NAN);

    return isnan(exact) ? strobe_us_of_ns(record->end_ns - record->begin_ns) : exact;
}
