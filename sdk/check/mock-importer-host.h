/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A host for unit tests of importers: it runs an importer on a source and keeps its records.
 *
 * It also checks the contract: an unknown kind, track or string, an end before its begin, a
 * declared kind without records, an undeclared option and similar errors become complaints, and a
 * test expects that there are none. libc only; if memory runs out, the test ends. One thread.
 */
#ifndef STROBE_CHECK_MOCK_IMPORTER_HOST_H
#define STROBE_CHECK_MOCK_IMPORTER_HOST_H

#include <strobe/importer.h>

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct StrobeMockImporter StrobeMockImporter;

/* A record as the importer emitted it; valid until the host is freed. */
typedef struct StrobeMockImported {
    const StrobeKind *kind;
    void *fields; /* the kind's struct */
    StrobeTrackId track;
    StrobeStringId name;
    int64_t begin_ns, end_ns;
} StrobeMockImported;

StrobeMockImporter *strobe_mock_importer_new(const StrobeComponent *importer);
void strobe_mock_importer_free(StrobeMockImporter *mock);
StrobeImportRequest *strobe_mock_importer_request(StrobeMockImporter *mock); /* may be changed */
/* Sets an option as a user would type it; all other options have their declared defaults. */
void strobe_mock_importer_option(StrobeMockImporter *mock, const char *name, const char *value);

/* Returns the probe's result for the file or folder; its score is -1 if the file or folder cannot
 * be opened. */
StrobeSourceProbe strobe_mock_importer_probe(StrobeMockImporter *mock, const char *path);
/* Calls the importer's import for the file or folder at `path`. */
StrobeStatus strobe_mock_importer_run(StrobeMockImporter *mock, const char *path);

/* Return the number of records, and record number `index` in the order in which they were
 * emitted. */
size_t strobe_mock_importer_n_records(const StrobeMockImporter *mock);
const StrobeMockImported *strobe_mock_importer_record(const StrobeMockImporter *mock, size_t index);
/* Return the field `field` of a record: as an integer, as a double, or as text if it is a string
 * field. Adds a complaint if there is no such field. */
int64_t strobe_mock_importer_integer(StrobeMockImporter *mock, const StrobeMockImported *record,
                                     const char *field);
double strobe_mock_importer_double(StrobeMockImporter *mock, const StrobeMockImported *record,
                                   const char *field);
const char *strobe_mock_importer_text(StrobeMockImporter *mock, const StrobeMockImported *record,
                                      const char *field);
const char *strobe_mock_importer_string(const StrobeMockImporter *mock, StrobeStringId id);
/* Sets *frames to the frames of a stack, innermost first, valid until the next run, and returns
 * their number. */
size_t strobe_mock_importer_stack(const StrobeMockImporter *mock, StrobeStackId id,
                                  const StrobeStringId **frames);
/* Returns the track and its process; NULL for 0. */
const StrobeTrack *strobe_mock_importer_track(const StrobeMockImporter *mock, StrobeTrackId id,
                                              uint64_t *pid);

/* Return texts with one line for each entry; "" if there are none. The lines are: metadata
 * "key=value", files "name=bytes", found "part: rows", unknown "part: name: rows", damage "place:
 * reason", causes of a failure, breaches of the contract. */
const char *strobe_mock_importer_metadata(const StrobeMockImporter *mock);
const char *strobe_mock_importer_files(const StrobeMockImporter *mock);
const char *strobe_mock_importer_found(const StrobeMockImporter *mock);
const char *strobe_mock_importer_unknown(const StrobeMockImporter *mock);
const char *strobe_mock_importer_damage(const StrobeMockImporter *mock);
const char *strobe_mock_importer_errors(const StrobeMockImporter *mock);
const char *strobe_mock_importer_complaints(const StrobeMockImporter *mock);

#if defined(__cplusplus)
}
#endif

#endif
