/* SPDX-License-Identifier: Apache-2.0 */
#include "mock-consumer-host.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <strobe/helpers/gaps.h>

#include "mock-memory.h"
#include "mock-storage.h"
#include "mock-strings.h"

typedef struct MockStack {
    StrobeStringId *frames;
    size_t n;
} MockStack;

typedef struct MockKind {
    StrobeKindView view;
    StrobeFieldView *fields;
    const StrobeKind *kind;
    size_t size; /* of the fields, without padding at the end */
} MockKind;

typedef struct MockOption {
    char *name;
    char *value;
} MockOption;

/* A list of records, each with a copy of its fields. */
typedef struct MockRecords {
    StrobeView *views;
    size_t n, room;
} MockRecords;

struct StrobeInstance {
    StrobeConsumerHost table;
    StrobeMetadata metadata;
    StrobeStorage storage;
    const StrobeComponent *component;
    void *state;

    MockStrings strings;
    MockStack *stacks;
    size_t n_stacks;
    StrobeTrackView **tracks;
    size_t n_tracks;
    MockKind **kinds;
    size_t n_kinds;
    MockOption *options;
    size_t n_options;
    MockOption *metadata_texts;
    size_t n_metadata_texts;

    MockRecords queue;
    MockRecords emitted;
    StrobeGaps *gaps; /* gaps of the loss records that were sent */
    char error[1024];
    unsigned warnings;
};

static char *copy_text(const char *text)
{
    return mock_copy(text ? text : "", text ? strlen(text) : 0);
}

/* Strings */

StrobeStringId strobe_mock_bytes(StrobeMockHost *mock, const char *bytes, size_t length)
{
    return strobe_mock_strings_id(&mock->strings, bytes, length);
}

StrobeStringId strobe_mock_string(StrobeMockHost *mock, const char *text)
{
    return strobe_mock_bytes(mock, text, strlen(text));
}

static const char *host_metadata_entry(StrobeInstance *self, const char *key)
{
    for (size_t i = 0; i < self->n_metadata_texts; i++)
        if (!strcmp(self->metadata_texts[i].name, key))
            return self->metadata_texts[i].value;
    return "";
}

static StrobeText host_string(StrobeInstance *self, StrobeStringId id)
{
    return strobe_mock_strings_text(&self->strings, id);
}

const char *strobe_mock_text(StrobeMockHost *mock, StrobeStringId id)
{
    return host_string(mock, id).bytes;
}

/* May the component intern texts? Only a pass may, as in Strobe. */
static int may_intern(const StrobeInstance *self)
{
    return !self->component || self->component->type == STROBE_COMPONENT_PASS;
}

static StrobeStringId host_intern(StrobeInstance *self, const char *bytes, size_t length)
{
    if (!may_intern(self))
        return 0;
    return strobe_mock_bytes(self, bytes, length);
}

/* Stacks */

static StrobeStackId add_stack(StrobeInstance *self, const StrobeStringId *frames, size_t n)
{
    MockStack *stack;

    for (size_t i = 1; i < self->n_stacks; i++)
        if (self->stacks[i].n == n && !memcmp(self->stacks[i].frames, frames, n * sizeof *frames))
            return (StrobeStackId)i;
    self->stacks = mock_must(realloc(self->stacks, (self->n_stacks + 1) * sizeof *self->stacks));
    stack = &self->stacks[self->n_stacks];
    stack->frames = mock_must(malloc((n + 1) * sizeof *frames));
    memcpy(stack->frames, frames, n * sizeof *frames);
    stack->n = n;
    return (StrobeStackId)self->n_stacks++;
}

static StrobeStackId host_stack(StrobeInstance *self, const StrobeStringId *frames, size_t n)
{
    return may_intern(self) ? add_stack(self, frames, n) : 0;
}

StrobeStackId strobe_mock_stack(StrobeMockHost *mock, const char *const *frames)
{
    StrobeStringId ids[256];
    size_t n = 0;

    while (frames[n] && n < sizeof ids / sizeof ids[0]) {
        ids[n] = strobe_mock_string(mock, frames[n]);
        n++;
    }
    return add_stack(mock, ids, n);
}

static size_t host_stack_frames(StrobeInstance *self, StrobeStackId id,
                                const StrobeStringId **frames)
{
    if (!id || id >= self->n_stacks) {
        *frames = NULL;
        return 0;
    }
    *frames = self->stacks[id].frames;
    return self->stacks[id].n;
}

