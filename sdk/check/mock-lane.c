/* SPDX-License-Identifier: Apache-2.0 */
#include "mock-internal.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static __thread struct {
    uint64_t serial;
    StrobeWriter *lane;
} own_lane;

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

/* A string once seen is found without the lock, as in the real host. */
StrobeStringId strobe_mock_intern(StrobeWriter *lane, const char *bytes, size_t length)
{
    StrobeMockHost *mock = lane->mock;
    if (lane->reserved)
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

StrobeStackId strobe_mock_stack(StrobeWriter *lane, const StrobeStringId *frames, size_t n)
{
    if (n == 0 || !frames)
        return 0;
    pthread_mutex_lock(&lane->mock->lock);
    StrobeStackId id = ++lane->mock->n_stacks;
    pthread_mutex_unlock(&lane->mock->lock);
    return id;
}

/* ---- records ------------------------------------------------------------------------------ */

StrobeTicks strobe_mock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (StrobeTicks)now.tv_sec * 1000000000u + (StrobeTicks)now.tv_nsec;
}

static StrobeWriter *make_lane(StrobeMockHost *mock)
{
    StrobeWriter *lane = calloc(1, sizeof *lane);
    if (!lane)
        return NULL;
    lane->mock = mock;
    lane->thread = (uint64_t)gettid();
    pthread_mutex_lock(&mock->lock);
    lane->next = mock->lanes;
    mock->lanes = lane;
    pthread_mutex_unlock(&mock->lock);
    own_lane.serial = mock->serial;
    own_lane.lane = lane;
    return lane;
}

StrobeWriter *strobe_mock_writer(StrobeInstance *self)
{
    StrobeMockHost *mock = self->mock;
    if (!atomic_load_explicit(&mock->gate, memory_order_relaxed))
        return NULL;
    uint64_t only = atomic_load_explicit(&mock->gate_thread, memory_order_relaxed);
    if (only && only != (uint64_t)gettid())
        return NULL;
    return own_lane.serial == mock->serial ? own_lane.lane : make_lane(mock);
}

/* Room for `bytes` more in the lane, zeroed. */
static void *lane_room(StrobeWriter *lane, size_t bytes)
{
    if (lane->used + bytes > lane->size) {
        size_t size = (lane->used + bytes) * 2 + 4096;
        char *grown = realloc(lane->bytes, size);
        if (!grown)
            return NULL;
        lane->bytes = grown;
        lane->size = size;
    }
    memset(lane->bytes + lane->used, 0, bytes);
    return lane->bytes + lane->used;
}

static void add_entry(StrobeWriter *lane, const MockEntry *entry)
{
    if (lane->n_entries == lane->entries_size) {
        size_t size = lane->entries_size * 2 + 1024;
        MockEntry *grown = realloc(lane->entries, size * sizeof *grown);
        if (!grown)
            return;
        lane->entries = grown;
        lane->entries_size = size;
    }
    lane->entries[lane->n_entries++] = *entry;
    if (atomic_load_explicit(&lane->mock->is_gathered, memory_order_relaxed))
        atomic_store_explicit(&lane->mock->is_gathered, 0, memory_order_relaxed);
}

static int lane_ready(StrobeWriter *lane, const char *call, StrobeKindId kind)
{
    StrobeMockHost *mock = lane->mock;
    if (own_lane.lane != lane)
        strobe_mock_complain(mock, "%s: another thread's writer", call);
    if (lane->reserved) {
        strobe_mock_complain(mock, "%s: called between reserve and commit", call);
        return 0;
    }
    if (kind == 0 || kind > mock->n_kinds) {
        strobe_mock_complain(mock, "%s: kind %u was not declared", call, kind);
        return 0;
    }
    return 1;
}

void *strobe_mock_reserve(StrobeWriter *lane, StrobeKindId kind, StrobeTrackId track,
                          StrobeStringId name, uint64_t begin, uint64_t end)
{
    StrobeMockHost *mock = lane->mock;
    if (!lane_ready(lane, "reserve", kind))
        return NULL;
    uint32_t size = mock->kind_sizes[kind - 1];
    int is_span = mock->kinds[kind - 1]->shape == STROBE_SHAPE_SPAN;
    if (is_span && end < begin)
        strobe_mock_complain(mock, "reserve: \"%s\" ends before it begins",
                             mock->kinds[kind - 1]->name);
    if (track > mock->n_tracks)
        strobe_mock_complain(mock, "reserve: track %u was not made", track);
    void *fields = lane_room(lane, size + 8);
    if (!fields)
        return NULL;
    MockEntry entry = {kind, name, track, size, 0, begin, is_span ? end : begin, lane->used};
    lane->pending = entry;
    lane->reserved = size + 8;
    lane->bulk = 0;
    return fields;
}

