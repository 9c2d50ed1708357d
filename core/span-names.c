/* SPDX-License-Identifier: Apache-2.0 */
#include "span-names.h"

#include <string.h>
#include "lane-inline.h"

#define STRING_WORDS(bytes) (((bytes) + 7u) / 8u)

/* In the lane's names: length, bytes. */
static uint32_t place_of(uint32_t name)
{
    return name & ~STROBE_NAME_IS_KEPT;
}

/* Length of a kept name, UINT32_MAX if there cannot be one (a damaged pool, a change just now). */
static uint32_t length_at(const struct pool_lane *lane, uint32_t place)
{
    uint64_t length;

    if (place >= STROBE_POOL_NAME_WORDS)
        return UINT32_MAX;
    length = atomic_load_explicit(&lane->names[place], memory_order_relaxed);
    return length <= STROBE_SPAN_NAME_MAX && STRING_WORDS(length) < STROBE_POOL_NAME_WORDS - place
               ? (uint32_t)length
               : UINT32_MAX;
}

static void copy_words(const struct pool_lane *lane, uint32_t place, uint32_t n, uint64_t *out)
{
    for (uint32_t i = 0; i < n; i++)
        out[i] = atomic_load_explicit(&lane->names[place + 1 + i], memory_order_relaxed);
}

/* ---- the lane's own thread ---- */

/* The first free word: behind the name of the innermost open span that has one here. */
static uint32_t free_place(const StrobeWriter *w)
{
    for (uint32_t i = w->depth; i-- > 0;) {
        uint32_t name = strobe_span_name(head_of(span_at(w, i)));
        if (strobe_name_is_kept(name))
            return place_of(name) + 1 + STRING_WORDS(length_at(w->lane, place_of(name)));
    }
    return 0;
}

/* Spans above the stack's top have ended, and their names are overwritten now: whoever looks at one
 * of them still must notice. */
static void forget_ended(StrobeWriter *w)
{
    for (uint32_t i = w->depth; i < w->names_high; i++)
        atomic_store_explicit(&span_at(w, i)->begin, 0, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    w->names_high = w->depth + 1;
}

/* The record of a string beside, if the lane wrote it lately into its present block. */
static const uint64_t *find_beside(const StrobeWriter *w, uint32_t id)
{
    for (uint32_t i = 0; w->block && i < LANE_BESIDE; i++) {
        const uint64_t *record = (const uint64_t *)(w->block + 1) + w->beside[i];
        if ((const char *)record < w->cursor &&
            record[0] >> 16 == ((uint64_t)id << 16 | STROBE_KIND_STRING))
            return record;
    }
    return NULL;
}

uint32_t strobe_span_name_keep(StrobeWriter *w, uint32_t id)
{
    const uint64_t *record = find_beside(w, id);
    uint32_t place = record ? free_place(w) : 0;

    /* A stack is no name, and has a length beyond any. */
    if (!record || record[1] > STROBE_SPAN_NAME_MAX ||
        place + 1 + STRING_WORDS(record[1]) > STROBE_POOL_NAME_WORDS)
        return id;
    forget_ended(w);
    for (uint32_t i = 0; i <= STRING_WORDS(record[1]); i++)
        atomic_store_explicit(&w->lane->names[place + i], record[1 + i], memory_order_relaxed);
    return STROBE_NAME_IS_KEPT | place;
}

uint32_t strobe_span_name_write(StrobeWriter *w, const struct pool_lane *lane, uint32_t name)
{
    uint64_t bytes[STRING_WORDS(STROBE_SPAN_NAME_MAX)];
    uint32_t length = length_at(lane, place_of(name));

    if (length == UINT32_MAX)
        return 0;
    copy_words(lane, place_of(name), STRING_WORDS(length), bytes);
    return strobe_lane_write_beside(w, bytes, length, 0);
}

/* ---- others ---- */

uint32_t strobe_unfinished_words(const struct pool_lane *lane, const struct pool_span *span,
                                 uint32_t track, uint64_t end, uint32_t string_id,
                                 uint64_t out[STROBE_UNFINISHED_WORDS_MAX])
{
    uint64_t record[STROBE_UNFINISHED_WORDS];
    uint32_t words = 0, length;

    if (!strobe_pool_span_words(span, track, end, record))
        return 0;
    if (strobe_name_is_kept((uint32_t)(record[0] >> 32))) {
        uint32_t place = place_of((uint32_t)(record[0] >> 32));
        length = length_at(lane, place);
        record[0] = (uint32_t)record[0];
        if (length != UINT32_MAX) {
            words = 2 + STRING_WORDS(length);
            out[0] = (uint64_t)string_id << 32 | (uint64_t)STROBE_KIND_STRING << 16 | words;
            out[1] = length;
            copy_words(lane, place, words - 2, out + 2);
            record[0] |= (uint64_t)string_id << 32;
        }
        atomic_thread_fence(memory_order_acquire);
        if (atomic_load_explicit(&span->begin, memory_order_relaxed) != record[1])
            return 0;
    }
    memcpy(out + words, record, sizeof record);
    return words + STROBE_UNFINISHED_WORDS;
}