/* Tracks */

StrobeTrackId strobe_mock_track(StrobeMockHost *mock, uint32_t type, uint64_t number,
                                const char *name, const char *group, int32_t device)
{
    StrobeTrackView *track = mock_must(calloc(1, sizeof *track));

    /* the array is full when its number of elements is 0 or a power of two */
    if ((mock->n_tracks & (mock->n_tracks - 1)) == 0)
        mock->tracks = mock_must(realloc(mock->tracks, (2 * mock->n_tracks + 1) * sizeof(void *)));
    mock->tracks[mock->n_tracks++] = track;
    track->id = (StrobeTrackId)mock->n_tracks;
    track->type = type;
    track->device = device;
    track->pid = mock->metadata.pid;
    track->number = number;
    track->name = copy_text(name);
    track->group = copy_text(group);
    return track->id;
}

void strobe_mock_clock(StrobeMockHost *mock, StrobeTrackId track, const StrobeClockView *clock)
{
    mock->tracks[track - 1]->clock = clock;
}

static const StrobeTrackView *host_track(StrobeInstance *self, StrobeTrackId id)
{
    return id && id <= self->n_tracks ? self->tracks[id - 1] : NULL;
}

static uint32_t host_track_count(StrobeInstance *self)
{
    return (uint32_t)self->n_tracks;
}

/* Kinds */

static MockKind *find_kind(StrobeMockHost *mock, const StrobeKind *kind)
{
    MockKind *made;
    size_t offset = 0;

    for (size_t i = 0; i < mock->n_kinds; i++)
        if (mock->kinds[i]->kind == kind)
            return mock->kinds[i];
    made = mock_must(calloc(1, sizeof *made));
    made->fields = mock_must(calloc(kind->n_fields + 1, sizeof *made->fields));
    for (uint32_t i = 0; i < kind->n_fields; i++) {
        const StrobeField *field = &kind->fields[i];
        size_t size = strobe_field_size(field->type);

        offset = (offset + size - 1) / size * size;
        made->fields[i] = (StrobeFieldView){field->name, field->unit, field->summary, field->type,
                                            (uint32_t)offset};
        offset += size;
    }
    mock->kinds = mock_must(realloc(mock->kinds, (mock->n_kinds + 1) * sizeof(void *)));
    mock->kinds[mock->n_kinds++] = made;
    made->kind = kind;
    made->size = offset;
    made->view = (StrobeKindView){.name = kind->name,
                                  .summary = kind->summary,
                                  .fields = made->fields,
                                  .n_fields = kind->n_fields,
                                  .shape = kind->shape,
                                  .id = (StrobeKindId)mock->n_kinds};
    return made;
}

const StrobeKindView *strobe_mock_kind(StrobeMockHost *mock, const StrobeKind *kind)
{
    return &find_kind(mock, kind)->view;
}

const StrobeKindView *strobe_mock_derived_kind(StrobeMockHost *mock, const StrobeKind *kind)
{
    MockKind *made = find_kind(mock, kind);

    made->view.derived = 1;
    return &made->view;
}

/* Records */

static StrobeView *add_record(MockRecords *records, MockKind *kind)
{
    StrobeView *view;

    if (records->n == records->room) {
        records->room = records->room ? 2 * records->room : 64;
        records->views = mock_must(realloc(records->views, records->room * sizeof *records->views));
    }
    view = &records->views[records->n++];
    /* up to 7 bytes of padding, as in the struct of the kind */
    *view = (StrobeView){.kind = &kind->view, .fields = mock_must(calloc(1, kind->size + 8))};
    return view;
}

static size_t record_size(const StrobeView *view)
{
    /* The view is the first member of its MockKind. */
    return ((const MockKind *)(const void *)view->kind)->size;
}

static void clear_records(MockRecords *records)
{
    for (size_t i = 0; i < records->n; i++) {
        memset((void *)records->views[i].fields, 0xa5, record_size(&records->views[i]));
        free((void *)records->views[i].fields);
    }
    if (records->n)
        memset(records->views, 0xa5, records->n * sizeof *records->views);
    records->n = 0;
}

