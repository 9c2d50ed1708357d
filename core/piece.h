/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pieces of a capture that rolls over: the newest is always capture.strobe, those before it
 * capture.00000.strobe and so on. Each repeats all definitions. libc only.
 */
#ifndef STROBE_CORE_PIECE_H
#define STROBE_CORE_PIECE_H

#include <stddef.h>
#include <stdint.h>

/* When a piece ends, and how many are kept; 0: no limit. */
typedef struct StrobePieceLimits {
    uint64_t bytes;
    int64_t ns;
    uint32_t keep;     /* pieces, the newest included */
    uint32_t on_demand; /* strobe_drain_roll() is called */
} StrobePieceLimits;

typedef struct StrobePieces {
    StrobePieceLimits limits;
    int folder;      /* descriptor of the capture's folder, -1: the capture does not roll */
    char *facts;     /* repeated in each piece */
    uint32_t number; /* of the present one, from 0 */
    int64_t begun_ns;
    uint64_t due_bytes; /* rolls at this size */
} StrobePieces;

#define STROBE_PIECE_NEW "capture.strobe.new"

/* Name of an old piece. */
void strobe_piece_name(uint32_t number, char name[32]);

int strobe_piece_limits_any(const StrobePieceLimits *limits);
/* For a window whose capture is `path`. Returns 0 or an errno value. */
int strobe_pieces_begin(StrobePieces *pieces, const StrobePieceLimits *limits, const char *path,
                        const char *facts, int64_t now_ns);
void strobe_pieces_end(StrobePieces *pieces);
/* Is the present piece, of that many bytes, to end? */
int strobe_piece_is_due(const StrobePieces *pieces, uint64_t bytes, int64_t now_ns);

#endif
