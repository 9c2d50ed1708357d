/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of open spans that lie beside their records.
 *
 * A span's record is written when it ends, and by then the string written at its begin may be
 * forgotten, overwritten or in an earlier segment. So the thread buffer keeps the bytes while the
 * span is open, and they are written once more, just before its record. libc only.
 */
#ifndef STROBE_CORE_SPAN_NAMES_H
#define STROBE_CORE_SPAN_NAMES_H

#include "pool.h"

/* A span's name that is kept: these bits and where its bytes begin in the thread buffer's names. */
#define STROBE_NAME_IS_KEPT (STROBE_STRING_INLINE | STROBE_STRING_OF_SPAN)

#define STROBE_SPAN_NAME_MAX 1024u /* bytes; longer ones are not kept */

/* Words of an unfinished span at most, its name before it. */
#define STROBE_UNFINISHED_WORDS_MAX (2u + STROBE_SPAN_NAME_MAX / 8u + STROBE_UNFINISHED_WORDS)

static inline int strobe_name_is_kept(uint32_t name)
{
    return (name & STROBE_NAME_IS_KEPT) == STROBE_NAME_IS_KEPT;
}

/* Words of a name of that many bytes. */
#define STROBE_NAME_WORDS(bytes) (((bytes) + 7u) / 8u)

/* Where in the thread buffer's names a kept one is: its length, then its bytes. */
static inline uint32_t strobe_name_place(uint32_t name)
{
    return name & ~STROBE_NAME_IS_KEPT;
}

/* Length of a kept name, UINT32_MAX if there cannot be one (a damaged pool, a change just now). */
uint32_t strobe_name_length(const struct pool_thread_buffer *thread_buffer, uint32_t place);
/* Copies the words of its bytes. */
void strobe_name_copy(const struct pool_thread_buffer *thread_buffer, uint32_t place,
                      uint32_t n_words, uint64_t *out);

/* Lays out the record that an open span of the thread buffer leaves behind, and before it its name,
 * if that is kept, as a string of this id. Returns the words, 0 when the span ends just now. */
uint32_t strobe_unfinished_words(const struct pool_thread_buffer *thread_buffer,
                                 const struct pool_span *span, uint32_t track, uint64_t end,
                                 uint32_t string_id, uint64_t out[STROBE_UNFINISHED_WORDS_MAX]);

#endif
