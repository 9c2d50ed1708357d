/* SPDX-License-Identifier: Apache-2.0 */
#include "spool.h"
#include <string.h>

#include "memory-limit.h"
#include "spooled-differences.h"

/* Records that were handed on, one behind the other. */
typedef struct Found {
    guint n;
    gsize most; /* bytes at once */
} Found;

static void take(gpointer user, const char *piece, gsize bytes)
{
    Found *found = user;

    for (gsize at = 0; at < bytes; found->n++) {
        const struct StrobeSpooled *record = (const void *)(piece + at);

        g_assert_cmpint(record->begin_ns, ==, found->n);
        g_assert_cmpuint(record->flags, ==, found->n % 7 ? 0 : 1 + found->n % 2);
        g_assert_cmpuint(record->field_bytes, ==, 8 * (found->n % 5));
        for (guint b = 0; b < record->field_bytes; b++)
            g_assert_cmpuint((guchar)piece[at + sizeof *record + b], ==, found->n & 0xff);
        at += sizeof *record + record->field_bytes;
    }
    found->most = MAX(found->most, bytes);
}

static void add(StrobeSpool *spool, guint from, guint to)
{
    for (guint i = from; i < to; i++) {
        struct StrobeSpooled record = {.kind = i % 3, .field_bytes = 8 * (i % 5), .begin_ns = i};
        char *fields = strobe_spool_add(spool, &record);

        memset(fields, (int)(i & 0xff), record.field_bytes);
        if (i % 7 == 0)
            strobe_spool_flag(spool, (guint16)(1 + i % 2));
    }
}

/* `before` of them are added before they can be handed on. */
static void check(guint before, guint n)
{
    StrobeSpool *spool = strobe_spool_new();
    g_autoptr(GError) error = NULL;
    Found found = {0};

    strobe_spool_flag(spool, 4); /* of nothing */
    add(spool, 0, before);
    g_assert_true(strobe_spool_read(spool, take, &found, &error));
    g_assert_no_error(error);
    strobe_spool_hand_on(spool, take, &found);
    add(spool, before, n);
    g_assert_cmpuint(found.n, <=, n);
    strobe_spool_finish(spool);
    g_assert_cmpuint(found.n, ==, n);
    g_assert_cmpuint(found.most, <=, 1 << 20);
    strobe_spool_free(spool);
}

static void test_sizes(void)
{
    check(0, 0);
    check(1, 1);
    check(0, 1000);
    check(200000, 200001); /* several pieces, the first in memory */
    check(700000, 700001); /* and more of them in the temporary file */
    check(1, 200000);      /* handed on at once */
    check(100000, 200000);
}

/* Of kinds 0 and 2 here; with its flags, each when the next one is there. */
typedef struct LeftOut {
    guint n;
    guint n_flagged[2];
} LeftOut;

static void take_left_out(gpointer user, const char *piece, gsize bytes)
{
    const struct StrobeSpooled *record = (const void *)piece;
    LeftOut *found = user;

    g_assert_cmpuint(record->kind, !=, 1);
    g_assert_cmpuint(bytes, ==, sizeof *record + record->field_bytes);
    g_assert_cmpuint(record->flags, ==, record->begin_ns % 7 ? 0 : 1 + record->begin_ns % 2);
    found->n++;
    if (record->flags)
        found->n_flagged[record->flags - 1]++;
}

static void count_kept(gpointer user, const char *piece, gsize bytes)
{
    for (gsize at = 0; at < bytes; ++*(guint *)user) {
        const struct StrobeSpooled *record = (const void *)(piece + at);

        g_assert_true(record->kind == 1 || record->begin_ns < 3);
        g_assert_cmpuint(record->flags, ==, record->begin_ns % 7 ? 0 : 1 + record->begin_ns % 2);
        at += sizeof *record + record->field_bytes;
    }
}

static void test_left_out(void)
{
    static const gboolean kinds[] = {TRUE, FALSE, TRUE};
    StrobeSpool *spool = strobe_spool_new();
    LeftOut left_out = {0};
    guint n_kept = 0;

    add(spool, 0, 3); /* kept, whatever they are */
    strobe_spool_leave_out(spool, kinds, take_left_out, &left_out);
    strobe_spool_hand_on(spool, count_kept, &n_kept);
    add(spool, 3, 21000);
    g_assert_cmpuint(left_out.n, ==, 13997); /* the last one may be flagged still */
    strobe_spool_finish(spool);
    g_assert_cmpuint(n_kept, ==, 3 + 6999);
    g_assert_cmpuint(left_out.n, ==, 13998);
    g_assert_cmpuint(left_out.n_flagged[0] + left_out.n_flagged[1], ==, 2000 - 1);
    strobe_spool_free(spool);
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
    g_test_add_func("/spool/left-out", test_left_out);
    return g_test_run();
}
