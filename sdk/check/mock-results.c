/* SPDX-License-Identifier: Apache-2.0 */
#include "mock-internal.h"

#include <stdlib.h>
#include <string.h>

static void gather_records(StrobeMockHost *mock)
{
    size_t n = 0;
    for (StrobeWriter *thread_buffer = mock->thread_buffers; thread_buffer;
         thread_buffer = thread_buffer->next)
        n += thread_buffer->n_entries;
    StrobeMockRecord *records = realloc(mock->gathered, (n + 1) * sizeof *records);
    if (!records)
        return;
    mock->gathered = records;
    mock->n_gathered = 0;
    for (StrobeWriter *thread_buffer = mock->thread_buffers; thread_buffer;
         thread_buffer = thread_buffer->next)
        for (size_t i = 0; i < thread_buffer->n_entries; i++) {
            const MockEntry *entry = &thread_buffer->entries[i];
            StrobeMockRecord *record = &records[mock->n_gathered++];
            record->kind = mock->kinds[entry->kind - 1];
            record->fields = thread_buffer->bytes + entry->offset;
            record->name = strobe_mock_host_string(mock, entry->name, &record->name_length);
            record->begin = entry->begin;
            record->end = entry->end;
            record->thread = thread_buffer->thread;
            record->track = entry->track;
            record->flags = entry->flags;
            record->size = entry->size;
        }
    mock->is_gathered = 1;
}

size_t strobe_mock_host_n_records(StrobeMockHost *mock)
{
    if (!mock->is_gathered)
        gather_records(mock);
    return mock->n_gathered;
}

const StrobeMockRecord *strobe_mock_host_record(StrobeMockHost *mock, size_t index)
{
    return index < strobe_mock_host_n_records(mock) ? &mock->gathered[index] : NULL;
}

void strobe_mock_host_clear(StrobeMockHost *mock)
{
    for (StrobeWriter *thread_buffer = mock->thread_buffers; thread_buffer;
         thread_buffer = thread_buffer->next) {
        thread_buffer->n_entries = 0;
        thread_buffer->used = 0;
    }
    mock->n_gathered = 0;
    mock->is_gathered = 0;
}

/* Returns the address of the field `name`, NULL if the kind has no such field. */
static const void *find_field(const StrobeMockRecord *record, const char *name, uint32_t *type)
{
    for (uint32_t i = 0; i < record->kind->n_fields; i++)
        if (strcmp(record->kind->fields[i].name, name) == 0) {
            *type = record->kind->fields[i].type;
            return (const char *)record->fields + strobe_mock_field_offset(record->kind, i);
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
    for (StrobeWriter *thread_buffer = mock->thread_buffers; thread_buffer;
         thread_buffer = thread_buffer->next)
        n += thread_buffer->depth;
    return n;
}

uint64_t strobe_mock_host_n_dropped(StrobeMockHost *mock)
{
    uint64_t n = 0;
    for (StrobeWriter *thread_buffer = mock->thread_buffers; thread_buffer;
         thread_buffer = thread_buffer->next)
        n += thread_buffer->n_dropped;
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
