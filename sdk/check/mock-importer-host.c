/* SPDX-License-Identifier: Apache-2.0 */
#include "mock-importer-host.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strobe/kinds.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct Lines {
    char *text;
    size_t length;
} Lines;

typedef struct Track {
    StrobeTrack track;
    uint64_t pid;
} Track;

typedef struct Option {
    char *name, *value;
} Option;

typedef struct Strings {
    char **bytes; /* by id */
    size_t *lengths;
    size_t n, room;
    uint32_t *buckets; /* id, 0: free */
    size_t n_buckets;
} Strings;

struct StrobeInstance {
    const StrobeComponent *importer;
    StrobeImportRequest request;
    const StrobeKind *declared[256]; /* by id; the importer's own, gone when it returns */
    StrobeKind *kinds[256];          /* copies of them */
    size_t used[256];
    uint32_t n_kinds;
    Strings strings;
    Track *tracks;
    size_t n_tracks;
    int64_t time_base;
    StrobeMockImported *records;
    size_t n_records, records_room;
    Option *options;
    size_t n_options;
    uint64_t next_link;
    Lines facts, files, found, unknown, damage, errors, complaints;
};

struct StrobeMockImporter {
    struct StrobeInstance instance;
};

static void *must(void *memory)
{
    if (!memory) {
        fputs("mock-importer-host: out of memory\n", stderr);
        abort();
    }
    return memory;
}

static void add_line(Lines *lines, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add_line(Lines *lines, const char *format, ...)
{
    va_list args;
    char *text;

    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        text = NULL;
    va_end(args);
    size_t n = strlen(must(text));
    lines->text = must(realloc(lines->text, lines->length + n + 2));
    memcpy(lines->text + lines->length, text, n);
    memcpy(lines->text + lines->length + n, "\n", 2);
    lines->length += n + 1;
    free(text);
}

static const char *text_of(const Lines *lines)
{
    return lines->text ? lines->text : "";
}

/* ---- strings ---- */

static uint32_t *find_bucket(Strings *s, const char *bytes, size_t length)
{
    uint64_t hash = 14695981039346656037u;

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (uint8_t)bytes[i]) * 1099511628211u;
    for (size_t at = hash & (s->n_buckets - 1);; at = (at + 1) & (s->n_buckets - 1)) {
        uint32_t id = s->buckets[at];

        if (!id || (s->lengths[id] == length && !memcmp(s->bytes[id], bytes, length)))
            return &s->buckets[at];
    }
}

static void grow_strings(Strings *s)
{
    s->room = s->room ? 2 * s->room : 256;
    s->bytes = must(realloc(s->bytes, s->room * sizeof *s->bytes));
    s->lengths = must(realloc(s->lengths, s->room * sizeof *s->lengths));
    free(s->buckets);
    s->n_buckets = 4 * s->room;
    s->buckets = must(calloc(s->n_buckets, sizeof *s->buckets));
    for (size_t i = 1; i < s->n; i++)
        *find_bucket(s, s->bytes[i], s->lengths[i]) = (uint32_t)i;
}

static uint32_t intern(Strings *s, const char *bytes, size_t length)
{
    uint32_t *bucket;

    if (s->n == s->room)
        grow_strings(s);
    if (s->n == 0) { /* id 0 is no string */
        s->bytes[0] = must(calloc(1, 1));
        s->lengths[0] = 0;
        s->n = 1;
    }
    bucket = find_bucket(s, bytes, length);
    if (!*bucket) {
        *bucket = (uint32_t)s->n;
        s->bytes[s->n] = must(malloc(length + 1));
        memcpy(s->bytes[s->n], bytes, length);
        s->bytes[s->n][length] = 0;
        s->lengths[s->n++] = length;
    }
    return *bucket;
}

/* ---- host table ---- */

static const StrobeImportRequest *host_request(StrobeInstance *self)
{
    return &self->request;
}

static int is_declared(const StrobeInstance *self, const StrobeKind *kind)
{
    for (uint32_t i = 0; i < self->importer->n_kinds; i++)
        if (!strcmp(self->importer->kinds[i]->name, kind->name))
            return 1;
    return 0;
}

static char *copy_text(const char *text)
{
    return text ? must(strdup(text)) : NULL;
}

static StrobeKind *copy_kind(const StrobeKind *kind)
{
    StrobeKind *copy = must(malloc(sizeof *copy));
    StrobeField *fields = must(calloc(kind->n_fields + 1, sizeof *fields));

    *copy = *kind;
    copy->name = copy_text(kind->name);
    copy->summary = copy_text(kind->summary);
    for (uint32_t i = 0; i < kind->n_fields; i++) {
        fields[i] = kind->fields[i];
        fields[i].name = copy_text(kind->fields[i].name);
        fields[i].unit = copy_text(kind->fields[i].unit);
        fields[i].summary = copy_text(kind->fields[i].summary);
    }
    copy->fields = fields;
    return copy;
}

