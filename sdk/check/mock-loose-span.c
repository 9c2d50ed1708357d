/* SPDX-License-Identifier: Apache-2.0 */
/* Spans that end in any order and on any thread. */
#include "mock-internal.h"

#include <string.h>

/* Kinds are told apart by their names: a span may end with more fields than it began with. */
static int is_of_kind(const StrobeMockHost *mock, const MockSpan *span, StrobeKindId kind)
{
    return strcmp(mock->kinds[span->kind - 1]->name, mock->kinds[kind - 1]->name) == 0;
}

/* Under the lock. The span of that key that was opened last; a free place for key 0; or NULL. */
static MockSpan *find(StrobeMockHost *mock, uint64_t key, StrobeKindId kind)
{

    MockSpan *found = NULL;
    for (uint32_t i = 0; i < LOOSE_MAX; i++) {
        MockSpan *span = &mock->loose[i];
        if (span->key == key && (!key || is_of_kind(mock, span, kind)) &&
            (!found || span->serial > found->serial))
            found = span;
    }
    return found;
}

int32_t strobe_mock_loose_open(StrobeInstance *self, uint64_t key, StrobeKindId kind,
                               const char *name, uint64_t argument)
{
    StrobeWriter *lane = strobe_mock_writer(self);
    if (!lane)
        return 0;
    StrobeMockHost *mock = lane->mock;
    StrobeStringId id = strobe_mock_intern(lane, name, strlen(name));
    if (!key || !kind || kind > mock->n_kinds)
        strobe_mock_complain(mock, "loose_open: \"%s\" has key %llu and kind %u", name,
                             (unsigned long long)key, kind);
    pthread_mutex_lock(&mock->lock);
    MockSpan *open = key ? find(mock, 0, 0) : NULL;
    if (open)
        *open = (MockSpan){++mock->loose_serial, strobe_mock_now(), key, kind, id};
    pthread_mutex_unlock(&mock->lock);
    return open != NULL;
}

int32_t strobe_mock_loose_close(StrobeInstance *self, uint64_t key, StrobeKindId kind,
                                const void *fields, size_t size)
{
    StrobeWriter *lane = strobe_mock_writer(self);
    MockSpan span = {.key = 0};
    if (!lane || !key || !kind || kind > lane->mock->n_kinds)
        return 0;
    pthread_mutex_lock(&lane->mock->lock);
    MockSpan *open = find(lane->mock, key, kind);
    if (open) {
        span = *open;
        open->key = 0;
    }
    pthread_mutex_unlock(&lane->mock->lock);
    if (!span.key)
        return 0;
    void *out = strobe_mock_reserve(lane, kind, 0, span.name, span.begin, strobe_mock_now());
    if (!out)
        return 1;
    if (size > lane->pending.size)
        strobe_mock_complain(lane->mock, "loose_close: %zu bytes of fields, the kind has %u", size,
                             lane->pending.size);
    memcpy(out, fields, size < lane->pending.size ? size : lane->pending.size);
    strobe_mock_commit(lane);
    return 1;
}
