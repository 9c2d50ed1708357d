/* SPDX-License-Identifier: Apache-2.0 */
#include "mock-internal.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static __thread struct {
    uint64_t serial;
    StrobeWriter *thread_buffer;
} own_thread_buffer;

/* ---- kinds, tracks, strings -------------------------------------------------------------- */

static uint32_t align_up(uint32_t offset, uint32_t size)
{
    return (offset + size - 1) / size * size;
}

uint32_t strobe_mock_field_offset(const StrobeKind *kind, uint32_t index)
{
    uint32_t offset = 0;
    for (uint32_t i = 0; i < kind->n_fields; i++) {
        uint32_t size = strobe_field_size(kind->fields[i].type);
        if (size == 0)
            return UINT32_MAX;
        offset = align_up(offset, size);
        if (i == index)
            return offset;
        offset += size;
    }
    return align_up(offset, 8);
}

static int kinds_equal(const StrobeKind *a, const StrobeKind *b)
{
    if (a == b)
        return 1;
    if (strcmp(a->name, b->name) || a->shape != b->shape || a->n_fields != b->n_fields)
        return 0;
    for (uint32_t i = 0; i < a->n_fields; i++)
        if (strcmp(a->fields[i].name, b->fields[i].name) || a->fields[i].type != b->fields[i].type)
            return 0;
    return 1;
}

StrobeStatus strobe_mock_kind(StrobeInstance *self, const StrobeKind *kind, StrobeKindId *id)
{
    StrobeMockHost *mock = self->mock;
    *id = 0;
    if (kind->struct_size != sizeof *kind || kind->n_fields > STROBE_KIND_FIELDS_MAX ||
        kind->shape < STROBE_SHAPE_SPAN || kind->shape > STROBE_SHAPE_LINK ||
        strobe_mock_field_offset(kind, kind->n_fields) == UINT32_MAX) {
        strobe_mock_complain(mock, "kind: broken declaration of \"%s\"", kind->name);
        return STROBE_ERROR_ARGUMENT;
    }
    pthread_mutex_lock(&mock->lock);
    for (uint32_t i = 0; i < mock->n_kinds && !*id; i++)
        if (kinds_equal(mock->kinds[i], kind))
            *id = i + 1;
    if (!*id && mock->n_kinds < KINDS_MAX) {
        mock->kinds[mock->n_kinds] = kind;
        mock->kind_sizes[mock->n_kinds] = strobe_mock_field_offset(kind, kind->n_fields);
        *id = ++mock->n_kinds;
    }
    pthread_mutex_unlock(&mock->lock);
    return *id ? STROBE_OK : STROBE_ERROR_MEMORY;
}

static int texts_equal(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

StrobeTrackId strobe_mock_track(StrobeInstance *self, const StrobeTrack *track)
{
    StrobeMockHost *mock = self->mock;
    StrobeTrackId id = 0;
    if (track->struct_size != sizeof *track || track->type < STROBE_TRACK_THREAD ||
        track->type > STROBE_TRACK_PROCESS || track->clock > STROBE_CLOCK_OF_TRACK)
        strobe_mock_complain(mock, "track: broken declaration of \"%s\"",
                             track->name ? track->name : "");
    pthread_mutex_lock(&mock->lock);
    for (uint32_t i = 0; i < mock->n_tracks && !id; i++) {
        const StrobeTrack *have = &mock->tracks[i];
        if (have->type == track->type && have->device == track->device && have->id == track->id &&
            texts_equal(have->name, track->name) && texts_equal(have->group, track->group))
            id = i + 1;
    }
    if (!id) {
        StrobeTrack *grown = realloc(mock->tracks, (mock->n_tracks + 1) * sizeof *grown);
        if (grown) {
            mock->tracks = grown;
            grown[mock->n_tracks] = *track;
            grown[mock->n_tracks].name = track->name ? strdup(track->name) : NULL;
            grown[mock->n_tracks].group = track->group ? strdup(track->group) : NULL;
            id = ++mock->n_tracks;
        }
    }
    pthread_mutex_unlock(&mock->lock);
    return id;
}

static uint32_t hash_bytes(const char *bytes, size_t length)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * 1099511628211u;
    return (uint32_t)((hash ^ (hash >> 32)) % BUCKETS);
}

static MockString *find_string(MockString *string, const char *bytes, size_t length)
{
    while (string && (string->length != length || memcmp(string->bytes, bytes, length)))
        string = string->next;
    return string;
}

