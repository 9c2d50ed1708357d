/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of open spans that lie beside their records.
 *
 * A span's record is written when it ends, and by then the string written at its begin may be
 * forgotten, overwritten or in an earlier piece. So the lane keeps the bytes while the span is
 * open, and they are written once more, just before its record. libc only.
 */
#ifndef STROBE_CORE_SPAN_NAMES_H
#define STROBE_CORE_SPAN_NAMES_H

#include <strobe/collector.h>
#include "pool.h"

/* A span's name that is kept: these bits and where its bytes begin in the lane's names. */
#define STROBE_NAME_IS_KEPT (STROBE_STRING_BESIDE | STROBE_STRING_OF_SPAN)

#define STROBE_SPAN_NAME_MAX 1024u /* bytes; longer ones are not kept */

/* Words of an unfinished span at most, its name before it. */
#define STROBE_UNFINISHED_WORDS_MAX (2u + STROBE_SPAN_NAME_MAX / 8u + STROBE_UNFINISHED_WORDS)

static inline int strobe_name_is_kept(uint32_t name)
{
    return (name & STROBE_NAME_IS_KEPT) == STROBE_NAME_IS_KEPT;
}

/* What a span that is about to be opened is to be called, given the id of a string beside its
 * record: its bytes are kept if the string was just written and there is room. Inside a bracket. */
uint32_t strobe_span_name_keep(StrobeWriter *writer, uint32_t id);
/* Writes a name that the lane keeps into the writer's block; returns its id. Inside a bracket. */
uint32_t strobe_span_name_write(StrobeWriter *writer, const struct pool_lane *lane, uint32_t name);

/* Lays out the record that an open span of the lane leaves behind, and before it its name, if that
 * is kept, as a string of this id. Returns the words, 0 when the span ends just now. */
uint32_t strobe_unfinished_words(const struct pool_lane *lane, const struct pool_span *span,
                                 uint32_t track, uint64_t end, uint32_t string_id,
                                 uint64_t out[STROBE_UNFINISHED_WORDS_MAX]);

#endif
