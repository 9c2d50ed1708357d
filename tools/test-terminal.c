/* SPDX-License-Identifier: Apache-2.0 */
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "terminal.h"

/* Returns the text that a grid prints (free it). */
static char *print_grid(const StrobeGrid *grid)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);

    strobe_grid_print(grid, file);
    fclose(file);
    char *copy = g_strdup(text);
    free(text);
    return copy;
}

static void test_alignment(void)
{
    StrobeGrid *grid = strobe_grid_new();

    strobe_grid_add_column(grid, "Name", FALSE, 0);
    strobe_grid_add_column(grid, "N", TRUE, 0);
    strobe_grid_add_column(grid, "Text", FALSE, 0);
    strobe_grid_add(grid, "a");
    strobe_grid_printf(grid, "%d", 12345);
    strobe_grid_add(grid, "x");
    strobe_grid_add(grid, "longer");
    strobe_grid_printf(grid, "%d", 7);
    strobe_grid_add(grid, NULL);
    g_autofree char *text = print_grid(grid);
    g_assert_cmpstr(text, ==,
                    "Name        N  Text\n"
                    "-------------------\n"
                    "a       12345  x\n"
                    "longer      7  \n");
    strobe_grid_free(grid);
}

static void test_cut_and_wide(void)
{
    StrobeGrid *grid = strobe_grid_new();

    strobe_grid_add_column(grid, NULL, FALSE, 6);
    strobe_grid_add_column(grid, NULL, FALSE, 0);
    strobe_grid_add(grid, "abcdefghij");
    strobe_grid_add(grid, "|");
    strobe_grid_add(grid, "\346\274\242\345\255\227"); /* two characters, four columns */
    strobe_grid_add(grid, "|");
    g_autofree char *text = print_grid(grid);
    g_assert_cmpstr(text, ==,
                    "abc...  |\n"
                    "\346\274\242\345\255\227    |\n");
    strobe_grid_free(grid);
}

static void test_rows_that_are_not_whole(void)
{
    StrobeGrid *grid = strobe_grid_new();

    strobe_grid_add_column(grid, "A", FALSE, 0);
    strobe_grid_add_column(grid, "B", FALSE, 0);
    g_autofree char *empty = print_grid(grid);
    g_assert_cmpstr(empty, ==, "A  B\n----\n");
    strobe_grid_add(grid, "half");
    g_autofree char *half = print_grid(grid);
    g_assert_null(strstr(half, "half"));
    strobe_grid_free(grid);
}

static void check_printable(const char *bytes, gsize length, const char *wanted)
{
    g_autofree char *text = strobe_text_printable(bytes, length);

    g_assert_cmpstr(text, ==, wanted);
}

static void test_printable(void)
{
    check_printable("plain", 5, "plain");
    check_printable("a\nb\tc", 5, "a b c");
    check_printable("\033[31mred", 8, "?[31mred");
    check_printable("\302\233", 2, "?");       /* a control character in two bytes */
    check_printable("\342\200\256x", 4, "?x"); /* right-to-left override */
    check_printable("a\377b", 3, "a\357\277\275b");
    check_printable("a\342\200\250b", 5, "a b"); /* line separator */
    check_printable("", 0, "");
}

static void test_excerpt(void)
{
    g_autofree char *whole = strobe_text_excerpt("abc", 3, 3);
    g_autofree char *cut = strobe_text_excerpt("abcd", 4, 3);
    g_autofree char *between = strobe_text_excerpt("a\303\244\303\244", 5, 4);

    g_assert_cmpstr(whole, ==, "abc");
    g_assert_cmpstr(cut, ==, "abc...");
    g_assert_cmpstr(between, ==, "a\303\244...");
}

static void check_duration(gint64 ns, const char *wanted)
{
    g_autofree char *text = strobe_text_duration(ns);

    g_assert_cmpstr(text, ==, wanted);
}

static void test_duration(void)
{
    check_duration(0, "0 ns");
    check_duration(999, "999 ns");
    check_duration(1500, "1.50 us");
    check_duration(23456789, "23.5 ms");
    check_duration(G_GINT64_CONSTANT(59900000000), "59.9 s");
    check_duration(G_GINT64_CONSTANT(9000000000000), "150 min");
    check_duration(-1500, "-1.50 us");
}

static void test_bytes(void)
{
    g_autofree char *small = strobe_text_bytes(640);
    g_autofree char *large = strobe_text_bytes(13 * 1024 * 1024 + 512 * 1024);

    g_assert_cmpstr(small, ==, "640 B");
    g_assert_cmpstr(large, ==, "13.5 MB");
}

int main(int argc, char **argv)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/terminal/alignment", test_alignment);
    g_test_add_func("/terminal/cut-and-wide", test_cut_and_wide);
    g_test_add_func("/terminal/rows-that-are-not-whole", test_rows_that_are_not_whole);
    g_test_add_func("/terminal/printable", test_printable);
    g_test_add_func("/terminal/excerpt", test_excerpt);
    g_test_add_func("/terminal/duration", test_duration);
    g_test_add_func("/terminal/bytes", test_bytes);
    return g_test_run();
}