/* Interns a string. A known string is found without the lock, as in Strobe. */
StrobeStringId strobe_mock_intern(StrobeWriter *thread_buffer, const char *bytes, size_t length)
{
    StrobeMockHost *mock = thread_buffer->mock;
    if (thread_buffer->reserved)
        strobe_mock_complain(mock, "intern: called between reserve and commit");
    if (length == 0)
        return 0;
    _Atomic(MockString *) *bucket = &mock->buckets[hash_bytes(bytes, length)];
    MockString *found = find_string(atomic_load(bucket), bytes, length);
    if (found)
        return found->id;
    pthread_mutex_lock(&mock->lock);
    found = find_string(atomic_load(bucket), bytes, length);
    if (!found) {
        MockString **grown = realloc(mock->strings, (mock->n_strings + 1) * sizeof(MockString *));
        if (grown)
            mock->strings = grown;
        found = grown ? malloc(sizeof *found + length + 1) : NULL;
        if (found) {
            memcpy(found->bytes, bytes, length);
            found->bytes[length] = '\0';
            found->length = length;
            found->next = atomic_load(bucket);
            mock->strings[mock->n_strings] = found;
            found->id = ++mock->n_strings;
            atomic_store(bucket, found);
        }
    }
    pthread_mutex_unlock(&mock->lock);
    return found ? found->id : 0;
}

StrobeStackId strobe_mock_stack(StrobeWriter *thread_buffer, const StrobeStringId *frames, size_t n)
{
    if (n == 0 || !frames)
        return 0;
    pthread_mutex_lock(&thread_buffer->mock->lock);
    StrobeStackId id = ++thread_buffer->mock->n_stacks;
    pthread_mutex_unlock(&thread_buffer->mock->lock);
    return id;
}

/* ---- records ------------------------------------------------------------------------------ */

StrobeTicks strobe_mock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (StrobeTicks)now.tv_sec * 1000000000u + (StrobeTicks)now.tv_nsec;
}

static StrobeWriter *make_thread_buffer(StrobeMockHost *mock)
{
    StrobeWriter *thread_buffer = calloc(1, sizeof *thread_buffer);
    if (!thread_buffer)
        return NULL;
    thread_buffer->mock = mock;
    thread_buffer->thread = (uint64_t)gettid();
    pthread_mutex_lock(&mock->lock);
    thread_buffer->next = mock->thread_buffers;
    mock->thread_buffers = thread_buffer;
    pthread_mutex_unlock(&mock->lock);
    own_thread_buffer.serial = mock->serial;
    own_thread_buffer.thread_buffer = thread_buffer;
    return thread_buffer;
}

StrobeWriter *strobe_mock_writer(StrobeInstance *self)
{
    StrobeMockHost *mock = self->mock;
    if (!atomic_load_explicit(&mock->gate, memory_order_relaxed))
        return NULL;
    uint64_t only = atomic_load_explicit(&mock->gate_thread, memory_order_relaxed);
    if (only && only != (uint64_t)gettid())
        return NULL;
    return own_thread_buffer.serial == mock->serial ? own_thread_buffer.thread_buffer
                                                    : make_thread_buffer(mock);
}

/* Returns room for `bytes` further bytes in the thread buffer, zeroed. */
static void *thread_buffer_room(StrobeWriter *thread_buffer, size_t bytes)
{
    if (thread_buffer->used + bytes > thread_buffer->size) {
        size_t size = (thread_buffer->used + bytes) * 2 + 4096;
        char *grown = realloc(thread_buffer->bytes, size);
        if (!grown)
            return NULL;
        thread_buffer->bytes = grown;
        thread_buffer->size = size;
    }
    memset(thread_buffer->bytes + thread_buffer->used, 0, bytes);
    return thread_buffer->bytes + thread_buffer->used;
}

static void add_entry(StrobeWriter *thread_buffer, const MockEntry *entry)
{
    if (thread_buffer->n_entries == thread_buffer->entries_size) {
        size_t size = thread_buffer->entries_size * 2 + 1024;
        MockEntry *grown = realloc(thread_buffer->entries, size * sizeof *grown);
        if (!grown)
            return;
        thread_buffer->entries = grown;
        thread_buffer->entries_size = size;
    }
    thread_buffer->entries[thread_buffer->n_entries++] = *entry;
    if (atomic_load_explicit(&thread_buffer->mock->is_gathered, memory_order_relaxed))
        atomic_store_explicit(&thread_buffer->mock->is_gathered, 0, memory_order_relaxed);
}

