/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads CSV of any size row by row, in the memory of its longest row: cells quoted or not, quotes
 * doubled, newlines in quoted cells, rows ended by LF or CR LF. libc only. One scanner, one thread.
 * Since 1.0.
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
    const char *bytes; /* quotes undone; NUL behind it */
    size_t length;
} StrobeCsvCell;

enum {
    STROBE_CSV_END = 0,
    STROBE_CSV_ROW = 1,
    STROBE_CSV_DAMAGED = -1, /* a row over the limits, or a quote that is not closed; the next call
                                goes on behind it */
    STROBE_CSV_IO = -2       /* errno */
};

#define STROBE_CSV_ROW_MAX (16u << 20)
#define STROBE_CSV_CELLS_MAX 4096u

/* Reads from the descriptor (lent) where it stands. NULL: out of memory. */
StrobeCsvScanner *strobe_csv_scanner_new(int descriptor);
void strobe_csv_scanner_free(StrobeCsvScanner *scanner);

/* The next row that is not empty; the cells are valid until the next call. */
int strobe_csv_scanner_next(StrobeCsvScanner *scanner, const StrobeCsvCell **cells, size_t *n);

uint64_t strobe_csv_scanner_row(const StrobeCsvScanner *scanner); /* of the last row, from 1 */
/* Where the last row begins in the file, and going there to read it once more: the next call gives
 * it. 0, or -1: errno. */
uint64_t strobe_csv_scanner_place(const StrobeCsvScanner *scanner);
int strobe_csv_scanner_go(StrobeCsvScanner *scanner, uint64_t place);
const char *strobe_csv_scanner_error(const StrobeCsvScanner *scanner); /* of a damaged row */

#if defined(__cplusplus)
}
#endif

#endif