StrobeView *strobe_mock_add(StrobeMockHost *mock, const StrobeKind *kind, StrobeTrackId track,
                            StrobeStringId name, int64_t begin_ns, int64_t end_ns,
                            const void *fields)
{
    StrobeView *view = add_record(&mock->queue, find_kind(mock, kind));

    view->track = track;
    view->name = name;
    view->begin_ns = begin_ns;
    view->end_ns = end_ns;
    if (fields)
        memcpy((void *)view->fields, fields, record_size(view));
    return view;
}

static void *host_emit(StrobeInstance *self, uint32_t kind_index, StrobeTrackId track,
                       StrobeStringId name, int64_t begin_ns, int64_t end_ns)
{
    StrobeView *view;

    if (!self->component || kind_index >= self->component->n_kinds) {
        fputs("mock-consumer-host: emit of a kind that the component does not declare\n", stderr);
        abort();
    }
    strobe_mock_derived_kind(self, self->component->kinds[kind_index]);
    view = add_record(&self->emitted, find_kind(self, self->component->kinds[kind_index]));
    view->track = track;
    view->name = name;
    view->begin_ns = begin_ns;
    view->end_ns = end_ns;
    return (void *)view->fields;
}

static int32_t host_touches_gap(StrobeInstance *self, StrobeTrackId track, int64_t begin_ns,
                                int64_t end_ns)
{
    return strobe_gaps_touch(self->gaps, track, begin_ns, end_ns);
}

static void host_flag(StrobeInstance *self, uint32_t flags)
{
    if (!self->emitted.n) {
        fputs("mock-consumer-host: flag without a record emitted\n", stderr);
        abort();
    }
    self->emitted.views[self->emitted.n - 1].flags |= flags;
}

size_t strobe_mock_emitted(StrobeMockHost *mock, const StrobeView **views)
{
    if (views)
        *views = mock->emitted.views;
    return mock->emitted.n;
}

/* Options, log, errors */

void strobe_mock_metadata_entry(StrobeMockHost *mock, const char *key, const char *value)
{
    mock->metadata_texts = mock_must(
        realloc(mock->metadata_texts, (mock->n_metadata_texts + 1) * sizeof *mock->metadata_texts));
    mock->metadata_texts[mock->n_metadata_texts++] = (MockOption){copy_text(key), copy_text(value)};
}

void strobe_mock_option(StrobeMockHost *mock, const char *name, const char *value)
{
    mock->options =
        mock_must(realloc(mock->options, (mock->n_options + 1) * sizeof *mock->options));
    mock->options[mock->n_options++] = (MockOption){copy_text(name), copy_text(value)};
}

static const char *host_option_text(StrobeInstance *self, const char *name)
{
    for (size_t i = self->n_options; i-- > 0;)
        if (!strcmp(self->options[i].name, name))
            return self->options[i].value;
    for (uint32_t i = 0; self->component && i < self->component->n_options; i++)
        if (!strcmp(self->component->options[i].name, name))
            return self->component->options[i].default_value;
    fprintf(stderr, "mock-consumer-host: option \"%s\" is not declared\n", name);
    abort();
}

static int32_t host_option_bool(StrobeInstance *self, const char *name)
{
    return !strcmp(host_option_text(self, name), "true");
}

static int64_t host_option_int(StrobeInstance *self, const char *name)
{
    return strtoll(host_option_text(self, name), NULL, 10);
}

static double host_option_double(StrobeInstance *self, const char *name)
{
    return strtod(host_option_text(self, name), NULL);
}

static void host_log(StrobeInstance *self, int32_t level, const char *format, ...)
{
    if (level <= STROBE_LOG_WARNING)
        self->warnings++;
}

static StrobeStatus host_fail(StrobeInstance *self, StrobeStatus status, const char *file,
                              int32_t line, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(self->error, sizeof self->error, format, arguments);
    va_end(arguments);
    return status;
}

const char *strobe_mock_error(StrobeMockHost *mock)
{
    return mock->error;
}

unsigned strobe_mock_warnings(StrobeMockHost *mock)
{
    return mock->warnings;
}

static const StrobeMetadata *host_metadata(StrobeInstance *self)
{
    return &self->metadata;
}

/* The host itself */

static StrobeStorage *host_storage(StrobeInstance *self)
{
    return &self->storage;
}

