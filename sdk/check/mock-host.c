/* SPDX-License-Identifier: Apache-2.0 */
#include "mock-host.h"

#include <ctype.h>
#include <dlfcn.h>
#include <fnmatch.h>
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SPANS_MAX 4096 /* deeper than any real host: tests of depth are the collector's own */
#define BUCKETS 65536
#define KINDS_MAX 256

typedef struct MockString {
    struct MockString *next;
    StrobeStringId id;
    size_t length;
    char bytes[];
} MockString;

typedef struct MockSpan {
    uint64_t serial;
    uint64_t begin;
    StrobeKindId kind;
    StrobeStringId name;
} MockSpan;

/* A record in its lane: this head, then the fields. */
typedef struct MockEntry {
    StrobeKindId kind;
    StrobeStringId name;
    StrobeTrackId track;
    uint32_t size;
    uint64_t begin, end;
    size_t offset; /* of the fields in the lane's bytes */
} MockEntry;

/* What one thread records into; only that thread writes it. */
struct StrobeWriter {
    StrobeMockHost *mock;
    StrobeWriter *next;
    uint64_t thread;
    MockEntry *entries;
    size_t n_entries, entries_size;
    char *bytes;
    size_t used, size;
    size_t reserved; /* bytes reserved and not committed, 0: none */
    MockEntry pending;
    int bulk;
    uint64_t span_serial, n_dropped;
    uint32_t depth;
    MockSpan spans[SPANS_MAX];
};

struct StrobeInstance {
    StrobeMockHost *mock;
};

typedef struct MockText {
    char *bytes;
    size_t length;
} MockText;

enum { STATE_NEW, STATE_OPEN, STATE_RUNNING, STATE_CLOSED };

struct StrobeMockHost {
    StrobeHost table;
    StrobeInstance instance;
    const StrobeComponent *component;
    const StrobeCollectorOps *ops;
    uint64_t serial;
    void *state;
    int phase;
    _Atomic int gate;
    _Atomic uint64_t gate_thread; /* the only thread let through, 0: all */
    _Atomic uint64_t next_link;
    _Atomic uint64_t lost[STROBE_LOSS_CAUSES];

    pthread_mutex_t lock; /* over all that follows */
    StrobeWriter *lanes;
    const StrobeKind *kinds[KINDS_MAX];
    uint32_t kind_sizes[KINDS_MAX];
    uint32_t n_kinds;
    StrobeTrack *tracks;
    uint32_t n_tracks;
    uint32_t n_stacks;
    MockString **strings;
    uint32_t n_strings;
    MockText errors, messages, complaints;

    _Atomic(MockString *) buckets[BUCKETS];
    char **values; /* of the options */
    char *companions;
    StrobeMockRecord *gathered;
    size_t n_gathered;
    int is_gathered;
};

static _Atomic uint64_t next_serial = 1;
static __thread struct {
    uint64_t serial;
    StrobeWriter *lane;
} own_lane;

/* ---- texts ------------------------------------------------------------------------------- */

static void append_line(StrobeMockHost *mock, MockText *text, const char *format, va_list arguments)
{
    char line[2048];
    vsnprintf(line, sizeof line, format, arguments);
    size_t length = strlen(line);
    pthread_mutex_lock(&mock->lock);
    char *bytes = realloc(text->bytes, text->length + length + 2);
    if (bytes) {
        memcpy(bytes + text->length, line, length);
        text->length += length;
        bytes[text->length++] = '\n';
        bytes[text->length] = '\0';
        text->bytes = bytes;
    }
    pthread_mutex_unlock(&mock->lock);
}

static void __attribute__((format(printf, 2, 3)))
complain(StrobeMockHost *mock, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    append_line(mock, &mock->complaints, format, arguments);
    va_end(arguments);
}

/* ---- kinds, tracks, strings -------------------------------------------------------------- */

static uint32_t align_up(uint32_t offset, uint32_t size)
{
    return (offset + size - 1) / size * size;
}

