/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of many records, composed side by side and put into their files in order. */
#ifndef STROBE_CSV_CSV_PIECES_H
#define STROBE_CSV_CSV_PIECES_H

#include "csv-rows.h"

typedef struct CsvPieces CsvPieces;

/* NULL: there is but one thread. `context` is lent. */
CsvPieces *csv_pieces_new(CsvContext *context);
void csv_pieces_free(CsvPieces *pieces); /* NULL is allowed */

/* As csv_rows_add(), though not before csv_pieces_flush() for certain: until then the record stays
 * as it is. On an error *failed are the rows that it is of. */
int csv_pieces_add(CsvPieces *pieces, CsvRows *rows, const StrobeView *record, CsvRows **failed);
int csv_pieces_flush(CsvPieces *pieces, CsvRows **failed);

#endif
