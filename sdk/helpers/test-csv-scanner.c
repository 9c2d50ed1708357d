/* SPDX-License-Identifier: Apache-2.0 */
/* CSV row by row: quotes, newlines in cells, damage, going back to a row. */
#include <glib.h>
#include <string.h>
#include <strobe/helpers/csv-scanner.h>
#include <unistd.h>

static int file_of(const char *bytes, size_t length)
{
    char name[] = "/tmp/strobe-test-XXXXXX";
    int file = g_mkstemp(name);

    g_assert_cmpint(file, >=, 0);
    unlink(name);
    g_assert_cmpint(pwrite(file, bytes, length, 0), ==, length);
    return file;
}

/* Checks the rows of a text; `expected` is "a|b/c|d" for two rows, and contains "!reason" for
 * damage. */
static void check_rows(const char *csv, const char *expected)
{
    int file = file_of(csv, strlen(csv));
    StrobeCsvScanner *scanner = strobe_csv_scanner_new(file);
    g_autoptr(GString) out = g_string_new(NULL);
    const StrobeCsvCell *cells;
    size_t n;
    int status;

    while ((status = strobe_csv_scanner_next(scanner, &cells, &n))) {
        g_string_append(out, out->len ? "/" : "");
        if (status == STROBE_CSV_DAMAGED)
            g_string_append_printf(out, "!%s", strobe_csv_scanner_error(scanner));
        for (size_t i = 0; status == STROBE_CSV_ROW && i < n; i++) {
            g_assert_cmpuint(strlen(cells[i].bytes), ==, cells[i].length);
            g_string_append_printf(out, "%s%s", i ? "|" : "", cells[i].bytes);
        }
    }
    g_assert_cmpstr(out->str, ==, expected);
    strobe_csv_scanner_free(scanner);
    close(file);
}

static void test_rows(void)
{
    check_rows("", "");
    check_rows("a,b\r\nc,d\r\n", "a|b/c|d");
    check_rows("a,b\nc,d", "a|b/c|d");
    check_rows("a,,\r\n,,c\r\n", "a||/||c");
    check_rows("\r\n\r\na\r\n", "a");
    check_rows("\"a,b\",\"c\"\"d\",\"\"\"e\"\"\"\r\n", "a,b|c\"d|\"e\"");
    check_rows("\"a\r\nb\",c\r\nd,e\r\n", "a\r\nb|c/d|e");
    check_rows("\"a\r\"\r\n", "a\r");
    check_rows("a\"b,c\n", "a\"b|c");
    check_rows("\"a\"b,c\n", "ab|c");
    check_rows("a,\"b", "!a quote that is not closed");
}

static void test_limits(void)
{
    g_autoptr(GString) csv = g_string_new(NULL);

    for (int i = 0; i < 5000; i++)
        g_string_append_c(csv, ',');
    g_string_append(csv, "\nnext,row\n");
    check_rows(csv->str, "!a row of more than 4096 cells/next|row");
}

/* Reads rows across the end of a buffer, and goes back to earlier rows. */
static void test_places(void)
{
    g_autoptr(GString) csv = g_string_new(NULL);
    guint64 places[3000];
    const StrobeCsvCell *cells;
    size_t n;

    for (int i = 0; i < 3000; i++)
        g_string_append_printf(csv, "%d,\"%040d\"\r\n", i, i);
    int file = file_of(csv->str, csv->len);
    StrobeCsvScanner *scanner = strobe_csv_scanner_new(file);
    for (int i = 0; i < 3000; i++) {
        g_assert_cmpint(strobe_csv_scanner_next(scanner, &cells, &n), ==, STROBE_CSV_ROW);
        g_assert_cmpuint(n, ==, 2);
        g_assert_cmpuint(strobe_csv_scanner_row(scanner), ==, i + 1);
        places[i] = strobe_csv_scanner_place(scanner);
    }
    for (int i = 2999; i >= 0; i -= 7) {
        g_autofree char *number = g_strdup_printf("%d", i);

        g_assert_cmpint(strobe_csv_scanner_go(scanner, places[i]), ==, 0);
        g_assert_cmpint(strobe_csv_scanner_next(scanner, &cells, &n), ==, STROBE_CSV_ROW);
        g_assert_cmpstr(cells[0].bytes, ==, number);
    }
    strobe_csv_scanner_free(scanner);
    close(file);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/csv-scanner/rows", test_rows);
    g_test_add_func("/csv-scanner/limits", test_limits);
    g_test_add_func("/csv-scanner/places", test_places);
    return g_test_run();
}
