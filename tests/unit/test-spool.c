/* SPDX-License-Identifier: Apache-2.0 */
#include "spool.h"
#include <string.h>

static void check(guint n)
{
    StrobeSpool *spool = strobe_spool_new();
    g_autoptr(GError) error = NULL;
    guint found;

    strobe_spool_flag(spool, 4); /* of nothing */
    for (guint i = 0; i < n; i++) {
        struct StrobeSpooled record = {.kind = i % 3, .field_bytes = 8 * (i % 5), .begin_ns = i};
        char *fields = strobe_spool_add(spool, &record);
        memset(fields, (int)(i & 0xff), record.field_bytes);
        if (i % 7 == 0)
            strobe_spool_flag(spool, (guint16)(1 + i % 2));
    }
    for (guint turn = 0; turn < 2; turn++) {
        const char *piece;
        gsize bytes;
        found = 0;
        g_assert_true(strobe_spool_rewind(spool, &error));
        while ((piece = strobe_spool_next(spool, &bytes, &error)))
            for (gsize at = 0; at < bytes; found++) {
                const struct StrobeSpooled *record = (const void *)(piece + at);
                g_assert_cmpint(record->begin_ns, ==, found);
                g_assert_cmpuint(record->flags, ==, found % 7 ? 0 : 1 + found % 2);
                g_assert_cmpuint(record->field_bytes, ==, 8 * (found % 5));
                for (guint b = 0; b < record->field_bytes; b++)
                    g_assert_cmpuint((guchar)piece[at + sizeof *record + b], ==, found & 0xff);
                at += sizeof *record + record->field_bytes;
            }
        g_assert_no_error(error);
        g_assert_cmpuint(found, ==, n);
    }
    strobe_spool_free(spool);
}

static void test_sizes(void)
{
    check(0);
    check(1);
    check(1000);
    check(200000); /* several pieces, in the temporary file */
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/spool/sizes", test_sizes);
    return g_test_run();
}
