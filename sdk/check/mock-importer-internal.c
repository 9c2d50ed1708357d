/* SPDX-License-Identifier: Apache-2.0 */
#include "mock-importer-internal.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strobe/kinds.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mock-memory.h"

void strobe_mock_line(MockLines *lines, const char *format, ...)
{
    va_list args;
    char *text;

    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        text = NULL;
    va_end(args);
    size_t n = strlen(mock_must(text));
    lines->text = mock_must(realloc(lines->text, lines->length + n + 2));
    memcpy(lines->text + lines->length, text, n);
    memcpy(lines->text + lines->length + n, "\n", 2);
    lines->length += n + 1;
    free(text);
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
    return text ? mock_must(strdup(text)) : NULL;
}

static StrobeKind *copy_kind(const StrobeKind *kind)
{
    StrobeKind *copy = mock_must(malloc(sizeof *copy));
    StrobeField *fields = mock_must(calloc(kind->n_fields + 1, sizeof *fields));

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
        strobe_mock_line(&self->complaints, "kind %s has a field of an unknown type", kind->name);
    if (!strchr(kind->name, '.') && !is_declared(self, kind))
        strobe_mock_line(&self->complaints, "kind %s is not among the component's kinds",
                         kind->name);
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
        strobe_mock_line(&self->complaints, "a track has the unknown type %u", track->type);
    self->tracks = mock_must(realloc(self->tracks, (self->n_tracks + 1) * sizeof *self->tracks));
    self->tracks[self->n_tracks] = (MockTrack){*track, pid};
    self->tracks[self->n_tracks].track.name = copy_text(track->name);
    self->tracks[self->n_tracks].track.group = copy_text(track->group);
    return (StrobeTrackId)++self->n_tracks;
}

static StrobeStringId host_intern(StrobeInstance *self, const char *bytes, size_t length)
{
    return strobe_mock_strings_id(&self->strings, bytes, length);
}

static StrobeStackId host_stack(StrobeInstance *self, const StrobeStringId *frames, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (frames[i] == 0 || frames[i] >= self->strings.n)
            strobe_mock_line(&self->complaints, "a stack has the unknown string %u", frames[i]);
    return n ? strobe_mock_strings_id(&self->strings, (const char *)frames, n * sizeof *frames) : 0;
}