/* Offset of field `index`, or the size of all fields for index == n_fields. */
static uint32_t field_offset(const StrobeKind *kind, uint32_t index)
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

static StrobeStatus mock_kind(StrobeInstance *self, const StrobeKind *kind, StrobeKindId *id)
{
    StrobeMockHost *mock = self->mock;
    *id = 0;
    if (kind->struct_size != sizeof *kind || kind->n_fields > STROBE_KIND_FIELDS_MAX ||
        kind->shape < STROBE_SHAPE_SPAN || kind->shape > STROBE_SHAPE_LINK ||
        field_offset(kind, kind->n_fields) == UINT32_MAX) {
        complain(mock, "kind: broken declaration of \"%s\"", kind->name);
        return STROBE_ERROR_ARGUMENT;
    }
    pthread_mutex_lock(&mock->lock);
    for (uint32_t i = 0; i < mock->n_kinds && !*id; i++)
        if (kinds_equal(mock->kinds[i], kind))
            *id = i + 1;
    if (!*id && mock->n_kinds < KINDS_MAX) {
        mock->kinds[mock->n_kinds] = kind;
        mock->kind_sizes[mock->n_kinds] = field_offset(kind, kind->n_fields);
        *id = ++mock->n_kinds;
    }
    pthread_mutex_unlock(&mock->lock);
    return *id ? STROBE_OK : STROBE_ERROR_MEMORY;
}

