/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events composed by several threads: records for which all is done that depends on the order
 * (rows, arrows, kinds) are cut into pieces. One thread composes pieces from the first one on,
 * others from the last one on, until they meet. When all lengths are known each has its place in
 * the file, and who has composed it writes it there, while the next ones are composed: with two
 * threads hardly a byte goes from one processor to the other. A piece alone goes straight into the
 * file; what is compressed is written in order.
 */
#ifndef STROBE_CHROME_TRACE_TRACE_PIECES_H
#define STROBE_CHROME_TRACE_TRACE_PIECES_H

#include "trace-state.h"

typedef struct TracePieces TracePieces;

/* NULL: there is one thread. */
TracePieces *trace_pieces_new(ChromeTrace *trace);
void trace_pieces_free(TracePieces *pieces); /* NULL is allowed */

/* An event of the part that goes straight to the file, composed by the next flush for certain:
 * until then the record stays as it is. */
void trace_pieces_add(TracePieces *pieces, const TraceKind *kind, const StrobeView *record,
                      const TraceRow *row);
void trace_pieces_flush(TracePieces *pieces);

/* What a part holds back; no more comes. `pieces` NULL: by one thread. */
void trace_pieces_write_held(TracePieces *pieces, ChromeTrace *trace, TraceHeld *held);
void trace_pieces_write_sorted(TracePieces *pieces, ChromeTrace *trace, TraceSorter *sorter);
/* All that was composed is in the file. NULL is allowed. */
void trace_pieces_finish(TracePieces *pieces);

#endif