static StrobeStatus host_retrack(StrobeInstance *self, StrobeTrackId id, const StrobeTrack *track,
                                 uint64_t pid)
{
    MockTrack *old = id && id <= self->n_tracks ? &self->tracks[id - 1] : NULL;

    if (!old || track->type < STROBE_TRACK_THREAD || track->type > STROBE_TRACK_PROCESS) {
        strobe_mock_line(&self->complaints, "track %u becomes one of type %u", id, track->type);
        return STROBE_ERROR_ARGUMENT;
    }
    free((char *)(uintptr_t)old->track.name);
    free((char *)(uintptr_t)old->track.group);
    *old = (MockTrack){*track, pid};
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

/* Records the path of the capture, so that a test can see it. The mock does not read captures. */
static StrobeStatus host_capture(StrobeInstance *self, const char *part, int32_t descriptor,
                                 uint64_t *n)
{
    if (descriptor < 0)
        strobe_mock_line(&self->complaints, "the capture %s has no file", part);
    strobe_mock_line(&self->found, "%s: a capture", part);
    if (n)
        *n = 0;
    return STROBE_OK;
}

static void *host_emit(StrobeInstance *self, StrobeKindId id, StrobeTrackId track,
                       StrobeStringId name, int64_t begin_ns, int64_t end_ns)
{
    const StrobeKind *kind = id && id <= self->n_kinds ? self->kinds[id] : NULL;
    StrobeMockImported *record;

    if (!kind) {
        strobe_mock_line(&self->complaints, "a record is of the unknown kind %u", id);
        return NULL;
    }
    if (kind->shape != STROBE_SHAPE_SPAN)
        end_ns = begin_ns;
    if (begin_ns < 0 || end_ns < begin_ns)
        strobe_mock_line(&self->complaints, "a record of kind %s lasts from %lld to %lld",
                         kind->name, (long long)begin_ns, (long long)end_ns);
    if (track > self->n_tracks || (name && name >= self->strings.n))
        strobe_mock_line(&self->complaints,
                         "a record of kind %s has the unknown track %u or name %u", kind->name,
                         track, name);
    if (self->n_records == self->records_room) {
        self->records_room = self->records_room ? 2 * self->records_room : 256;
        self->records =
            mock_must(realloc(self->records, self->records_room * sizeof *self->records));
    }
    self->used[id]++;
    record = &self->records[self->n_records++];
    *record = (StrobeMockImported){kind, NULL, track, name, begin_ns, end_ns};
    record->fields = mock_must(calloc(1, strobe_kind_offset(kind, kind->n_fields) + 8));
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

static void host_metadata_text(StrobeInstance *self, const char *key, const char *value)
{
    strobe_mock_line(&self->metadata, "%s=%s", key, value);
}

static void host_metadata_int(StrobeInstance *self, const char *key, int64_t value)
{
    strobe_mock_line(&self->metadata, "%s=%lld", key, (long long)value);
}

static StrobeStatus host_file(StrobeInstance *self, const char *name, const char *bytes,
                              size_t length)
{
    if (!*name || strchr(name, '/') || length > 1u << 20)
        return STROBE_ERROR_ARGUMENT;
    strobe_mock_line(&self->files, "%s=%.*s", name, (int)length, bytes);
    return STROBE_OK;
}

static void host_found(StrobeInstance *self, const char *part, uint64_t rows)
{
    strobe_mock_line(&self->found, "%s: %llu", part, (unsigned long long)rows);
}

static void host_unknown(StrobeInstance *self, const char *part, const char *name, uint64_t rows)
{
    strobe_mock_line(&self->unknown, "%s: %s: %llu", part, name, (unsigned long long)rows);
}

static void host_damage(StrobeInstance *self, const char *place, const char *reason)
{
    strobe_mock_line(&self->damage, "%s: %s", place, reason);
}

static void host_progress(StrobeInstance *self, uint64_t done, uint64_t total)
{
    if (done > total)
        strobe_mock_line(&self->complaints, "progress is %llu of %llu", (unsigned long long)done,
                         (unsigned long long)total);
}

static StrobeStorage *host_storage(StrobeInstance *self)
{
    return &self->storage;
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
    strobe_mock_line(&self->complaints, "the option %s is not declared", name);
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
        strobe_mock_line(&self->complaints, "a line of the unknown level %d is logged", level);
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
    strobe_mock_line(&self->errors, "%s", (char *)mock_must(text));
    free(text);
    if (status >= 0)
        strobe_mock_line(&self->complaints, "a failure has the status %d", status);
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
    .metadata_text = host_metadata_text,
    .metadata_int = host_metadata_int,
    .file = host_file,
    .found = host_found,
    .unknown = host_unknown,
    .damage = host_damage,
    .progress = host_progress,
    .storage = host_storage,
    .option_bool = host_option_bool,
    .option_int = host_option_int,
    .option_double = host_option_double,
    .option_text = host_option_text,
    .log = host_log,
    .fail = host_fail,
    .retrack = host_retrack,
    .time_base = host_time_base,
    .capture = host_capture,
};

/* ---- making, running and freeing ---- */

StrobeMockImporter *strobe_mock_importer_new(const StrobeComponent *importer)
{
    StrobeMockImporter *mock = mock_must(calloc(1, sizeof *mock));

    mock->instance.importer = importer;
    mock->instance.request = (StrobeImportRequest){.struct_size = sizeof(StrobeImportRequest)};
    mock->instance.storage = strobe_mock_storage(32u << 20, 16u << 20);
    mock->instance.next_link = (uint64_t)1 << 62;
    return mock;
}

void strobe_mock_importer_free(StrobeMockImporter *mock)
{
    StrobeInstance *self = &mock->instance;
    MockLines *lines[] = {&self->metadata, &self->files,  &self->found,     &self->unknown,
                          &self->damage,   &self->errors, &self->complaints};

    for (size_t i = 0; i < self->n_records; i++)
        free(self->records[i].fields);
    for (uint32_t i = 1; i <= self->n_kinds; i++)
        free_kind(self->kinds[i]);
    for (size_t i = 0; i < self->n_tracks; i++) {
        free((char *)(uintptr_t)self->tracks[i].track.name);
        free((char *)(uintptr_t)self->tracks[i].track.group);
    }
    for (size_t i = 0; i < self->n_options; i++) {
        free(self->options[i].name);
        free(self->options[i].value);
    }
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        free(lines[i]->text);
    free(self->records);
    free(self->tracks);
    strobe_mock_strings_clear(&self->strings);
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

    self->options =
        mock_must(realloc(self->options, (self->n_options + 1) * sizeof *self->options));
    self->options[self->n_options++] = (MockOption){copy_text(name), copy_text(value)};
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
    unsigned char *head = mock_must(malloc(STROBE_SOURCE_HEAD));
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
        strobe_mock_line(&self->complaints, "import returned the status %d", status);
    if (status < 0 && !self->errors.length)
        strobe_mock_line(&self->complaints, "import failed and gave no reason");
    if (status == STROBE_OK && self->n_records && !self->found.length)
        strobe_mock_line(&self->complaints, "import does not say what it found");
}

StrobeStatus strobe_mock_importer_run(StrobeMockImporter *mock, const char *path)
{
    const StrobeImporterOps *ops = mock->instance.importer->ops;
    unsigned char *head = mock_must(malloc(STROBE_SOURCE_HEAD));
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
