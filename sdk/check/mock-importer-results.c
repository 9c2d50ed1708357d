/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <strobe/kinds.h>

#include "mock-importer-internal.h"

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
    strobe_mock_line(&mock->instance.complaints, "kind %s has no field %s", record->kind->name,
                     name);
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
    return strobe_mock_strings_text(&mock->instance.strings, id).bytes;
}

size_t strobe_mock_importer_stack(const StrobeMockImporter *mock, StrobeStackId id,
                                  const StrobeStringId **frames)
{
    const StrobeText text = strobe_mock_strings_text(&mock->instance.strings, id);

    *frames = text.length ? (const void *)text.bytes : NULL;
    return text.length / sizeof **frames;
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

static const char *text_of(const MockLines *lines)
{
    return lines->text ? lines->text : "";
}

const char *strobe_mock_importer_metadata(const StrobeMockImporter *mock)
{
    return text_of(&mock->instance.metadata);
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
