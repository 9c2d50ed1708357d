/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of answers from a board, which is not trusted: listings, checksums, clocks. */
#include <stdio.h>
#include <string.h>

#include "clock-offset.h"
#include "job-list.h"
#include "posix-cksum.h"
#include "remote-error.h"

/* ---- listings ---- */

static void check_names(const StrobeJobList *list, const char *const *names)
{
    guint n = 0;

    for (; names[n]; n++) {
        g_assert_cmpuint(n, <, list->files->len);
        g_assert_cmpstr(((StrobeJobFile *)g_ptr_array_index(list->files, n))->name, ==, names[n]);
    }
    g_assert_cmpuint(list->files->len, ==, n);
}

static void test_listing(void)
{
    static const char *const names[] = {"info.json.0", " blank", "data/AAcore.0.a b.1.1.1.0",
                                        "data/Freq.0", NULL};
    StrobeJobList list;

    strobe_job_list_parse(
        &list, ".:\n"
               "total 12\n"
               "drwxr-x--- 3 0 0 4096 Jan  1  1970 .\n"
               "drwxr-xr-x 9 0 0 4096 Jan  1 00:00 ..\n"
               "drwxr-x--- 2 0 0 4096 Jan  3 00:01 data\n"
               "-rw-r----- 1 0 0 1234 Jan  3 00:01 info.json.0\n"
               "-rw-r----- 1 0 0    5 Jan  3 00:01  blank\n"
               "\n"
               "./data:\n"
               "total 8\n"
               "-rw-r-----    1 0        0           7 Jan  3 00:01 AAcore.0.a b.1.1.1.0\n"
               "-rw-r-----+   1 0        0           8 Jan  3 00:01 Freq.0\n");
    check_names(&list, names);
    g_assert_cmpuint(list.refused->len, ==, 0);
    g_assert_cmpuint(list.n_bytes, ==, 1254);
    strobe_job_list_clear(&list);
}

/* Each dangerous name is refused, and the message contains the name without its control
 * characters. */
static void test_hostile_listing(void)
{
    static const char *const names[] = {"good", NULL};
    StrobeJobList list;

    strobe_job_list_parse(&list, ".:\n"
                                 "lrwxrwxrwx 1 0 0 11 Jan  1  1970 passwd -> /etc/passwd\n"
                                 "crw-rw-rw- 1 0 0 1, 5 Jan  1  1970 zero\n"
                                 "prw-r----- 1 0 0 0 Jan  1  1970 pipe\n"
                                 "srw-r----- 1 0 0 0 Jan  1  1970 socket\n"
                                 "-rw-r----- 1 0 0 1 Jan  1  1970 a/b\n"
                                 "-rw-r----- 1 0 0 1 Jan  1  1970 ..\n"
                                 "-rw-r----- 1 0 0 1 Jan  1  1970 \x1b[31mred\n"
                                 "-rw-r----- 1 0 0 1 Jan  1  1970 \xff\xfe\n"
                                 "the second line of a name\n"
                                 "-rw-r----- 1 0 0 1 Jan  1  1970 good\n"
                                 "\n"
                                 "./../etc:\n"
                                 "-rw-r----- 1 0 0 1 Jan  1  1970 shadow\n"
                                 "\n"
                                 "./data/../..:\n"
                                 "-rw-r----- 1 0 0 1 Jan  1  1970 shadow\n");
    check_names(&list, names);
    g_assert_cmpuint(list.refused->len, ==, 11);
    for (guint i = 0; i < list.refused->len; i++)
        for (const char *c = g_ptr_array_index(list.refused, i); *c; c++)
            g_assert_true((guchar)*c >= ' ');
    strobe_job_list_clear(&list);
}

static void test_sizes(void)
{
    StrobeJobList list;

    strobe_job_list_parse(&list, ".:\n"
                                 "-rw-r----- 1 0 0 18446744073709551615 Jan  1  1970 a\n"
                                 "-rw-r----- 1 0 0 18446744073709551615 Jan  1  1970 b\n");
    g_assert_cmpuint(list.n_bytes, ==, G_MAXUINT64);
    strobe_job_list_clear(&list);
}

