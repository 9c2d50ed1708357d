/* SPDX-License-Identifier: Apache-2.0 */
/* Imports a trace with the mock host, and checks the records. */
#ifndef STROBE_TRACE_IMPORT_TEST_FIXTURE_H
#define STROBE_TRACE_IMPORT_TEST_FIXTURE_H

#include <glib.h>
#include <strobe/kinds.h>

#include "mock-importer-host.h"

typedef struct Fixture {
    char *path;
    StrobeMockImporter *mock;
} Fixture;

void set_up(Fixture *f, gconstpointer unused);
void tear_down(Fixture *f, gconstpointer unused);
void import_bytes(Fixture *f, const char *bytes, gssize length);
void import(Fixture *f, const char *events);
const StrobeMockImported *nth(Fixture *f, const char *kind, guint n);
const StrobeMockImported *only(Fixture *f, const char *kind);
gint64 integer(Fixture *f, const StrobeMockImported *record, const char *field);
void check_text(Fixture *f, const StrobeMockImported *record, const char *field,
                const char *wanted);
void check_name(Fixture *f, const StrobeMockImported *record, const char *wanted);
void check_track(Fixture *f, const StrobeMockImported *record, guint32 type, gint32 device,
                 guint64 id, guint64 pid);
gboolean is_damaged(Fixture *f, const char *part);

#define TEST(name_, function_)                                                                     \
    g_test_add("/chrome_trace/" name_, Fixture, NULL, set_up, function_, tear_down)

#endif
