/* SPDX-License-Identifier: Apache-2.0 */
/* Provides a mock host with a folder, and checks of the text in the file. */
#ifndef STROBE_CHROME_TRACE_TEST_FIXTURE_H
#define STROBE_CHROME_TRACE_TEST_FIXTURE_H

#include <glib.h>
#include <mock-consumer-host.h>

extern const StrobePlugin strobe_plugin_1;

#define T0 1736412474000000000 /* ns */

typedef struct Fixture {
    char *folder;
    int directory;
    StrobeMockHost *mock;
    StrobeTrackId thread, worker;
} Fixture;

void fixture_set_up(Fixture *f, gconstpointer unused);
void fixture_tear_down(Fixture *f, gconstpointer unused);

guint string(Fixture *f, const char *text);
/* Returns the text of the file; NULL: there is no file. */
char *read_file(Fixture *f, const char *name);
/* Runs the exporter and returns the text of the file, which must be one line: a valid JSON
 * array. */
char *run(Fixture *f);
/* Does the same as run for a file that begins with `begin`, for example with '{' if it is an
 * object. */
char *run_as(Fixture *f, char begin);
void assert_has(const char *text, const char *part);
void assert_has_not(const char *text, const char *part);
/* Checks that the text has all parts, each after the one before it. */
void assert_order(const char *text, const char *const *parts);

#endif
