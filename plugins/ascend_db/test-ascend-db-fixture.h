/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a small database in a temporary folder and imports it with the mock host. */
#ifndef STROBE_ASCEND_DB_TEST_FIXTURE_H
#define STROBE_ASCEND_DB_TEST_FIXTURE_H

#include <glib.h>
#include <strobe/kinds.h>

#include "mock-importer-host.h"
#include "test-databases.h"

typedef struct Fixture {
    char *folder, *path; /* `path` is the path of the database */
    StrobeMockImporter *mock;
} Fixture;

void fixture_set_up(Fixture *f, gconstpointer unused);
void fixture_tear_down(Fixture *f, gconstpointer unused);

/* Executes SQL statements, given as a list that ends with NULL, in the database at `path`. */
void fixture_make(const char *path, const char *first, ...) G_GNUC_NULL_TERMINATED;
/* Imports the database. The test fails if the importer violates the plugin contract. */
void fixture_import(Fixture *f);
/* Replaces the mock host by a new one, which has no records. */
void fixture_again(Fixture *f);

/* Returns the record number `n` of the kind, from 0; NULL: there are not that many. */
const StrobeMockImported *fixture_record(Fixture *f, const char *kind, guint n);
guint fixture_count(Fixture *f, const char *kind);
void fixture_assert_line(const char *text, const char *line);
/* Checks the record's track, which must belong to process 7. */
void fixture_assert_track(Fixture *f, const StrobeMockImported *record, guint32 type, gint device,
                          guint64 id, const char *name, const char *group);

#define INTEGER(record, field) strobe_mock_importer_integer(f->mock, record, field)
#define DOUBLE(record, field) strobe_mock_importer_double(f->mock, record, field)
#define TEXT(record, field) strobe_mock_importer_text(f->mock, record, field)
#define NAME(record) strobe_mock_importer_string(f->mock, (record)->name)

#define ADD(path, test)                                                                            \
    g_test_add("/ascend_db/" path, Fixture, NULL, fixture_set_up, test, fixture_tear_down)

#endif
