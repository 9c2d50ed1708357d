/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the inline names of a thread's open spans. */
#include "thread-buffer-inline.h"

/* Returns the position of the first free word of the buffer's names, which is the word after the
 * name of the innermost open span that has a kept name. */
static uint32_t free_place(const StrobeWriter *w)
{
    for (uint32_t i = w->depth; i-- > 0;) {
        uint32_t name = strobe_span_name(head_of(span_at(w, i)));
        if (strobe_name_is_kept(name))
            return strobe_name_place(name) + 1 +
                   STROBE_NAME_WORDS(strobe_name_length(w->thread_buffer, strobe_name_place(name)));
    }
    return 0;
}

/* Changes the entries of ended spans above the top of the stack, because their names are
 * overwritten next: a concurrent reader of such an entry must notice this. */
static void forget_ended(StrobeWriter *w)
{
    for (uint32_t i = w->depth; i < w->names_high; i++)
        atomic_store_explicit(&span_at(w, i)->begin, 0, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    w->names_high = w->depth + 1;
}

/* Returns the record of an inline string if it is one of the last inline strings that this thread
 * wrote into the current block; otherwise NULL. */
static const uint64_t *find_inline(const StrobeWriter *w, uint32_t id)
{
    for (uint32_t i = 0; w->block && i < THREAD_BUFFER_INLINE; i++) {
        const uint64_t *record = (const uint64_t *)(w->block + 1) + w->beside[i];
        if ((const char *)record < w->cursor &&
            record[0] >> 16 == ((uint64_t)id << 16 | STROBE_KIND_STRING))
            return record;
    }
    return NULL;
}

uint32_t strobe_span_name_keep(StrobeWriter *w, uint32_t id)
{
    const volatile uint64_t *record = find_inline(w, id);
    uint32_t place = record ? free_place(w) : 0;
    /* The length is read once, because other processes may change the pool. */
    const uint64_t length = record ? record[1] : 0;

    /* A stack is not a name; its length is above every limit. */
    if (!record || length > STROBE_SPAN_NAME_MAX ||
        place + 1 + STROBE_NAME_WORDS(length) > STROBE_POOL_NAME_WORDS)
        return id;
    forget_ended(w);
    for (uint32_t i = 0; i <= STROBE_NAME_WORDS(length); i++)
        atomic_store_explicit(&w->thread_buffer->names[place + i], record[1 + i],
                              memory_order_relaxed);
    return STROBE_NAME_IS_KEPT | place;
}

uint32_t strobe_span_name_write(StrobeWriter *w, const struct pool_thread_buffer *thread_buffer,
                                uint32_t name)
{
    uint64_t bytes[STROBE_NAME_WORDS(STROBE_SPAN_NAME_MAX)];
    uint32_t length = strobe_name_length(thread_buffer, strobe_name_place(name));

    if (length == UINT32_MAX)
        return 0;
    strobe_name_copy(thread_buffer, strobe_name_place(name), STROBE_NAME_WORDS(length), bytes);
    return strobe_thread_buffer_write_inline(w, bytes, length, 0);
}
