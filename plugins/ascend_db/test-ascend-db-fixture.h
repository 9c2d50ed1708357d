/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a small database in a temporary folder and imports it with the mock host. */
#ifndef STROBE_ASCEND_DB_TEST_FIXTURE_H
#define STROBE_ASCEND_DB_TEST_FIXTURE_H

#include <glib.h>
#include <strobe/kinds.h>

#include "mock-importer-host.h"
#include "test-databases.h"

typedef struct Fixture {
    char *folder, *path; /* where the database is */
    StrobeMockImporter *mock;
} Fixture;

void fixture_set_up(Fixture *f, gconstpointer unused);
void fixture_tear_down(Fixture *f, gconstpointer unused);

/* Runs SQL statements (a list that ends with NULL) in the database at `path`. */
void fixture_make(const char *path, const char *first, ...) G_GNUC_NULL_TERMINATED;
/* Imports the database; fails the test if the importer breaks the plugin contract. */
void fixture_import(Fixture *f);
/* Replaces the mock host by a new one, without the records imported so far. */
void fixture_again(Fixture *f);

/* Returns the n-th record of the kind (from 0), or NULL if there are not so many. */
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
