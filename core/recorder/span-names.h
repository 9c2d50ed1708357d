/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inline names of open spans.
 *
 * A span's record is written at the span's end. By then the inline string that was written at the
 * span's begin may be overwritten or in an earlier segment. So the thread buffer keeps the bytes
 * while the span is open and writes them again just before the span's record. libc only.
 */
#ifndef STROBE_CORE_SPAN_NAMES_H
#define STROBE_CORE_SPAN_NAMES_H

#include "pool.h"

/* A span's name has these bits if the thread buffer keeps its bytes; the other bits are then the
 * position of the bytes in the thread buffer's names. */
#define STROBE_NAME_IS_KEPT (STROBE_STRING_INLINE | STROBE_STRING_OF_SPAN)

#define STROBE_SPAN_NAME_MAX 1024u /* bytes; longer names are not kept */

/* Maximum words of an unfinished span, including its name. */
#define STROBE_UNFINISHED_WORDS_MAX (2u + STROBE_SPAN_NAME_MAX / 8u + STROBE_UNFINISHED_WORDS)

static inline int strobe_name_is_kept(uint32_t name)
{
    return (name & STROBE_NAME_IS_KEPT) == STROBE_NAME_IS_KEPT;
}

/* Number of words of a name of `bytes` bytes. */
#define STROBE_NAME_WORDS(bytes) (((bytes) + 7u) / 8u)

/* Returns the position of a kept name in the thread buffer's names: the word there is the name's
 * length, and its bytes follow. */
static inline uint32_t strobe_name_place(uint32_t name)
{
    return name & ~STROBE_NAME_IS_KEPT;
}

/* Returns the length of the name at `place`, UINT32_MAX if the length is invalid (a damaged pool,
 * or a concurrent change). */
uint32_t strobe_name_length(const struct pool_thread_buffer *thread_buffer, uint32_t place);
/* Copies the words of the name at `place`. */
void strobe_name_copy(const struct pool_thread_buffer *thread_buffer, uint32_t place,
                      uint32_t n_words, uint64_t *out);

/* Writes the record of an open span of the thread buffer to `out`. If the buffer keeps the span's
 * name, the name precedes the record as an inline string with this id. Returns the number of words,
 * 0 if the span ends at this moment. */
uint32_t strobe_unfinished_words(const struct pool_thread_buffer *thread_buffer,
                                 const struct pool_span *span, uint32_t track, uint64_t end,
                                 uint32_t string_id, uint64_t out[STROBE_UNFINISHED_WORDS_MAX]);

#endif