StrobeMockHost *strobe_mock_new(const StrobeComponent *component, int directory)
{
    StrobeMockHost *mock = mock_must(calloc(1, sizeof *mock));

    mock->component = component;
    mock->storage = strobe_mock_storage(32u << 20, 16u << 20);
    mock->metadata = (StrobeMetadata){.struct_size = sizeof(StrobeMetadata),
                                      .rank = -1,
                                      .pid = 4711,
                                      .host = "host",
                                      .command = "/usr/bin/python3 train.py",
                                      .strobe_version = "0",
                                      .directory = directory,
                                      .generation = 3,
                                      .level = -1,
                                      .complete = 1,
                                      .directory_path = "mock"};
    mock->table = (StrobeConsumerHost){.struct_size = sizeof(StrobeConsumerHost),
                                       .abi_minor = STROBE_ABI_MINOR,
                                       .metadata = host_metadata,
                                       .string = host_string,
                                       .stack_frames = host_stack_frames,
                                       .track = host_track,
                                       .track_count = host_track_count,
                                       .storage = host_storage,
                                       .intern = host_intern,
                                       .stack = host_stack,
                                       .emit = host_emit,
                                       .metadata_value = host_metadata_entry,
                                       .option_bool = host_option_bool,
                                       .option_int = host_option_int,
                                       .option_double = host_option_double,
                                       .option_text = host_option_text,
                                       .log = host_log,
                                       .fail = host_fail,
                                       .touches_gap = host_touches_gap,
                                       .flag = host_flag};
    mock->gaps = mock_must(strobe_gaps_new());
    mock->stacks = mock_must(calloc(1, sizeof *mock->stacks));
    mock->n_stacks = 1;
    return mock;
}

const StrobeConsumerHost *strobe_mock_table(StrobeMockHost *mock)
{
    return &mock->table;
}

StrobeMetadata *strobe_mock_metadata(StrobeMockHost *mock)
{
    return &mock->metadata;
}

void strobe_mock_free(StrobeMockHost *mock)
{
    clear_records(&mock->queue);
    clear_records(&mock->emitted);
    strobe_gaps_free(mock->gaps);
    free(mock->queue.views);
    free(mock->emitted.views);
    for (size_t i = 0; i < mock->n_stacks; i++)
        free(mock->stacks[i].frames);
    for (size_t i = 0; i < mock->n_tracks; i++) {
        free((void *)mock->tracks[i]->name);
        free((void *)mock->tracks[i]->group);
        free(mock->tracks[i]);
    }
    for (size_t i = 0; i < mock->n_kinds; i++) {
        free(mock->kinds[i]->fields);
        free(mock->kinds[i]);
    }
    for (size_t i = 0; i < mock->n_options; i++) {
        free(mock->options[i].name);
        free(mock->options[i].value);
    }
    strobe_mock_strings_clear(&mock->strings);
    free(mock->stacks);
    free(mock->tracks);
    free(mock->kinds);
    for (size_t i = 0; i < mock->n_metadata_texts; i++) {
        free(mock->metadata_texts[i].name);
        free(mock->metadata_texts[i].value);
    }
    free(mock->options);
    free(mock->metadata_texts);
    free(mock);
}

static const StrobeConsumerOps *ops_of(StrobeMockHost *mock)
{
    return mock->component->ops;
}

StrobeStatus strobe_mock_open(StrobeMockHost *mock)
{
    return ops_of(mock)->open(&mock->table, mock, &mock->state);
}

StrobeStatus strobe_mock_send(StrobeMockHost *mock)
{
    StrobeStatus status = STROBE_OK;

    for (size_t i = 0; i < mock->queue.n; i++)
        strobe_gaps_add_record(mock->gaps, &mock->queue.views[i]);
    if (mock->queue.n)
        status = ops_of(mock)->batch(mock->state, mock->queue.views, mock->queue.n);
    clear_records(&mock->queue);
    return status;
}

StrobeStatus strobe_mock_raw_end(StrobeMockHost *mock)
{
    return ops_of(mock)->raw_end ? ops_of(mock)->raw_end(mock->state) : STROBE_OK;
}

StrobeStatus strobe_mock_end(StrobeMockHost *mock)
{
    return ops_of(mock)->end(mock->state);
}

void strobe_mock_close(StrobeMockHost *mock)
{
    ops_of(mock)->close(mock->state);
}

StrobeStatus strobe_mock_run(StrobeMockHost *mock)
{
    StrobeStatus status = strobe_mock_open(mock);

    if (status)
        return status;
    status = strobe_mock_send(mock);
    if (!status)
        status = strobe_mock_raw_end(mock);
    if (!status)
        status = strobe_mock_end(mock);
    strobe_mock_close(mock);
    return status;
}