static int texts_equal(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static StrobeTrackId mock_track(StrobeInstance *self, const StrobeTrack *track)
{
    StrobeMockHost *mock = self->mock;
    StrobeTrackId id = 0;
    if (track->struct_size != sizeof *track || track->type < STROBE_TRACK_THREAD ||
        track->type > STROBE_TRACK_PROCESS || track->clock > STROBE_CLOCK_REALTIME)
        complain(mock, "track: broken declaration of \"%s\"", track->name ? track->name : "");
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
static StrobeStringId mock_intern(StrobeWriter *lane, const char *bytes, size_t length)
{
    StrobeMockHost *mock = lane->mock;
    if (lane->reserved)
        complain(mock, "intern: called between reserve and commit");
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

static StrobeStackId mock_stack(StrobeWriter *lane, const StrobeStringId *frames, size_t n)
{
    if (n == 0 || !frames)
        return 0;
    pthread_mutex_lock(&lane->mock->lock);
    StrobeStackId id = ++lane->mock->n_stacks;
    pthread_mutex_unlock(&lane->mock->lock);
    return id;
}

/* ---- recording --------------------------------------------------------------------------- */

static StrobeTicks mock_now(void)
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

static StrobeWriter *mock_writer(StrobeInstance *self)
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
    lane->mock->is_gathered = 0;
}

static int lane_ready(StrobeWriter *lane, const char *call, StrobeKindId kind)
{
    StrobeMockHost *mock = lane->mock;
    if (own_lane.lane != lane)
        complain(mock, "%s: another thread's writer", call);
    if (lane->reserved) {
        complain(mock, "%s: called between reserve and commit", call);
        return 0;
    }
    if (kind == 0 || kind > mock->n_kinds) {
        complain(mock, "%s: kind %u was not declared", call, kind);
        return 0;
    }
    return 1;
}

static void *mock_reserve(StrobeWriter *lane, StrobeKindId kind, StrobeTrackId track,
                          StrobeStringId name, uint64_t begin, uint64_t end)
{
    StrobeMockHost *mock = lane->mock;
    if (!lane_ready(lane, "reserve", kind))
        return NULL;
    uint32_t size = mock->kind_sizes[kind - 1];
    int is_span = mock->kinds[kind - 1]->shape == STROBE_SHAPE_SPAN;
    if (is_span && end < begin)
        complain(mock, "reserve: \"%s\" ends before it begins", mock->kinds[kind - 1]->name);
    if (track > mock->n_tracks)
        complain(mock, "reserve: track %u was not made", track);
    void *fields = lane_room(lane, size + 8);
    if (!fields)
        return NULL;
    MockEntry entry = {kind, name, track, size, begin, is_span ? end : begin, lane->used};
    lane->pending = entry;
    lane->reserved = size + 8;
    lane->bulk = 0;
    return fields;
}

/* Takes finished records, laid out by the caller, apart. */
static void take_bulk(StrobeWriter *lane)
{
    StrobeMockHost *mock = lane->mock;
    size_t at = lane->used, end = lane->used + lane->reserved;
    while (at + sizeof(StrobeRecordHeader) <= end) {
        StrobeRecordHeader header;
        memcpy(&header, lane->bytes + at, sizeof header);
        size_t bytes = (size_t)(header.words & STROBE_RECORD_WORDS_MASK) * 8, head = 16;
        if (header.kind == 0 || header.kind > mock->n_kinds) {
            complain(mock, "reserve_bulk: kind %u was not declared", header.kind);
            return;
        }
        int is_span = mock->kinds[header.kind - 1]->shape == STROBE_SHAPE_SPAN;
        MockEntry entry = {header.kind, header.name, 0, mock->kind_sizes[header.kind - 1], 0, 0, 0};
        memcpy(&entry.begin, lane->bytes + at + 8, 8);
        memcpy(&entry.end, lane->bytes + at + (is_span ? 16 : 8), 8);
        head += is_span ? 8 : 0;
        if (header.words & STROBE_RECORD_HAS_TRACK) {
            memcpy(&entry.track, lane->bytes + at + head, sizeof entry.track);
            head += 8;
        }
        if (bytes != head + entry.size || at + bytes > end) {
            complain(mock, "reserve_bulk: \"%s\" has %zu bytes, expected %zu",
                     mock->kinds[header.kind - 1]->name, bytes, head + entry.size);
            return;
        }
        entry.offset = at + head;
        add_entry(lane, &entry);
        at += bytes;
    }
    if (at != end)
        complain(mock, "reserve_bulk: %zu bytes are left over", end - at);
}

static void mock_commit(StrobeWriter *lane)
{
    if (!lane->reserved) {
        complain(lane->mock, "commit: nothing is reserved");
        return;
    }
    if (lane->bulk)
        take_bulk(lane);
    else
        add_entry(lane, &lane->pending);
    lane->used += lane->reserved;
    lane->reserved = 0;
}

static void *mock_reserve_bulk(StrobeWriter *lane, uint32_t bytes)
{
    if (lane->reserved || bytes == 0 || bytes % 8 || bytes > STROBE_BULK_MAX) {
        complain(lane->mock, "reserve_bulk: %u bytes, in a reserve or out of range", bytes);
        return NULL;
    }
    void *room = lane_room(lane, bytes);
    if (room) {
        lane->reserved = bytes;
        lane->bulk = 1;
    }
    return room;
}

static StrobeSpan mock_span_begin(StrobeWriter *lane, StrobeKindId kind, StrobeStringId name,
                                  uint64_t argument)
{
    StrobeSpan span = {0};
    if (!lane_ready(lane, "span_begin", kind))
        return span;
    if (lane->mock->kinds[kind - 1]->shape != STROBE_SHAPE_SPAN)
        complain(lane->mock, "span_begin: \"%s\" is no span", lane->mock->kinds[kind - 1]->name);
    if (lane->depth == SPANS_MAX)
        return span;
    MockSpan *open = &lane->spans[lane->depth];
    open->serial = ++lane->span_serial;
    open->kind = kind;
    open->name = name;
    span.token = open->serial * SPANS_MAX + lane->depth++;
    open->begin = mock_now();
    return span;
}

static void *mock_span_end(StrobeWriter *lane, StrobeSpan span)
{
    uint64_t now = mock_now();
    uint32_t level = (uint32_t)(span.token % SPANS_MAX);
    if (level >= lane->depth || lane->spans[level].serial != span.token / SPANS_MAX)
        return NULL;
    lane->n_dropped += lane->depth - level - 1;
    lane->depth = level;
    const MockSpan *open = &lane->spans[level];
    return mock_reserve(lane, open->kind, 0, open->name, open->begin, now);
}

/* ---- the rest of the table --------------------------------------------------------------- */

static uint64_t mock_link_ids(StrobeInstance *self, uint32_t n)
{
    return atomic_fetch_add(&self->mock->next_link, n);
}

static void mock_lost(StrobeInstance *self, uint32_t cause, uint64_t count)
{
    if (cause < STROBE_LOSS_CAUSES)
        atomic_fetch_add(&self->mock->lost[cause], count);
    else
        complain(self->mock, "lost: unknown cause %u", cause);
}

static int option_index(StrobeMockHost *mock, const char *name)
{
    for (uint32_t i = 0; i < mock->component->n_options; i++)
        if (strcmp(mock->component->options[i].name, name) == 0)
            return (int)i;
    return -1;
}

static const char *option_value(StrobeInstance *self, const char *name)
{
    int index = option_index(self->mock, name);
    if (index < 0) {
        complain(self->mock, "option: \"%s\" was not declared", name);
        return "";
    }
    const char *value = self->mock->values[index];
    return value ? value : self->mock->component->options[index].default_value;
}

/* 1, 0, or -1 for a text that is no truth value. */
static int parse_bool(const char *text)
{
    static const char *const words[] = {"true", "on", "yes", "1", "false", "off", "no", "0"};
    for (int i = 0; i < 8; i++)
        if (strcmp(text, words[i]) == 0)
            return i < 4;
    return -1;
}

static int64_t unit_factor(uint32_t type, const char *unit)
{
    static const struct {
        uint32_t type;
        const char *unit;
        int64_t factor;
    } units[] = {{STROBE_OPTION_DURATION, "ns", 1},
                 {STROBE_OPTION_DURATION, "us", 1000},
                 {STROBE_OPTION_DURATION, "ms", 1000000},
                 {STROBE_OPTION_DURATION, "s", 1000000000},
                 {STROBE_OPTION_DURATION, "min", 60000000000},
                 {STROBE_OPTION_BYTES, "B", 1},
                 {STROBE_OPTION_BYTES, "KB", 1024},
                 {STROBE_OPTION_BYTES, "MB", 1048576},
                 {STROBE_OPTION_BYTES, "GB", 1073741824},
                 {STROBE_OPTION_INT, "", 1},
                 {STROBE_OPTION_DOUBLE, "", 1}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (units[i].type == type && strcmp(units[i].unit, unit) == 0)
            return units[i].factor;
    return 0;
}

static int parse_number(uint32_t type, const char *text, double *value)
{
    char *unit;
    *value = strtod(text, &unit);
    int64_t factor = unit == text ? 0 : unit_factor(type, unit);
    *value *= (double)factor;
    return factor ? 0 : -1;
}

static int32_t mock_option_bool(StrobeInstance *self, const char *name)
{
    return parse_bool(option_value(self, name)) == 1;
}

static double mock_option_double(StrobeInstance *self, const char *name)
{
    double value = 0;
    int index = option_index(self->mock, name);
    if (index >= 0)
        parse_number(self->mock->component->options[index].type, option_value(self, name), &value);
    return value;
}

static int64_t mock_option_int(StrobeInstance *self, const char *name)
{
    return (int64_t)mock_option_double(self, name);
}

static const char *mock_option_text(StrobeInstance *self, const char *name)
{
    return option_value(self, name);
}

static StrobeStatus mock_companion(StrobeInstance *self, const char *pattern, char *path,
                                   size_t size)
{
    DIR *folder = self->mock->companions ? opendir(self->mock->companions) : NULL;
    StrobeStatus status = STROBE_UNAVAILABLE;
    struct dirent *entry;
    while (folder && status != STROBE_OK && (entry = readdir(folder)))
        if (fnmatch(pattern, entry->d_name, 0) == 0 &&
            snprintf(path, size, "%s/%s", self->mock->companions, entry->d_name) < (int)size)
            status = STROBE_OK;
    if (folder)
        closedir(folder);
    return status;
}

static void mock_log(StrobeInstance *self, int32_t level, const char *format, ...)
{
    va_list arguments;
    if (level < STROBE_LOG_ERROR || level > STROBE_LOG_DEBUG)
        complain(self->mock, "log: unknown level %d", level);
    va_start(arguments, format);
    append_line(self->mock, &self->mock->messages, format, arguments);
    va_end(arguments);
}

static StrobeStatus mock_fail(StrobeInstance *self, StrobeStatus status, const char *file,
                              int32_t line, const char *format, ...)
{
    va_list arguments;
    if (!file || line <= 0)
        complain(self->mock, "fail: no place given");
    va_start(arguments, format);
    append_line(self->mock, &self->mock->errors, format, arguments);
    va_end(arguments);
    return status;
}

static const StrobeHost mock_table = {
    .struct_size = sizeof(StrobeHost),
    .abi_minor = STROBE_ABI_MINOR,
    .kind = mock_kind,
    .track = mock_track,
    .writer = mock_writer,
    .intern = mock_intern,
    .stack = mock_stack,
    .reserve = mock_reserve,
    .commit = mock_commit,
    .reserve_bulk = mock_reserve_bulk,
    .span_begin = mock_span_begin,
    .span_end = mock_span_end,
    .now = mock_now,
    .link_ids = mock_link_ids,
    .lost = mock_lost,
    .option_bool = mock_option_bool,
    .option_int = mock_option_int,
    .option_double = mock_option_double,
    .option_text = mock_option_text,
    .companion = mock_companion,
    .log = mock_log,
    .fail = mock_fail,
};

/* ---- making a host ----------------------------------------------------------------------- */

static const StrobeComponent *find_collector(const StrobePlugin *plugin, const char *name)
{
    for (uint32_t i = 0; i < plugin->n_components; i++) {
        const StrobeComponent *component = plugin->components[i];
        if (component->type == STROBE_COMPONENT_COLLECTOR &&
            (!name || strcmp(component->name, name) == 0))
            return component;
    }
    return NULL;
}

StrobeMockHost *strobe_mock_host_new(const StrobePlugin *plugin, const char *component)
{
    const StrobeComponent *found = find_collector(plugin, component);
    StrobeMockHost *mock = found ? calloc(1, sizeof *mock) : NULL;
    if (!mock)
        return NULL;
    mock->values = calloc(found->n_options + 1, sizeof *mock->values);
    if (!mock->values) {
        free(mock);
        return NULL;
    }
    mock->table = mock_table;
    mock->instance.mock = mock;
    mock->component = found;
    mock->ops = found->ops;
    mock->serial = atomic_fetch_add(&next_serial, 1);
    atomic_store(&mock->next_link, 1);
    pthread_mutex_init(&mock->lock, NULL);
    if (plugin->struct_size < sizeof *plugin || found->struct_size < sizeof *found ||
        mock->ops->struct_size < sizeof *mock->ops)
        complain(mock, "descriptor: a struct_size is too small");
    return mock;
}

StrobeMockHost *strobe_mock_host_load(const char *path, const char *component)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    const StrobePlugin *plugin = library ? dlsym(library, STROBE_PLUGIN_SYMBOL) : NULL;
    StrobeMockHost *mock = plugin ? strobe_mock_host_new(plugin, component) : NULL;
    const char *reason = dlerror();
    if (!mock)
        fprintf(stderr, "Cannot load collector: path=\"%s\", reason=\"%s\"\n", path,
                reason ? reason : "no such collector");
    return mock;
}

static void free_recorded(StrobeMockHost *mock)
{
    while (mock->lanes) {
        StrobeWriter *lane = mock->lanes;
        mock->lanes = lane->next;
        free(lane->entries);
        free(lane->bytes);
        free(lane);
    }
    for (uint32_t i = 0; i < mock->n_strings; i++)
        free(mock->strings[i]);
    for (uint32_t i = 0; i < mock->n_tracks; i++) {
        free((char *)mock->tracks[i].name);
        free((char *)mock->tracks[i].group);
    }
    free(mock->strings);
    free(mock->tracks);
    free(mock->gathered);
}

void strobe_mock_host_free(StrobeMockHost *mock)
{
    if (!mock)
        return;
    if (mock->phase == STATE_RUNNING)
        strobe_mock_host_stop(mock);
    if (mock->phase == STATE_OPEN)
        strobe_mock_host_close(mock);
    free_recorded(mock);
    for (uint32_t i = 0; i < mock->component->n_options; i++)
        free(mock->values[i]);
    free(mock->values);
    free(mock->companions);
    free(mock->errors.bytes);
    free(mock->messages.bytes);
    free(mock->complaints.bytes);
    pthread_mutex_destroy(&mock->lock);
    free(mock);
}

/* Is `text`, up to `length`, one of the choices? */
static int is_choice(const StrobeOption *option, const char *text, size_t length)
{
    for (const char *const *choice = option->choices; choice && *choice; choice++)
        if (strlen(*choice) == length && memcmp(*choice, text, length) == 0)
            return 1;
    return !option->choices;
}

static int option_accepts(const StrobeOption *option, const char *text)
{
    double number;
    switch (option->type) {
    case STROBE_OPTION_BOOL:
        return parse_bool(text) >= 0;
    case STROBE_OPTION_INT:
    case STROBE_OPTION_DOUBLE:
    case STROBE_OPTION_DURATION:
    case STROBE_OPTION_BYTES:
        return parse_number(option->type, text, &number) == 0 &&
               ((option->min == 0 && option->max == 0) ||
                (number >= option->min && number <= option->max));
    case STROBE_OPTION_ENUM:
        return is_choice(option, text, strlen(text));
    case STROBE_OPTION_LIST:
        while (*text) {
            size_t length = strcspn(text, "+");
            if (!is_choice(option, text, length))
                return 0;
            text += length + (text[length] == '+');
        }
        return 1;
    default:
        return 1;
    }
}

int strobe_mock_host_option(StrobeMockHost *mock, const char *name, const char *value)
{
    int index = option_index(mock, name);
    if (index < 0 || !option_accepts(&mock->component->options[index], value))
        return -1;
    free(mock->values[index]);
    mock->values[index] = strdup(value);
    return mock->values[index] ? 0 : -1;
}

void strobe_mock_host_companions(StrobeMockHost *mock, const char *folder)
{
    free(mock->companions);
    mock->companions = strdup(folder);
}

const StrobeHost *strobe_mock_host_table(const StrobeMockHost *mock)
{
    return &mock->table;
}

StrobeInstance *strobe_mock_host_instance(StrobeMockHost *mock)
{
    return &mock->instance;
}

void strobe_mock_host_gate(StrobeMockHost *mock, int open)
{
    atomic_store(&mock->gate, open);
}

/* ---- the collector's life ---------------------------------------------------------------- */

int strobe_mock_host_probe(StrobeMockHost *mock, uint32_t question, StrobeProbe *answer)
{
    answer->struct_size = sizeof *answer;
    answer->available = 1;
    answer->reason = answer->hint = NULL;
    if (mock->ops->probe)
        mock->ops->probe(question, answer);
    if (answer->available < 0 || answer->available > 2 || (!answer->available && !answer->reason))
        complain(mock, "probe: \"no\" without a reason, or an unknown answer");
    return answer->available;
}

StrobeStatus strobe_mock_host_open(StrobeMockHost *mock)
{
    if (mock->phase != STATE_NEW)
        return STROBE_ERROR_STATE;
    StrobeStatus status = mock->ops->open(&mock->table, &mock->instance, &mock->state);
    if (status != STROBE_AGAIN)
        mock->phase = status == STROBE_OK ? STATE_OPEN : STATE_CLOSED;
    return status;
}

StrobeStatus strobe_mock_host_warm(StrobeMockHost *mock)
{
    if (mock->phase != STATE_OPEN)
        return STROBE_ERROR_STATE;
    return mock->ops->warm ? mock->ops->warm(mock->state) : STROBE_OK;
}

StrobeStatus strobe_mock_host_start(StrobeMockHost *mock)
{
    if (mock->phase != STATE_OPEN)
        return STROBE_ERROR_STATE;
    strobe_mock_host_gate(mock, 1);
    StrobeStatus status = mock->ops->start(mock->state);
    if (status == STROBE_OK)
        mock->phase = STATE_RUNNING;
    else
        strobe_mock_host_gate(mock, 0);
    return status;
}

StrobeStatus strobe_mock_host_stop(StrobeMockHost *mock)
{
    if (mock->phase != STATE_RUNNING)
        return STROBE_ERROR_STATE;
    StrobeStatus status = mock->ops->stop(mock->state);
    strobe_mock_host_gate(mock, 0);
    mock->phase = STATE_OPEN;
    return status;
}

StrobeStatus strobe_mock_host_flush(StrobeMockHost *mock, uint64_t timeout_ns)
{
    if (mock->phase != STATE_OPEN)
        return STROBE_ERROR_STATE;
    StrobeStatus status = STROBE_OK;
    uint64_t deadline = mock_now() + timeout_ns;
    atomic_store(&mock->gate_thread, (uint64_t)gettid());
    strobe_mock_host_gate(mock, 1);
    do {
        status = mock->ops->flush ? mock->ops->flush(mock->state, deadline) : STROBE_OK;
    } while (status == STROBE_AGAIN && mock_now() < deadline);
    strobe_mock_host_gate(mock, 0);
    atomic_store(&mock->gate_thread, 0);
    return status;
}

StrobeStatus strobe_mock_host_cool(StrobeMockHost *mock)
{
    if (mock->phase != STATE_OPEN)
        return STROBE_ERROR_STATE;
    if (mock->ops->cool)
        mock->ops->cool(mock->state);
    return STROBE_OK;
}

StrobeStatus strobe_mock_host_sample(StrobeMockHost *mock)
{
    if (mock->phase != STATE_RUNNING)
        return STROBE_ERROR_STATE;
    if (mock->ops->sample)
        mock->ops->sample(mock->state);
    return STROBE_OK;
}

int64_t strobe_mock_host_sample_interval(StrobeMockHost *mock)
{
    return mock->ops->sample_interval ? mock->ops->sample_interval(mock->state) : 0;
}

StrobeStatus strobe_mock_host_close(StrobeMockHost *mock)
{
    if (mock->phase != STATE_OPEN)
        return STROBE_ERROR_STATE;
    mock->ops->close(mock->state);
    mock->phase = STATE_CLOSED;
    return STROBE_OK;
}

/* ---- results ----------------------------------------------------------------------------- */

static void gather(StrobeMockHost *mock)
{
    size_t n = 0;
    for (StrobeWriter *lane = mock->lanes; lane; lane = lane->next)
        n += lane->n_entries;
    StrobeMockRecord *records = realloc(mock->gathered, (n + 1) * sizeof *records);
    if (!records)
        return;
    mock->gathered = records;
    mock->n_gathered = 0;
    for (StrobeWriter *lane = mock->lanes; lane; lane = lane->next)
        for (size_t i = 0; i < lane->n_entries; i++) {
            const MockEntry *entry = &lane->entries[i];
            StrobeMockRecord *record = &records[mock->n_gathered++];
            record->kind = mock->kinds[entry->kind - 1];
            record->fields = lane->bytes + entry->offset;
            record->name = strobe_mock_host_string(mock, entry->name, &record->name_length);
            record->begin = entry->begin;
            record->end = entry->end;
            record->thread = lane->thread;
            record->track = entry->track;
            record->size = entry->size;
        }
    mock->is_gathered = 1;
}

size_t strobe_mock_host_n_records(StrobeMockHost *mock)
{
    if (!mock->is_gathered)
        gather(mock);
    return mock->n_gathered;
}

const StrobeMockRecord *strobe_mock_host_record(StrobeMockHost *mock, size_t index)
{
    return index < strobe_mock_host_n_records(mock) ? &mock->gathered[index] : NULL;
}

void strobe_mock_host_clear(StrobeMockHost *mock)
{
    for (StrobeWriter *lane = mock->lanes; lane; lane = lane->next) {
        lane->n_entries = 0;
        lane->used = 0;
    }
    mock->n_gathered = 0;
    mock->is_gathered = 0;
}

/* The place of a field, NULL if the kind has none of that name. */
static const void *find_field(const StrobeMockRecord *record, const char *name, uint32_t *type)
{
    for (uint32_t i = 0; i < record->kind->n_fields; i++)
        if (strcmp(record->kind->fields[i].name, name) == 0) {
            *type = record->kind->fields[i].type;
            return (const char *)record->fields + field_offset(record->kind, i);
        }
    return NULL;
}

int64_t strobe_mock_host_integer(const StrobeMockRecord *record, const char *field)
{
    uint32_t type, word;
    int64_t wide;
    const void *place = find_field(record, field, &type);
    if (!place)
        return 0;
    if (type == STROBE_FIELD_F64)
        return (int64_t)strobe_mock_host_double(record, field);
    switch (strobe_field_size(type)) {
    case 1:
        return *(const uint8_t *)place;
    case 4:
        memcpy(&word, place, sizeof word);
        return type == STROBE_FIELD_I32 ? (int64_t)(int32_t)word : (int64_t)word;
    default:
        memcpy(&wide, place, sizeof wide);
        return wide;
    }
}

double strobe_mock_host_double(const StrobeMockRecord *record, const char *field)
{
    uint32_t type;
    double value = 0;
    const void *place = find_field(record, field, &type);
    if (place && type == STROBE_FIELD_F64)
        memcpy(&value, place, sizeof value);
    else if (place)
        value = (double)strobe_mock_host_integer(record, field);
    return value;
}

const char *strobe_mock_host_text(StrobeMockHost *mock, const StrobeMockRecord *record,
                                  const char *field)
{
    return strobe_mock_host_string(mock, (StrobeStringId)strobe_mock_host_integer(record, field),
                                   NULL);
}

const char *strobe_mock_host_string(StrobeMockHost *mock, StrobeStringId id, size_t *length)
{
    pthread_mutex_lock(&mock->lock);
    const MockString *string = id > 0 && id <= mock->n_strings ? mock->strings[id - 1] : NULL;
    pthread_mutex_unlock(&mock->lock);
    if (length)
        *length = string ? string->length : 0;
    return string ? string->bytes : "";
}

const StrobeTrack *strobe_mock_host_track(StrobeMockHost *mock, StrobeTrackId id)
{
    return id > 0 && id <= mock->n_tracks ? &mock->tracks[id - 1] : NULL;
}

uint32_t strobe_mock_host_n_tracks(StrobeMockHost *mock)
{
    return mock->n_tracks;
}

uint64_t strobe_mock_host_n_open(StrobeMockHost *mock)
{
    uint64_t n = 0;
    for (StrobeWriter *lane = mock->lanes; lane; lane = lane->next)
        n += lane->depth;
    return n;
}

uint64_t strobe_mock_host_n_dropped(StrobeMockHost *mock)
{
    uint64_t n = 0;
    for (StrobeWriter *lane = mock->lanes; lane; lane = lane->next)
        n += lane->n_dropped;
    return n;
}

uint64_t strobe_mock_host_n_lost(StrobeMockHost *mock, uint32_t cause)
{
    return cause < STROBE_LOSS_CAUSES ? atomic_load(&mock->lost[cause]) : 0;
}

const char *strobe_mock_host_errors(StrobeMockHost *mock)
{
    return mock->errors.bytes ? mock->errors.bytes : "";
}

const char *strobe_mock_host_messages(StrobeMockHost *mock)
{
    return mock->messages.bytes ? mock->messages.bytes : "";
}

const char *strobe_mock_host_complaints(StrobeMockHost *mock)
{
    return mock->complaints.bytes ? mock->complaints.bytes : "";
}
