/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers in the cells of a table, in the forms that the result files use: written by exporters,
 * read back by importers, by one and the same format. Independent of the locale. libc only; any
 * thread. Since 1.0.
 */
#ifndef STROBE_HELPERS_CELL_NUMBER_H
#define STROBE_HELPERS_CELL_NUMBER_H

#include <strobe/helpers/number.h>
#include <strobe/helpers/table.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* `value` with `decimals` of them (at most 9), correctly rounded: "48.680", "833.420000". */
size_t strobe_format_fixed(char *out, double value, int decimals);
/* The same without zeros at the end: "666.3", "5" and, with `keep_one`, "5.0". */
size_t strobe_format_trimmed(char *out, double value, int decimals, int keep_one);

/* A value in the unit of the field that it belongs to. */
typedef struct StrobeCellValue {
    enum { STROBE_CELL_ABSENT = 0, STROBE_CELL_WHOLE = 1, STROBE_CELL_REAL = 2 } type;
    int64_t whole; /* WHOLE; a number over INT64_MAX has its bits here and is_unsigned set */
    int32_t is_unsigned;
    double real; /* both */
    double rest; /* of a time read from microseconds: what it has below the ns, 0 mostly */
} StrobeCellValue;

/* Reads the text of a cell of the column's form: what strobe_table_cell writes. Blanks and a TAB
 * around it are skipped; "" and the column's text for what is absent are ABSENT. 0, or -1 for
 * anything else that is no number of this form, or beyond 64 bits. */
int strobe_cell_read(const StrobeColumn *column, const char *text, size_t length,
                     StrobeCellValue *value);

/* Puts the value into a field of that type, rounded where the field is whole. 0, or -1 when the
 * field cannot hold it (it is left alone). An absent value is left alone too. */
int strobe_cell_store(const StrobeCellValue *value, uint32_t type, void *field);

/* Microseconds as decimal text into ns; `rest` (may be NULL) is what is below. 0 or -1. */
int strobe_read_us(const char *text, size_t length, int64_t *ns, double *rest);

#if defined(__cplusplus)
}
#endif

#endif
