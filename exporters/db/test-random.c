/* SPDX-License-Identifier: Apache-2.0 */
/* Exports records with any content: standard fields of other types, unknown ids, times in any
 * order. Checks that the result is a valid database, whatever the options request. */
#include <string.h>
#include <strobe/kinds.h>

#include "test-db-fixture.h"

#define FIELDS_MAX STROBE_KIND_FIELDS_MAX
#define KINDS_MAX 160u

static StrobeKind kinds[KINDS_MAX];
static StrobeField fields[KINDS_MAX][FIELDS_MAX];

/* Returns the kind unchanged, or with one field of another type. */
static const StrobeKind *distort_kind(guint at, const StrobeKind *kind)
{
    guint32 n = MIN(kind->n_fields, FIELDS_MAX), odd = (guint32)g_test_rand_int_range(0, 64);

    memcpy(fields[at], kind->fields, n * sizeof *kind->fields);
    if (odd < n)
        fields[at][odd].type = (guint32)g_test_rand_int_range(1, STROBE_FIELD_LAST_ + 1);
    kinds[at] = *kind;
    kinds[at].fields = fields[at];
    kinds[at].n_fields = n;
    return &kinds[at];
}

static void fill_bytes(guint8 *bytes, gsize n)
{
    for (gsize i = 0; i < n; i++)
        switch (g_test_rand_int_range(0, 4)) {
        case 0:
            bytes[i] = 0;
            break;
        case 1:
            bytes[i] = 0xff;
            break;
        default:
            bytes[i] = (guint8)g_test_rand_int_range(0, 256);
        }
    if (g_test_rand_bit()) /* small numbers are ids that exist */
        for (gsize i = 0; i < n; i++)
            bytes[i] = i % 4 ? 0 : bytes[i] % 8;
}

static void add_some(Fixture *f, const StrobeKind *kind, guint n)
{
    guint8 bytes[FIELDS_MAX * 8];

    for (guint i = 0; i < n; i++) {
        gint64 begin = g_test_rand_bit() ? T0 + g_test_rand_int_range(0, 1000) : G_MAXINT64 - 5;

        fill_bytes(bytes, sizeof bytes);
        strobe_mock_add(f->mock, kind, (StrobeTrackId)g_test_rand_int_range(0, 6),
                        (StrobeStringId)g_test_rand_int_range(0, 12), begin,
                        begin + g_test_rand_int_range(0, 5), bytes);
    }
}

static void test_random(Fixture *f, gconstpointer unused)
{
    static const char *const texts[] = {"launch", "node",           "GE",    "12",  "hcom__1",
                                        "",       "ProfilerStep#3", "CPU 1", "a@b", "FP16"};
    const char *const frames[] = {"f", NULL};
    guint n = 0;

    for (guint i = 0; i < G_N_ELEMENTS(texts); i++)
        strobe_mock_string(f->mock, texts[i]);
    strobe_mock_stack(f->mock, frames);
    fixture_generation(f, g_test_rand_int_range(1, 4));
    fixture_thread(f, 9);
    fixture_stream(f, 1, 2);
    strobe_mock_track(f->mock, STROBE_TRACK_PLANE, 6, "", "CANN", 1);
    for (guint i = 0; strobe_standard_kinds[i] && n < KINDS_MAX - 1; i++) {
        add_some(f, distort_kind(n++, strobe_standard_kinds[i]), 40);
        add_some(f, strobe_standard_kinds[i], 40);
    }
    fixture_run(f);
    CHECK("PRAGMA integrity_check", "ok");
    CHECK("SELECT count(*) FROM STRING_IDS WHERE value = ''", "0");
}

void add_random_tests(void)
{
    for (guint i = 0; i < 5; i++) {
        g_autofree char *path = g_strdup_printf("/db/random/%u", i);

        g_test_add(path, Fixture, NULL, fixture_set_up, test_random, fixture_tear_down);
    }
}
