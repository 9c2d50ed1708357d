/* SPDX-License-Identifier: Apache-2.0 */
#include "spool.h"
#include <string.h>

#include "memory-limit.h"
#include "spooled-differences.h"

static void add(StrobeSpool *spool, guint n)
{
    for (guint i = 0; i < n; i++) {
        struct StrobeSpooled record = {.kind = i % 3, .field_bytes = 8 * (i % 5), .begin_ns = i};
        struct StrobeSpooled *kept = strobe_spool_add(spool, &record);

        g_assert_nonnull(kept);
        memset(kept + 1, (int)(i & 0xff), record.field_bytes);
        kept->flags = i % 7 ? 0 : 1;
    }
}

static void check_next(StrobeSpoolReader *reader, guint i)
{
    g_autoptr(GError) error = NULL;
    const struct StrobeSpooled *record = strobe_spool_reader_next(reader, &error);

    g_assert_no_error(error);
    g_assert_cmpint(record->begin_ns, ==, i);
    g_assert_cmpuint(record->flags, ==, i % 7 ? 0 : 1);
    g_assert_cmpuint(record->field_bytes, ==, 8 * (i % 5));
    for (guint b = 0; b < record->field_bytes; b++)
        g_assert_cmpuint(((const guchar *)(record + 1))[b], ==, i & 0xff);
}

/* Two readers, one of them far behind the other. */
static void check(guint n)
{
    StrobeSpool *spool = strobe_spool_new();
    StrobeSpoolReader *readers[2];
    g_autoptr(GError) error = NULL;

    add(spool, n);
    for (guint i = 0; i < G_N_ELEMENTS(readers); i++)
        readers[i] = strobe_spool_read(spool);
    for (guint i = 0; i < n + n / 2; i++) {
        if (i < n)
            check_next(readers[0], i);
        if (i >= n / 2)
            check_next(readers[1], i - n / 2);
    }
    for (guint i = 0; i < G_N_ELEMENTS(readers); i++) {
        g_assert_null(strobe_spool_reader_next(readers[i], &error));
        g_assert_no_error(error);
        strobe_spool_reader_free(readers[i]);
    }
    strobe_spool_free(spool);
}

static void test_sizes(void)
{
    check(0);
    check(1);
    check(1000);
    check(200001); /* several chunks in memory */
    check(700001); /* and more of them in the temporary file */
}

#define DIFFERENCES_ROOM 65536u

/* Records of several kinds, whose words differ by little, by all, or not at all. */
static gsize make_records(GRand *rand, char *to)
{
    gsize used = 0;

    while (used < DIFFERENCES_ROOM - 1024) {
        struct StrobeSpooled record = {.kind = (guint16)(g_rand_int(rand) % 40),
                                       .track = g_rand_int(rand) % 3,
                                       .begin_ns = (gint64)(used * 1000),
                                       .end_ns = G_MAXINT64 - (gint64)used};
        record.field_bytes = 8 * (record.kind % STROBE_KIND_FIELDS_MAX);
        memcpy(to + used, &record, sizeof record);
        used += sizeof record;
        for (guint i = 0; i < record.field_bytes / 8; i++, used += 8) {
            guint64 word = (guint64)g_rand_int(rand) << 32 | g_rand_int(rand);

            word = i % 2 ? word >> g_rand_int(rand) % 64 : G_MAXUINT64;
            memcpy(to + used, &word, sizeof word);
        }
    }
    return used;
}

static void test_differences(void)
{
    static guint64 records[DIFFERENCES_ROOM / 8], found[DIFFERENCES_ROOM / 8];
    static char differences[STROBE_SPOOLED_ROOM(DIFFERENCES_ROOM)];
    g_autoptr(GRand) rand = g_rand_new_with_seed(4711);

    for (guint turn = 0; turn < 50; turn++) {
        gsize bytes = make_records(rand, (char *)records);
        gsize length = strobe_spooled_put((char *)records, bytes, differences);
        g_autofree char *copy = g_memdup2(differences, length); /* whose end is watched */

        g_assert_cmpuint(length, <, bytes);
        g_assert_true(strobe_spooled_take(copy, length, (char *)found, bytes));
        g_assert_cmpint(memcmp(records, found, bytes), ==, 0);
        g_assert_false(strobe_spooled_take(copy, length - 1, (char *)found, bytes));
        g_assert_false(strobe_spooled_take(copy, length, (char *)found, bytes - 8));
        for (guint damage = 0; damage < 20; damage++) {
            copy[g_rand_int(rand) % length] = (char)g_rand_int(rand);
            strobe_spooled_take(copy, length, (char *)found, bytes); /* whatever it says */
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    strobe_memory_limit_set(96 << 20, NULL); /* so little that the file is used */
    g_test_add_func("/spool/differences", test_differences);
    g_test_add_func("/spool/sizes", test_sizes);
    return g_test_run();
}
