/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes numbers as text, in the formats of the result files. Each function writes at most
 * STROBE_NUMBER_MAX bytes, including the NUL, and returns the length. libc only; any thread. Since
 * 1.0.
 */
#ifndef STROBE_HELPERS_NUMBER_H
#define STROBE_HELPERS_NUMBER_H

#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define STROBE_NUMBER_MAX 48

size_t strobe_format_int(char *out, int64_t value);
size_t strobe_format_uint(char *out, uint64_t value);
/* Like strobe_format_uint, but makes no call for a number of one digit, and may write no NUL. */
static inline size_t strobe_format_digits(char *out, uint64_t value)
{
    if (value >= 10)
        return strobe_format_uint(out, value);
    *out = (char)('0' + value);
    return 1;
}
/* Writes a double as Python's repr, for example "0.1", "18816.5", "1e+16" or "nan". Independent of
 * the locale. */
size_t strobe_format_double(char *out, double value);
/* Writes the double value / 2^bits as Python's repr, for example bytes in units of 1024 (`bits` 10)
 * or 1024 * 1024 (`bits` 20). `bits` must be below 64. */
size_t strobe_format_binary(char *out, int64_t value, unsigned bits);
/* Writes ns as microseconds with three decimals, for example "1736412474721516.710", "0.012" or
 * "-0.500". */
size_t strobe_format_us_fixed(char *out, int64_t ns);
/* Writes the double ns/1000.0 as Python's repr, for example "89.61" or "310.0". */
size_t strobe_format_us_repr(char *out, int64_t ns);

#if defined(__cplusplus)
}
#endif

#endif