/* Takes finished records, laid out by the caller, apart. */
static void take_bulk(StrobeWriter *lane)
{
    uint32_t n_records = 0;
    StrobeMockHost *mock = lane->mock;
    size_t at = lane->used, end = lane->used + lane->reserved;
    while (at + sizeof(StrobeRecordHeader) <= end) {
        StrobeRecordHeader header;
        memcpy(&header, lane->bytes + at, sizeof header);
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
        memcpy(&entry.begin, lane->bytes + at + 8, 8);
        memcpy(&entry.end, lane->bytes + at + (is_span ? 16 : 8), 8);
        head += is_span ? 8 : 0;
        if (header.words & STROBE_RECORD_HAS_TRACK) {
            memcpy(&entry.track, lane->bytes + at + head, sizeof entry.track);
            head += 8;
        }
        if (bytes != head + entry.size || at + bytes > end) {
            strobe_mock_complain(mock, "reserve_bulk: \"%s\" has %zu bytes, expected %zu",
                                 mock->kinds[header.kind - 1]->name, bytes, head + entry.size);
            return;
        }
        entry.offset = at + head;
        add_entry(lane, &entry);
        n_records++;
        at += bytes;
    }
    if (n_records != lane->n_bulk)
        strobe_mock_complain(mock, "reserve_bulk: %u records were laid out, %u announced",
                             n_records, lane->n_bulk);
    if (at != end)
        strobe_mock_complain(mock, "reserve_bulk: %zu bytes are left over", end - at);
}

void strobe_mock_commit(StrobeWriter *lane)
{
    if (!lane->reserved) {
        strobe_mock_complain(lane->mock, "commit: nothing is reserved");
        return;
    }
    if (lane->bulk)
        take_bulk(lane);
    else
        add_entry(lane, &lane->pending);
    lane->used += lane->reserved;
    lane->reserved = 0;
}

void *strobe_mock_reserve_bulk(StrobeWriter *lane, uint32_t bytes, uint32_t n_records)
{
    if (lane->reserved || bytes == 0 || bytes % 8 || bytes > STROBE_BULK_MAX) {
        strobe_mock_complain(lane->mock, "reserve_bulk: %u bytes, in a reserve or out of range",
                             bytes);
        return NULL;
    }
    void *room = lane_room(lane, bytes);
    if (room) {
        lane->reserved = bytes;
        lane->bulk = 1;
        lane->n_bulk = n_records;
    }
    return room;
}

StrobeSpan strobe_mock_span_begin(StrobeWriter *lane, StrobeKindId kind, StrobeStringId name,
                                  uint64_t argument)
{
    StrobeSpan span = {0};
    if (!lane_ready(lane, "span_begin", kind))
        return span;
    if (lane->mock->kinds[kind - 1]->shape != STROBE_SHAPE_SPAN)
        strobe_mock_complain(lane->mock, "span_begin: \"%s\" is no span",
                             lane->mock->kinds[kind - 1]->name);
    if (lane->depth == SPANS_MAX)
        return span;
    MockSpan *open = &lane->spans[lane->depth];
    open->serial = ++lane->span_serial;
    open->key = 0;
    open->kind = kind;
    open->name = name;
    span.token = open->serial * SPANS_MAX + lane->depth++;
    open->begin = strobe_mock_now();
    return span;
}

void *strobe_mock_span_end(StrobeWriter *lane, StrobeSpan span)
{
    uint64_t now = strobe_mock_now();
    uint32_t level = (uint32_t)(span.token % SPANS_MAX);
    if (level >= lane->depth || lane->spans[level].serial != span.token / SPANS_MAX)
        return NULL;
    lane->n_dropped += lane->depth - level - 1;
    lane->depth = level;
    const MockSpan *open = &lane->spans[level];
    return strobe_mock_reserve(lane, open->kind, 0, open->name, open->begin, now);
}

uint32_t strobe_mock_span_open(StrobeInstance *self, uint64_t key, StrobeKindId kind,
                               const char *name, uint64_t argument)
{
    StrobeWriter *lane = strobe_mock_writer(self);
    if (!lane)
        return 0;
    if (!key)
        strobe_mock_complain(lane->mock, "span_open: \"%s\" has key 0", name);
    StrobeSpan span =
        strobe_mock_span_begin(lane, kind, strobe_mock_intern(lane, name, strlen(name)), argument);
    if (!key || !span.token)
        return 0;
    lane->spans[lane->depth - 1].key = key;
    return lane->depth;
}

StrobeClosed strobe_mock_span_close(StrobeInstance *self, uint64_t key, StrobeKindId kind,
                                    const void *fields, size_t size)
{
    StrobeClosed closed = {0, 0};
    StrobeWriter *lane = strobe_mock_writer(self);
    uint32_t level = lane && key ? lane->depth : 0;
    while (level && (lane->spans[level - 1].key != key || lane->spans[level - 1].kind != kind))
        level--;
    if (!level)
        return closed;
    closed.depth = level;
    closed.n_inside = lane->depth - level;
    StrobeSpan span = {lane->spans[level - 1].serial * SPANS_MAX + level - 1};
    void *out = strobe_mock_span_end(lane, span);
    if (!out)
        return closed;
    if (size > lane->pending.size)
        strobe_mock_complain(lane->mock, "span_close: %zu bytes of fields, the kind has %u", size,
                             lane->pending.size);
    memcpy(out, fields, size < lane->pending.size ? size : lane->pending.size);
    strobe_mock_commit(lane);
    return closed;
}
