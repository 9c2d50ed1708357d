/* SPDX-License-Identifier: Apache-2.0 */
/* Provides, for the tests of the exporter, a folder, a mock host, and a comparison of files with a
 * text. */
#ifndef STROBE_CSV_TEST_FIXTURE_H
#define STROBE_CSV_TEST_FIXTURE_H

#include <glib.h>
#include <mock-consumer-host.h>

#define T0 1736412474721516710

typedef struct Fixture {
    char *folder;
    int directory;
    StrobeMockHost *mock;
    StrobeTrackId thread;
} Fixture;

void set_up(Fixture *f, gconstpointer unused);
void tear_down(Fixture *f, gconstpointer unused);

/* Removes the files and returns their number. */
guint clear_folder(Fixture *f);
void check_file(Fixture *f, const char *name, const char *expected);
gboolean has_file(Fixture *f, const char *name);

/* Makes a new host, without records and files. */
void begin_case(Fixture *f, gint32 generation, gint32 level);

#endif