static int thread_buffer_ready(StrobeWriter *thread_buffer, const char *call, StrobeKindId kind)
{
    StrobeMockHost *mock = thread_buffer->mock;
    if (own_thread_buffer.thread_buffer != thread_buffer)
        strobe_mock_complain(mock, "%s: another thread's writer", call);
    if (thread_buffer->reserved) {
        strobe_mock_complain(mock, "%s: called between reserve and commit", call);
        return 0;
    }
    if (kind == 0 || kind > mock->n_kinds) {
        strobe_mock_complain(mock, "%s: kind %u was not declared", call, kind);
        return 0;
    }
    return 1;
}

void *strobe_mock_reserve(StrobeWriter *thread_buffer, StrobeKindId kind, StrobeTrackId track,
                          StrobeStringId name, uint64_t begin, uint64_t end)
{
    StrobeMockHost *mock = thread_buffer->mock;
    if (!thread_buffer_ready(thread_buffer, "reserve", kind))
        return NULL;
    uint32_t size = mock->kind_sizes[kind - 1];
    int is_span = mock->kinds[kind - 1]->shape == STROBE_SHAPE_SPAN;
    if (is_span && end < begin)
        strobe_mock_complain(mock, "reserve: \"%s\" ends before it begins",
                             mock->kinds[kind - 1]->name);
    if (track > mock->n_tracks)
        strobe_mock_complain(mock, "reserve: track %u was not made", track);
    void *fields = thread_buffer_room(thread_buffer, size + 8);
    if (!fields)
        return NULL;
    MockEntry entry = {
        kind, name, track, size, 0, begin, is_span ? end : begin, thread_buffer->used};
    thread_buffer->pending = entry;
    thread_buffer->reserved = size + 8;
    thread_buffer->bulk = 0;
    return fields;
}

/* Splits the bytes that a caller of reserve_bulk has filled into records. */
static void take_bulk(StrobeWriter *thread_buffer)
{
    uint32_t n_records = 0;
    StrobeMockHost *mock = thread_buffer->mock;
    size_t at = thread_buffer->used, end = thread_buffer->used + thread_buffer->reserved;
    while (at + sizeof(StrobeRecordHeader) <= end) {
        StrobeRecordHeader header;
        memcpy(&header, thread_buffer->bytes + at, sizeof header);
        size_t bytes = (size_t)(header.words & STROBE_RECORD_WORDS_MASK) * 8, head = 16;
        if (header.kind == 0 || header.kind > mock->n_kinds) {
            strobe_mock_complain(mock, "reserve_bulk: kind %u was not declared", header.kind);
            return;
        }
        int is_span = mock->kinds[header.kind - 1]->shape == STROBE_SHAPE_SPAN;
        MockEntry entry = {.kind = header.kind,
                           .name = header.name,
                           .size = mock->kind_sizes[header.kind - 1],
                           .flags = header.words & STROBE_RECORD_OF_WINDOW};
        memcpy(&entry.begin, thread_buffer->bytes + at + 8, 8);
        memcpy(&entry.end, thread_buffer->bytes + at + (is_span ? 16 : 8), 8);
        head += is_span ? 8 : 0;
        if (header.words & STROBE_RECORD_HAS_TRACK) {
            memcpy(&entry.track, thread_buffer->bytes + at + head, sizeof entry.track);
            head += 8;
        }
        if (bytes != head + entry.size || at + bytes > end) {
            strobe_mock_complain(mock, "reserve_bulk: \"%s\" has %zu bytes, expected %zu",
                                 mock->kinds[header.kind - 1]->name, bytes, head + entry.size);
            return;
        }
        entry.offset = at + head;
        add_entry(thread_buffer, &entry);
        n_records++;
        at += bytes;
    }
    if (n_records != thread_buffer->n_bulk)
        strobe_mock_complain(mock, "reserve_bulk: %u records were laid out, %u announced",
                             n_records, thread_buffer->n_bulk);
    if (at != end)
        strobe_mock_complain(mock, "reserve_bulk: %zu bytes are left over", end - at);
}

