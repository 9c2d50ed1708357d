/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the exporter on the records of a test, and queries the databases. */
#ifndef STROBE_DB_TEST_FIXTURE_H
#define STROBE_DB_TEST_FIXTURE_H

#include <glib.h>
#include <mock-consumer-host.h>

typedef struct Fixture {
    char *folder;
    int directory;
    StrobeMockHost *mock;
} Fixture;

#define T0 1700000000000000000

void fixture_set_up(Fixture *f, gconstpointer unused);
void fixture_tear_down(Fixture *f, gconstpointer unused);
void fixture_generation(Fixture *f, int32_t generation);

/* Sets all fields to absent. */
void fixture_absent(const StrobeKind *kind, void *fields);

#define FIELDS(type_, name_)                                                                       \
    struct strobe_##type_ name_;                                                                   \
    fixture_absent(&strobe_kind_##type_, &name_)

#define ADD(type_, track_, text_, begin_, end_)                                                    \
    strobe_mock_add(f->mock, &strobe_kind_##type_, track_, strobe_mock_string(f->mock, text_),     \
                    begin_, end_, &fields)

#define STRING(text_) strobe_mock_string(f->mock, text_)

StrobeTrackId fixture_thread(Fixture *f, guint64 tid);
StrobeTrackId fixture_stream(Fixture *f, gint32 device, guint64 stream);

/* Runs the exporter to its end, and checks that it succeeds. */
void fixture_run(Fixture *f);

/* Returns the result of a query: cells are joined by '|', rows by '\n'; "no file" if there is no
 * file. The caller must free the text. */
char *fixture_ask(Fixture *f, const char *file, const char *sql);

#define PROFILER "ascend_pytorch_profiler.db"
#define CHECK_IN(file_, sql_, expected_)                                                           \
    do {                                                                                           \
        g_autofree char *answer_ = fixture_ask(f, file_, sql_);                                    \
        g_assert_cmpstr(answer_, ==, expected_);                                                   \
    } while (0)
#define CHECK(sql_, expected_) CHECK_IN(PROFILER, sql_, expected_)
/* SQL for the text whose number in STRING_IDS a column has. */
#define TEXT_OF(column_) "(SELECT value FROM STRING_IDS WHERE id = " column_ ")"

void add_table_tests(void);
void add_framework_tests(void);
void add_random_tests(void);

#endif
