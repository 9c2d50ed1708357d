/* SPDX-License-Identifier: Apache-2.0 */
/* Spans that end in any order and on any thread. */
#include "mock-internal.h"

#include <string.h>

/* Does the span have a kind with this kind's name? Kinds are compared by name, because a span may
 * end with more fields than at its begin. */
static int is_of_kind(const StrobeMockHost *mock, const MockSpan *span, StrobeKindId kind)
{
    return strcmp(mock->kinds[span->kind - 1]->name, mock->kinds[kind - 1]->name) == 0;
}

/* Returns the span with this key that was opened last, or for key 0 a free entry; NULL: there is
 * none. The caller holds the lock. */
static MockSpan *find_span(StrobeMockHost *mock, uint64_t key, StrobeKindId kind)
{

    MockSpan *found = NULL;
    for (uint32_t i = 0; i < ASYNC_MAX; i++) {
        MockSpan *span = &mock->async[i];
        if (span->key == key && (!key || is_of_kind(mock, span, kind)) &&
            (!found || span->serial > found->serial))
            found = span;
    }
    return found;
}

int32_t strobe_mock_async_open(StrobeInstance *self, uint64_t key, StrobeKindId kind,
                               const char *name, uint64_t argument)
{
    StrobeWriter *thread_buffer = strobe_mock_writer(self);
    if (!thread_buffer)
        return 0;
    StrobeMockHost *mock = thread_buffer->mock;
    StrobeStringId id = strobe_mock_intern(thread_buffer, name, strlen(name));
    if (!key || !kind || kind > mock->n_kinds)
        strobe_mock_complain(mock, "async_open: \"%s\" has key %llu and kind %u", name,
                             (unsigned long long)key, kind);
    pthread_mutex_lock(&mock->lock);
    MockSpan *open = key ? find_span(mock, 0, 0) : NULL;
    if (open)
        *open = (MockSpan){++mock->async_serial, strobe_mock_now(), key, kind, id};
    pthread_mutex_unlock(&mock->lock);
    return open != NULL;
}

int32_t strobe_mock_async_close(StrobeInstance *self, uint64_t key, StrobeKindId kind,
                                const void *fields, size_t size)
{
    StrobeWriter *thread_buffer = strobe_mock_writer(self);
    MockSpan span = {.key = 0};
    if (!thread_buffer || !key || !kind || kind > thread_buffer->mock->n_kinds)
        return 0;
    pthread_mutex_lock(&thread_buffer->mock->lock);
    MockSpan *open = find_span(thread_buffer->mock, key, kind);
    if (open) {
        span = *open;
        open->key = 0;
    }
    pthread_mutex_unlock(&thread_buffer->mock->lock);
    if (!span.key)
        return 0;
    void *out =
        strobe_mock_reserve(thread_buffer, kind, 0, span.name, span.begin, strobe_mock_now());
    if (!out)
        return 1;
    if (size > thread_buffer->pending.size)
        strobe_mock_complain(thread_buffer->mock,
                             "async_close: %zu bytes of fields, the kind has %u", size,
                             thread_buffer->pending.size);
    memcpy(out, fields, size < thread_buffer->pending.size ? size : thread_buffer->pending.size);
    strobe_mock_commit(thread_buffer);
    return 1;
}
