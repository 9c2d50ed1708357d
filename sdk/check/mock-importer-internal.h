/* SPDX-License-Identifier: Apache-2.0 */
/* Internal declarations of the importers' mock host. */
#ifndef STROBE_CHECK_MOCK_IMPORTER_INTERNAL_H
#define STROBE_CHECK_MOCK_IMPORTER_INTERNAL_H

#include "mock-importer-host.h"
#include "mock-storage.h"
#include "mock-strings.h"

typedef struct MockLines {
    char *text;
    size_t length;
} MockLines;

typedef struct MockTrack {
    StrobeTrack track;
    uint64_t pid;
} MockTrack;

typedef struct MockOption {
    char *name, *value;
} MockOption;

struct StrobeInstance {
    const StrobeComponent *importer;
    StrobeImportRequest request;
    StrobeStorage storage;
    /* indexed by id; owned by the importer, invalid after import has returned */
    const StrobeKind *declared[256];
    StrobeKind *kinds[256]; /* copies of the declared kinds */
    size_t used[256];
    uint32_t n_kinds;
    MockStrings strings;
    MockTrack *tracks;
    size_t n_tracks;
    int64_t time_base;
    StrobeMockImported *records;
    size_t n_records, records_room;
    MockOption *options;
    size_t n_options;
    uint64_t next_link;
    MockLines metadata, files, found, unknown, damage, errors, complaints;
};

struct StrobeMockImporter {
    struct StrobeInstance instance;
};

/* Adds a line to `lines`. */
void strobe_mock_line(MockLines *lines, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
