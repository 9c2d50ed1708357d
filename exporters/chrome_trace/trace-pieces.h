/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events composed by several threads: a batch is gone through in order once, for what depends on
 * the order (rows, arrows, kinds), and cut into pieces, each composed into memory of its own. Their
 * bytes are joined in order.
 */
#ifndef STROBE_CHROME_TRACE_TRACE_PIECES_H
#define STROBE_CHROME_TRACE_TRACE_PIECES_H

#include "chrome-trace.h"

typedef struct TracePieces TracePieces;

/* NULL: there is one thread, or the file's form has all its events in one order. */
TracePieces *trace_pieces_new(ChromeTrace *trace);
void trace_pieces_free(TracePieces *pieces);

/* As if each were written by its kind's writer. */
void trace_pieces_write(TracePieces *pieces, const StrobeView *records, gsize n);

#endif
