/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes and reads numbers in table cells, in the formats of the result files: exporters write the
 * numbers, and importers read them in the same formats. Independent of the locale. libc only; any
 * thread. Since 1.0.
 */
#ifndef STROBE_HELPERS_CELL_NUMBER_H
#define STROBE_HELPERS_CELL_NUMBER_H

#include <strobe/helpers/number.h>
#include <strobe/helpers/table.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Writes `value` with `decimals` decimals (at most 9), correctly rounded, for example "48.680" or
 * "833.420000". */
size_t strobe_format_fixed(char *out, double value, int decimals);
/* Like strobe_format_fixed, without trailing zeros, for example "666.3", "5" or, with `keep_one`,
 * "5.0". */
size_t strobe_format_trimmed(char *out, double value, int decimals, int keep_one);

/* Rounds to `decimals` decimals (at most 9) like Python's round(): by the exact value of the
 * double, halves to even. A value above 1e15 stays as it is. */
double strobe_round_decimals(double value, int decimals);

/* Converts ns to microseconds: returns the double that Python reads from the text with three
 * decimals, such as "12.345". */
double strobe_us_of_ns(int64_t ns);
/* Returns a record's duration in microseconds, with all digits of its source: the field exact_us at
 * `offset`, or end minus begin if that field is absent or `offset` is STROBE_FIELD_MISSING. */
double strobe_view_exact_us(const StrobeView *record, uint32_t offset);

/* A value in the unit of its field. */
typedef struct StrobeCellValue {
    enum { STROBE_CELL_ABSENT = 0, STROBE_CELL_WHOLE = 1, STROBE_CELL_REAL = 2 } type;
    int64_t whole; /* value of type WHOLE; if is_unsigned is set, the bits of a number above
                      INT64_MAX */
    int32_t is_unsigned;
    double real; /* value of type WHOLE or REAL, as a double */
    double rest; /* for a time in microseconds: the part below 1 ns, usually 0 */
} StrobeCellValue;

/* Reads a cell's text in the column's format, as strobe_table_cell writes it. Skips surrounding
 * blanks and TABs. "" and the column's text for absent values give ABSENT. Returns 0, or -1 if the
 * text is not a number in this format or needs more than 64 bits. */
int strobe_cell_read(const StrobeColumn *column, const char *text, size_t length,
                     StrobeCellValue *value);

/* Stores the value in a field of type `type`, rounded if the field is an integer. Returns 0, or -1
 * if the field cannot hold the value. On -1, and for an absent value, the field stays unchanged. */
int strobe_cell_store(const StrobeCellValue *value, uint32_t type, void *field);

/* Converts microseconds as decimal text to ns; `rest` (may be NULL) receives the part below 1
 * ns. Returns 0 or -1. */
int strobe_read_us(const char *text, size_t length, int64_t *ns, double *rest);

#if defined(__cplusplus)
}
#endif

#endif
