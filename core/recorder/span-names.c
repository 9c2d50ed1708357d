/* SPDX-License-Identifier: Apache-2.0 */
#include "span-names.h"

#include <string.h>

uint32_t strobe_name_length(const struct pool_thread_buffer *thread_buffer, uint32_t place)
{
    uint64_t length;

    if (place >= STROBE_POOL_NAME_WORDS)
        return UINT32_MAX;
    length = atomic_load_explicit(&thread_buffer->names[place], memory_order_relaxed);
    return length <= STROBE_SPAN_NAME_MAX &&
                   STROBE_NAME_WORDS(length) < STROBE_POOL_NAME_WORDS - place
               ? (uint32_t)length
               : UINT32_MAX;
}

void strobe_name_copy(const struct pool_thread_buffer *thread_buffer, uint32_t place,
                      uint32_t n_words, uint64_t *out)
{
    for (uint32_t i = 0; i < n_words; i++)
        out[i] = atomic_load_explicit(&thread_buffer->names[place + 1 + i], memory_order_relaxed);
}

uint32_t strobe_unfinished_words(const struct pool_thread_buffer *thread_buffer,
                                 const struct pool_span *span, uint32_t track, uint64_t end,
                                 uint32_t string_id, uint64_t out[STROBE_UNFINISHED_WORDS_MAX])
{
    uint64_t record[STROBE_UNFINISHED_WORDS];
    uint32_t words = 0, length;

    if (!strobe_pool_span_words(span, track, end, record))
        return 0;
    if (strobe_name_is_kept((uint32_t)(record[0] >> 32))) {
        uint32_t place = strobe_name_place((uint32_t)(record[0] >> 32));
        length = strobe_name_length(thread_buffer, place);
        record[0] = (uint32_t)record[0];
        if (length != UINT32_MAX) {
            words = 2 + STROBE_NAME_WORDS(length);
            out[0] = (uint64_t)string_id << 32 | (uint64_t)STROBE_KIND_STRING << 16 | words;
            out[1] = length;
            strobe_name_copy(thread_buffer, place, words - 2, out + 2);
            record[0] |= (uint64_t)string_id << 32;
        }
        atomic_thread_fence(memory_order_acquire);
        if (atomic_load_explicit(&span->begin, memory_order_relaxed) != record[1])
            return 0;
    }
    memcpy(out + words, record, sizeof record);
    return words + STROBE_UNFINISHED_WORDS;
}
