/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads CSV of any size row by row; needs memory for the longest row. Supports quoted cells with
 * doubled quotes and newlines, and rows that end with LF or CR LF. Only one thread at a time may
 * use a scanner. libc only. Since 1.0.
 */
#ifndef STROBE_HELPERS_CSV_SCANNER_H
#define STROBE_HELPERS_CSV_SCANNER_H

#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct StrobeCsvScanner StrobeCsvScanner;

typedef struct StrobeCsvCell {
    const char *bytes; /* unquoted; followed by a NUL */
    size_t length;
} StrobeCsvCell;

enum {
    STROBE_CSV_END = 0,
    STROBE_CSV_ROW = 1,
    STROBE_CSV_DAMAGED = -1, /* a row above the limits, or an unclosed quote; the next call
                                continues after the damage */
    STROBE_CSV_IO = -2       /* an error of read(); see errno */
};

#define STROBE_CSV_ROW_MAX (16u << 20)
#define STROBE_CSV_CELLS_MAX 4096u

/* Reads from the current position of the descriptor (lent). NULL: out of memory. */
StrobeCsvScanner *strobe_csv_scanner_new(int descriptor);
void strobe_csv_scanner_free(StrobeCsvScanner *scanner);

/* Reads the next non-empty row. The cells are valid until the next call. */
int strobe_csv_scanner_next(StrobeCsvScanner *scanner, const StrobeCsvCell **cells, size_t *n);

uint64_t strobe_csv_scanner_row(const StrobeCsvScanner *scanner); /* number of the last row, from
                                                                   * 1 */
/* strobe_csv_scanner_place returns the offset of the last row in the file. strobe_csv_scanner_go
 * goes back to such an offset, so that the next call reads this row again; it returns 0, or -1 with
 * errno. */
uint64_t strobe_csv_scanner_place(const StrobeCsvScanner *scanner);
int strobe_csv_scanner_go(StrobeCsvScanner *scanner, uint64_t place);
/* Returns what is wrong with the last damaged row. */
const char *strobe_csv_scanner_error(const StrobeCsvScanner *scanner);

#if defined(__cplusplus)
}
#endif

#endif