static void free_kind(StrobeKind *kind)
{
    for (uint32_t i = 0; i < kind->n_fields; i++) {
        free((char *)(uintptr_t)kind->fields[i].name);
        free((char *)(uintptr_t)kind->fields[i].unit);
        free((char *)(uintptr_t)kind->fields[i].summary);
    }
    free((char *)(uintptr_t)kind->name);
    free((char *)(uintptr_t)kind->summary);
    free((StrobeField *)(uintptr_t)kind->fields);
    free(kind);
}

static StrobeStatus host_kind(StrobeInstance *self, const StrobeKind *kind, StrobeKindId *id)
{
    for (uint32_t i = 1; i <= self->n_kinds; i++)
        if (self->declared[i] == kind) {
            *id = i;
            return STROBE_OK;
        }
    if (self->n_kinds == 255)
        return STROBE_ERROR_ARGUMENT;
    if (strobe_kind_offset(kind, kind->n_fields) == UINT32_MAX)
        add_line(&self->complaints, "kind %s has a field of an unknown type", kind->name);
    if (!strchr(kind->name, '.') && !is_declared(self, kind))
        add_line(&self->complaints, "kind %s is not among the component's kinds", kind->name);
    self->declared[++self->n_kinds] = kind;
    self->kinds[self->n_kinds] = copy_kind(kind);
    *id = self->n_kinds;
    return STROBE_OK;
}

