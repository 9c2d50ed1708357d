/* SPDX-License-Identifier: Apache-2.0 */
#include "svp-numbers.h"

#include <stdio.h>
#include <string.h>

__extension__ typedef unsigned __int128 Wide;

static size_t put_absent(char *out)
{
    strcpy(out, "N/A");
    return 3;
}

/* Writes a number with decimals; `scaled` is the number in units of its last decimal. */
static size_t put_scaled(char *out, uint64_t scaled, unsigned decimals)
{
    uint64_t unit = 1;

    for (unsigned i = 0; i < decimals; i++)
        unit *= 10;
    if (decimals == 0)
        return (size_t)snprintf(out, SVP_NUMBER_MAX, "%llu", (unsigned long long)scaled);
    return (size_t)snprintf(out, SVP_NUMBER_MAX, "%llu.%0*llu", (unsigned long long)(scaled / unit),
                            (int)decimals, (unsigned long long)(scaled % unit));
}

size_t svp_format_ratio(char out[SVP_NUMBER_MAX], uint64_t part, uint64_t whole, uint32_t factor,
                        unsigned decimals)
{
    Wide numerator = (Wide)part * factor;

    if (part == SVP_ABSENT || whole == SVP_ABSENT || whole == 0)
        return put_absent(out);
    for (unsigned i = 0; i < decimals; i++)
        numerator *= 10;
    const Wide rounded = (numerator * 2 + whole) / ((Wide)whole * 2);
    return put_scaled(out, rounded > UINT64_MAX ? UINT64_MAX : (uint64_t)rounded, decimals);
}

size_t svp_format_us(char out[SVP_NUMBER_MAX], uint64_t ns)
{
    return put_scaled(out, ns, 3);
}

size_t svp_format_whole(char out[SVP_NUMBER_MAX], uint64_t value)
{
    return value == SVP_ABSENT ? put_absent(out) : put_scaled(out, value, 0);
}

uint64_t svp_divide(uint64_t sum, uint64_t n)
{
    return n ? (uint64_t)(((Wide)sum * 2 + n) / ((Wide)n * 2)) : 0;
}