void strobe_mock_commit(StrobeWriter *thread_buffer)
{
    if (!thread_buffer->reserved) {
        strobe_mock_complain(thread_buffer->mock, "commit: nothing is reserved");
        return;
    }
    if (thread_buffer->bulk)
        take_bulk(thread_buffer);
    else
        add_entry(thread_buffer, &thread_buffer->pending);
    thread_buffer->used += thread_buffer->reserved;
    thread_buffer->reserved = 0;
}

void *strobe_mock_reserve_bulk(StrobeWriter *thread_buffer, uint32_t bytes, uint32_t n_records)
{
    if (thread_buffer->reserved || bytes == 0 || bytes % 8 || bytes > STROBE_BULK_MAX) {
        strobe_mock_complain(thread_buffer->mock,
                             "reserve_bulk: %u bytes, in a reserve or out of range", bytes);
        return NULL;
    }
    void *room = thread_buffer_room(thread_buffer, bytes);
    if (room) {
        thread_buffer->reserved = bytes;
        thread_buffer->bulk = 1;
        thread_buffer->n_bulk = n_records;
    }
    return room;
}

StrobeSpan strobe_mock_span_begin(StrobeWriter *thread_buffer, StrobeKindId kind,
                                  StrobeStringId name, uint64_t argument)
{
    StrobeSpan span = {0};
    if (!thread_buffer_ready(thread_buffer, "span_begin", kind))
        return span;
    if (thread_buffer->mock->kinds[kind - 1]->shape != STROBE_SHAPE_SPAN)
        strobe_mock_complain(thread_buffer->mock, "span_begin: \"%s\" is no span",
                             thread_buffer->mock->kinds[kind - 1]->name);
    if (thread_buffer->depth == SPANS_MAX)
        return span;
    MockSpan *open = &thread_buffer->spans[thread_buffer->depth];
    open->serial = ++thread_buffer->span_serial;
    open->key = 0;
    open->kind = kind;
    open->name = name;
    span.token = open->serial * SPANS_MAX + thread_buffer->depth++;
    open->begin = strobe_mock_now();
    return span;
}

void *strobe_mock_span_end(StrobeWriter *thread_buffer, StrobeSpan span)
{
    uint64_t now = strobe_mock_now();
    uint32_t level = (uint32_t)(span.token % SPANS_MAX);
    if (level >= thread_buffer->depth ||
        thread_buffer->spans[level].serial != span.token / SPANS_MAX)
        return NULL;
    thread_buffer->n_dropped += thread_buffer->depth - level - 1;
    thread_buffer->depth = level;
    const MockSpan *open = &thread_buffer->spans[level];
    return strobe_mock_reserve(thread_buffer, open->kind, 0, open->name, open->begin, now);
}

uint32_t strobe_mock_span_open(StrobeInstance *self, uint64_t key, StrobeKindId kind,
                               const char *name, uint64_t argument)
{
    StrobeWriter *thread_buffer = strobe_mock_writer(self);
    if (!thread_buffer)
        return 0;
    if (!key)
        strobe_mock_complain(thread_buffer->mock, "span_open: \"%s\" has key 0", name);
    StrobeSpan span = strobe_mock_span_begin(
        thread_buffer, kind, strobe_mock_intern(thread_buffer, name, strlen(name)), argument);
    if (!key || !span.token)
        return 0;
    thread_buffer->spans[thread_buffer->depth - 1].key = key;
    return thread_buffer->depth;
}

StrobeClosed strobe_mock_span_close(StrobeInstance *self, uint64_t key, StrobeKindId kind,
                                    const void *fields, size_t size)
{
    StrobeClosed closed = {0, 0};
    StrobeWriter *thread_buffer = strobe_mock_writer(self);
    uint32_t level = thread_buffer && key ? thread_buffer->depth : 0;
    while (level && (thread_buffer->spans[level - 1].key != key ||
                     thread_buffer->spans[level - 1].kind != kind))
        level--;
    if (!level)
        return closed;
    closed.depth = level;
    closed.n_inside = thread_buffer->depth - level;
    StrobeSpan span = {thread_buffer->spans[level - 1].serial * SPANS_MAX + level - 1};
    void *out = strobe_mock_span_end(thread_buffer, span);
    if (!out)
        return closed;
    if (size > thread_buffer->pending.size)
        strobe_mock_complain(thread_buffer->mock,
                             "span_close: %zu bytes of fields, the kind has %u", size,
                             thread_buffer->pending.size);
    memcpy(out, fields, size < thread_buffer->pending.size ? size : thread_buffer->pending.size);
    strobe_mock_commit(thread_buffer);
    return closed;
}