static int equal_texts(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static StrobeTrackId host_track(StrobeInstance *self, const StrobeTrack *track, uint64_t pid)
{
    for (size_t i = 0; i < self->n_tracks; i++) {
        const StrobeTrack *old = &self->tracks[i].track;

        if (old->type == track->type && old->device == track->device && old->id == track->id &&
            self->tracks[i].pid == pid && equal_texts(old->name, track->name) &&
            equal_texts(old->group, track->group))
            return (StrobeTrackId)i + 1;
    }
    if (track->type < STROBE_TRACK_THREAD || track->type > STROBE_TRACK_PROCESS)
        add_line(&self->complaints, "a track has the unknown type %u", track->type);
    self->tracks = must(realloc(self->tracks, (self->n_tracks + 1) * sizeof *self->tracks));
    self->tracks[self->n_tracks] = (Track){*track, pid};
    self->tracks[self->n_tracks].track.name = copy_text(track->name);
    self->tracks[self->n_tracks].track.group = copy_text(track->group);
    return (StrobeTrackId)++self->n_tracks;
}

static StrobeStringId host_intern(StrobeInstance *self, const char *bytes, size_t length)
{
    return intern(&self->strings, bytes, length);
}

static StrobeStackId host_stack(StrobeInstance *self, const StrobeStringId *frames, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (frames[i] == 0 || frames[i] >= self->strings.n)
            add_line(&self->complaints, "a stack has the unknown string %u", frames[i]);
    return n ? intern(&self->strings, (const char *)frames, n * sizeof *frames) : 0;
}

static StrobeStatus host_retrack(StrobeInstance *self, StrobeTrackId id, const StrobeTrack *track,
                                 uint64_t pid)
{
    Track *old = id && id <= self->n_tracks ? &self->tracks[id - 1] : NULL;

    if (!old || track->type < STROBE_TRACK_THREAD || track->type > STROBE_TRACK_PROCESS) {
        add_line(&self->complaints, "track %u becomes one of type %u", id, track->type);
        return STROBE_ERROR_ARGUMENT;
    }
    free((char *)(uintptr_t)old->track.name);
    free((char *)(uintptr_t)old->track.group);
    *old = (Track){*track, pid};
    old->track.name = copy_text(track->name);
    old->track.group = copy_text(track->group);
    return STROBE_OK;
}

static StrobeStatus host_time_base(StrobeInstance *self, int64_t base_ns)
{
    int64_t end = 0;

    for (size_t i = 0; i < self->n_records; i++)
        end = self->records[i].end_ns > end ? self->records[i].end_ns : end;
    if (base_ns < 0 || base_ns > ((int64_t)1 << 61) - end)
        return STROBE_ERROR_ARGUMENT;
    self->time_base = base_ns;
    return STROBE_OK;
}

static void *host_emit(StrobeInstance *self, StrobeKindId id, StrobeTrackId track,
                       StrobeStringId name, int64_t begin_ns, int64_t end_ns)
{
    const StrobeKind *kind = id && id <= self->n_kinds ? self->kinds[id] : NULL;
    StrobeMockImported *record;

    if (!kind) {
        add_line(&self->complaints, "a record is of the unknown kind %u", id);
        return NULL;
    }
    if (kind->shape != STROBE_SHAPE_SPAN)
        end_ns = begin_ns;
    if (begin_ns < 0 || end_ns < begin_ns)
        add_line(&self->complaints, "a record of kind %s lasts from %lld to %lld", kind->name,
                 (long long)begin_ns, (long long)end_ns);
    if (track > self->n_tracks || (name && name >= self->strings.n))
        add_line(&self->complaints, "a record of kind %s has the unknown track %u or name %u",
                 kind->name, track, name);
    if (self->n_records == self->records_room) {
        self->records_room = self->records_room ? 2 * self->records_room : 256;
        self->records = must(realloc(self->records, self->records_room * sizeof *self->records));
    }
    self->used[id]++;
    record = &self->records[self->n_records++];
    *record = (StrobeMockImported){kind, NULL, track, name, begin_ns, end_ns};
    record->fields = must(calloc(1, strobe_kind_offset(kind, kind->n_fields) + 8));
    for (uint32_t i = 0; i < kind->n_fields; i++)
        strobe_field_put_absent((char *)record->fields + strobe_kind_offset(kind, i),
                                kind->fields[i].type);
    return record->fields;
}

static uint64_t host_link_ids(StrobeInstance *self, uint32_t n)
{
    uint64_t first = self->next_link;

    self->next_link += n;
    return first;
}

static void host_fact_text(StrobeInstance *self, const char *key, const char *value)
{
    add_line(&self->facts, "%s=%s", key, value);
}

static void host_fact_int(StrobeInstance *self, const char *key, int64_t value)
{
    add_line(&self->facts, "%s=%lld", key, (long long)value);
}

static StrobeStatus host_file(StrobeInstance *self, const char *name, const char *bytes,
                              size_t length)
{
    if (!*name || strchr(name, '/') || length > 1u << 20)
        return STROBE_ERROR_ARGUMENT;
    add_line(&self->files, "%s=%.*s", name, (int)length, bytes);
    return STROBE_OK;
}

static void host_found(StrobeInstance *self, const char *part, uint64_t rows)
{
    add_line(&self->found, "%s: %llu", part, (unsigned long long)rows);
}

static void host_unknown(StrobeInstance *self, const char *part, const char *name, uint64_t rows)
{
    add_line(&self->unknown, "%s: %s: %llu", part, name, (unsigned long long)rows);
}

static void host_damage(StrobeInstance *self, const char *place, const char *reason)
{
    add_line(&self->damage, "%s: %s", place, reason);
}

static void host_progress(StrobeInstance *self, uint64_t done, uint64_t total)
{
    if (done > total)
        add_line(&self->complaints, "progress is %llu of %llu", (unsigned long long)done,
                 (unsigned long long)total);
}

static int32_t host_scratch(StrobeInstance *self)
{
    char name[] = "/tmp/mock-importer-XXXXXX";
    int file = mkstemp(name);

    if (file >= 0)
        unlink(name);
    return file;
}

/* ---- options ---- */

static const char *host_option_text(StrobeInstance *self, const char *name)
{
    for (size_t i = self->n_options; i-- > 0;)
        if (!strcmp(self->options[i].name, name))
            return self->options[i].value;
    for (uint32_t i = 0; i < self->importer->n_options; i++)
        if (!strcmp(self->importer->options[i].name, name))
            return self->importer->options[i].default_value;
    add_line(&self->complaints, "the option %s is not declared", name);
    return "";
}

static int32_t host_option_bool(StrobeInstance *self, const char *name)
{
    return strcmp(host_option_text(self, name), "true") == 0;
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
    __attribute__((format(printf, 3, 4)));

static void host_log(StrobeInstance *self, int32_t level, const char *format, ...)
{
    if (level < STROBE_LOG_ERROR || level > STROBE_LOG_DEBUG)
        add_line(&self->complaints, "a line of the unknown level %d is logged", level);
}

static StrobeStatus host_fail(StrobeInstance *self, StrobeStatus status, const char *file,
                              int32_t line, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

static StrobeStatus host_fail(StrobeInstance *self, StrobeStatus status, const char *file,
                              int32_t line, const char *format, ...)
{
    va_list args;
    char *text;

    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        text = NULL;
    va_end(args);
    add_line(&self->errors, "%s", (char *)must(text));
    free(text);
    if (status >= 0)
        add_line(&self->complaints, "a failure has the status %d", status);
    return status;
}

static const StrobeImporterHost table = {
    .struct_size = sizeof(StrobeImporterHost),
    .abi_minor = STROBE_ABI_MINOR,
    .request = host_request,
    .kind = host_kind,
    .track = host_track,
    .intern = host_intern,
    .stack = host_stack,
    .emit = host_emit,
    .link_ids = host_link_ids,
    .fact_text = host_fact_text,
    .fact_int = host_fact_int,
    .file = host_file,
    .found = host_found,
    .unknown = host_unknown,
    .damage = host_damage,
    .progress = host_progress,
    .scratch = host_scratch,
    .option_bool = host_option_bool,
    .option_int = host_option_int,
    .option_double = host_option_double,
    .option_text = host_option_text,
    .log = host_log,
    .fail = host_fail,
    .retrack = host_retrack,
    .time_base = host_time_base,
};

/* ---- life ---- */

StrobeMockImporter *strobe_mock_importer_new(const StrobeComponent *importer)
{
    StrobeMockImporter *mock = must(calloc(1, sizeof *mock));

    mock->instance.importer = importer;
    mock->instance.request =
        (StrobeImportRequest){.struct_size = sizeof(StrobeImportRequest), .memory_bytes = 64 << 20};
    mock->instance.next_link = (uint64_t)1 << 62;
    return mock;
}

void strobe_mock_importer_free(StrobeMockImporter *mock)
{
    StrobeInstance *self = &mock->instance;
    Lines *lines[] = {&self->facts,  &self->files,  &self->found,     &self->unknown,
                      &self->damage, &self->errors, &self->complaints};

    for (size_t i = 0; i < self->n_records; i++)
        free(self->records[i].fields);
    for (uint32_t i = 1; i <= self->n_kinds; i++)
        free_kind(self->kinds[i]);
    for (size_t i = 0; i < self->n_tracks; i++) {
        free((char *)(uintptr_t)self->tracks[i].track.name);
        free((char *)(uintptr_t)self->tracks[i].track.group);
    }
    for (size_t i = 0; i < self->strings.n; i++)
        free(self->strings.bytes[i]);
    for (size_t i = 0; i < self->n_options; i++) {
        free(self->options[i].name);
        free(self->options[i].value);
    }
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        free(lines[i]->text);
    free(self->records);
    free(self->tracks);
    free(self->strings.bytes);
    free(self->strings.lengths);
    free(self->strings.buckets);
    free(self->options);
    free(mock);
}

StrobeImportRequest *strobe_mock_importer_request(StrobeMockImporter *mock)
{
    return &mock->instance.request;
}

void strobe_mock_importer_option(StrobeMockImporter *mock, const char *name, const char *value)
{
    StrobeInstance *self = &mock->instance;

    self->options = must(realloc(self->options, (self->n_options + 1) * sizeof *self->options));
    self->options[self->n_options++] = (Option){copy_text(name), copy_text(value)};
}

static int open_source(StrobeSource *source, const char *path, unsigned char *head)
{
    struct stat st;
    ssize_t n = 0;

    *source = (StrobeSource){.struct_size = sizeof *source, .path = path, .head = head};
    source->descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (source->descriptor < 0 || fstat(source->descriptor, &st))
        return -1;
    source->is_folder = S_ISDIR(st.st_mode);
    if (!source->is_folder)
        n = pread(source->descriptor, head, STROBE_SOURCE_HEAD, 0);
    source->n_head = n > 0 ? (uint32_t)n : 0;
    return 0;
}

StrobeSourceProbe strobe_mock_importer_probe(StrobeMockImporter *mock, const char *path)
{
    const StrobeImporterOps *ops = mock->instance.importer->ops;
    unsigned char *head = must(malloc(STROBE_SOURCE_HEAD));
    StrobeSourceProbe answer = {.struct_size = sizeof answer, .score = -1};
    StrobeSource source;

    if (open_source(&source, path, head) == 0) {
        answer.score = 0;
        ops->probe(&source, &answer);
    }
    if (source.descriptor >= 0)
        close(source.descriptor);
    free(head);
    return answer;
}

static void check_result(StrobeInstance *self, StrobeStatus status)
{
    if (status > 0)
        add_line(&self->complaints, "import returned the status %d", status);
    if (status < 0 && !self->errors.length)
        add_line(&self->complaints, "import failed and gave no reason");
    if (status == STROBE_OK && self->n_records && !self->found.length)
        add_line(&self->complaints, "import does not say what it found");
}

StrobeStatus strobe_mock_importer_run(StrobeMockImporter *mock, const char *path)
{
    const StrobeImporterOps *ops = mock->instance.importer->ops;
    unsigned char *head = must(malloc(STROBE_SOURCE_HEAD));
    StrobeStatus status = STROBE_ERROR_INPUT;
    StrobeSource source;

    if (open_source(&source, path, head) == 0) {
        status = ops->import(&table, &mock->instance, &source);
        for (size_t i = 0; i < mock->instance.n_records; i++) {
            mock->instance.records[i].begin_ns += mock->instance.time_base;
            mock->instance.records[i].end_ns += mock->instance.time_base;
        }
        check_result(&mock->instance, status);
    }
    if (source.descriptor >= 0)
        close(source.descriptor);
    free(head);
    return status;
}

/* ---- results ---- */

size_t strobe_mock_importer_n_records(const StrobeMockImporter *mock)
{
    return mock->instance.n_records;
}

const StrobeMockImported *strobe_mock_importer_record(const StrobeMockImporter *mock, size_t index)
{
    return index < mock->instance.n_records ? &mock->instance.records[index] : NULL;
}

static const char *find_field(StrobeMockImporter *mock, const StrobeMockImported *record,
                              const char *name, uint32_t *type)
{
    for (uint32_t i = 0; i < record->kind->n_fields; i++)
        if (!strcmp(record->kind->fields[i].name, name)) {
            *type = record->kind->fields[i].type;
            return (const char *)record->fields + strobe_kind_offset(record->kind, i);
        }
    add_line(&mock->instance.complaints, "kind %s has no field %s", record->kind->name, name);
    return NULL;
}

int64_t strobe_mock_importer_integer(StrobeMockImporter *mock, const StrobeMockImported *record,
                                     const char *field)
{
    uint32_t type = 0;
    const char *at = find_field(mock, record, field, &type);
    int64_t wide = 0;
    int32_t narrow;

    if (!at)
        return 0;
    if (type == STROBE_FIELD_I32) {
        memcpy(&narrow, at, sizeof narrow);
        return narrow;
    }
    memcpy(&wide, at, strobe_field_size(type)); /* little endian */
    return wide;
}

double strobe_mock_importer_double(StrobeMockImporter *mock, const StrobeMockImported *record,
                                   const char *field)
{
    uint32_t type = 0;
    const char *at = find_field(mock, record, field, &type);
    double value = STROBE_ABSENT_F64;

    if (at && type == STROBE_FIELD_F64)
        memcpy(&value, at, sizeof value);
    return value;
}

const char *strobe_mock_importer_text(StrobeMockImporter *mock, const StrobeMockImported *record,
                                      const char *field)
{
    return strobe_mock_importer_string(
        mock, (StrobeStringId)strobe_mock_importer_integer(mock, record, field));
}

const char *strobe_mock_importer_string(const StrobeMockImporter *mock, StrobeStringId id)
{
    return id && id < mock->instance.strings.n ? mock->instance.strings.bytes[id] : "";
}

size_t strobe_mock_importer_stack(const StrobeMockImporter *mock, StrobeStackId id,
                                  const StrobeStringId **frames)
{
    const Strings *strings = &mock->instance.strings;

    *frames = id && id < strings->n ? (const void *)strings->bytes[id] : NULL;
    return *frames ? strings->lengths[id] / sizeof **frames : 0;
}

const StrobeTrack *strobe_mock_importer_track(const StrobeMockImporter *mock, StrobeTrackId id,
                                              uint64_t *pid)
{
    if (id == 0 || id > mock->instance.n_tracks)
        return NULL;
    if (pid)
        *pid = mock->instance.tracks[id - 1].pid;
    return &mock->instance.tracks[id - 1].track;
}

const char *strobe_mock_importer_facts(const StrobeMockImporter *mock)
{
    return text_of(&mock->instance.facts);
}

const char *strobe_mock_importer_files(const StrobeMockImporter *mock)
{
    return text_of(&mock->instance.files);
}

const char *strobe_mock_importer_found(const StrobeMockImporter *mock)
{
    return text_of(&mock->instance.found);
}

const char *strobe_mock_importer_unknown(const StrobeMockImporter *mock)
{
    return text_of(&mock->instance.unknown);
}

const char *strobe_mock_importer_damage(const StrobeMockImporter *mock)
{
    return text_of(&mock->instance.damage);
}

const char *strobe_mock_importer_errors(const StrobeMockImporter *mock)
{
    return text_of(&mock->instance.errors);
}

const char *strobe_mock_importer_complaints(const StrobeMockImporter *mock)
{
    return text_of(&mock->instance.complaints);
}