static void test_names(void)
{
    static const char *const bad[] = {"", ".", "..", "a/b", "/", "a\nb", "\x7f", "\xc2\x9b"};
    g_autofree char *longest = g_strnfill(255, 'x'), *longer = g_strnfill(256, 'x');

    for (guint i = 0; i < G_N_ELEMENTS(bad); i++)
        g_assert_false(strobe_job_name_is_good(bad[i]));
    g_assert_true(strobe_job_name_is_good("AAcore.0.\xe4\xb8\xad.1"));
    g_assert_true(strobe_job_name_is_good(longest));
    g_assert_false(strobe_job_name_is_good(longer));
}

/* ---- checksums ---- */

static guint32 sum_of(const char *bytes, gsize length)
{
    StrobeCksum sum = {0};

    strobe_cksum_add(&sum, bytes, length / 2);
    strobe_cksum_add(&sum, bytes + length / 2, length - length / 2);
    return strobe_cksum_value(&sum);
}

/* The expected checksums are those that the command cksum prints. */
static void test_checksums(void)
{
    g_autofree char *zeros = g_malloc0(70000);

    g_assert_cmpuint(sum_of("", 0), ==, 4294967295u);
    g_assert_cmpuint(sum_of("123456789", 9), ==, 930766865u);
    g_assert_cmpuint(sum_of("hello\n", 6), ==, 3015617425u);
    g_assert_cmpuint(sum_of(zeros, 70000), ==, 1774371287u);
}

/* ---- clocks ---- */

static void test_clock(void)
{
    StrobeClockOffset offset = {0};

    strobe_clock_offset_add(&offset, 1000, 3000, 12000, 0); /* offset between 9000 and 11000 */
    g_assert_cmpint(strobe_clock_offset_ns(&offset), ==, 10000);
    g_assert_cmpint(strobe_clock_offset_error_ns(&offset), ==, 1000);
    strobe_clock_offset_add(&offset, 5000, 5600, 15000, 0); /* offset between 9400 and 10000 */
    g_assert_cmpint(strobe_clock_offset_ns(&offset), ==, 9700);
    g_assert_cmpint(strobe_clock_offset_error_ns(&offset), ==, 300);
    /* a coarse clock: offset between 500 and 11000 */
    strobe_clock_offset_add(&offset, 9000, 9500, 10000, 10000);
    g_assert_cmpint(strobe_clock_offset_error_ns(&offset), ==, 300);
    /* This round trip contradicts the earlier bounds and replaces them. */
    strobe_clock_offset_add(&offset, 1000, 1100, 90000, 0);
    g_assert_cmpint(strobe_clock_offset_ns(&offset), ==, 88950);
    /* received before it was sent, so it is ignored */
    strobe_clock_offset_add(&offset, 2000, 1000, 0, 0);
    g_assert_cmpint(strobe_clock_offset_ns(&offset), ==, 88950);
}

/* ---- messages ---- */

static void test_excerpt(void)
{
    static const char hostile[] = "a\nb\x1b]0;title\x07\xff\xc2\x9b"
                                  "c";
    g_autofree char *shown = strobe_remote_excerpt(hostile, strlen(hostile));
    g_autofree char *longer = g_strnfill(1000, 'x');
    g_autofree char *cut = strobe_remote_excerpt(longer, 1000);

    g_assert_cmpstr(shown, ==,
                    "a b\\x1b]0;title\\x07\xef\xbf\xbd\\x9b"
                    "c");
    g_assert_cmpuint(strlen(cut), ==, 400);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/board/listing", test_listing);
    g_test_add_func("/board/hostile-listing", test_hostile_listing);
    g_test_add_func("/board/sizes", test_sizes);
    g_test_add_func("/board/names", test_names);
    g_test_add_func("/board/checksums", test_checksums);
    g_test_add_func("/board/clock", test_clock);
    g_test_add_func("/board/excerpt", test_excerpt);
    return g_test_run();
}
