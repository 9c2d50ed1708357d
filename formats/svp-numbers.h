/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers in a board's tables. They are computed with integers only, and rounded half away from
 * zero. libc only. */
#ifndef STROBE_FORMATS_SVP_NUMBERS_H
#define STROBE_FORMATS_SVP_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

#define SVP_NUMBER_MAX 48u
#define SVP_ABSENT UINT64_MAX

/* Writes part × factor / whole with `decimals` decimals; "N/A" if `part` or `whole` is absent or
 * `whole` is 0. Returns the length. */
size_t svp_format_ratio(char out[SVP_NUMBER_MAX], uint64_t part, uint64_t whole, uint32_t factor,
                        unsigned decimals);
/* Writes ns as microseconds with three decimals. Returns the length. */
size_t svp_format_us(char out[SVP_NUMBER_MAX], uint64_t ns);
/* Writes an integer; "N/A" if the value is absent. Returns the length. */
size_t svp_format_whole(char out[SVP_NUMBER_MAX], uint64_t value);
/* Returns sum / n, rounded. */
uint64_t svp_divide(uint64_t sum, uint64_t n);

#endif
