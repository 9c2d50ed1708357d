/* SPDX-License-Identifier: Apache-2.0 */
/* Writes numbers in cells in the formats of the result files, and reads them back. */
#include <glib.h>
#include <math.h>
#include <string.h>
#include <strobe/helpers/cell-number.h>

static void check_fixed(double value, int decimals, const char *expected)
{
    char text[STROBE_NUMBER_MAX];

    g_assert_cmpuint(strobe_format_fixed(text, value, decimals), ==, strlen(expected));
    g_assert_cmpstr(text, ==, expected);
}

static void check_trimmed(double value, int decimals, int keep_one, const char *expected)
{
    char text[STROBE_NUMBER_MAX];

    g_assert_cmpuint(strobe_format_trimmed(text, value, decimals, keep_one), ==, strlen(expected));
    g_assert_cmpstr(text, ==, expected);
}

static void test_write(void)
{
    check_fixed(48.68, 3, "48.680");
    check_fixed(-0.0005, 3, "-0.001");
    check_fixed(833.42, 6, "833.420000");
    check_fixed(1e300, 3, "1e+300");
    check_trimmed(666.3, 3, 0, "666.3");
    check_trimmed(5, 3, 0, "5");
    check_trimmed(5, 3, 1, "5.0");
    check_trimmed(0, 3, 1, "0.0");
    check_trimmed(100, 3, 0, "100");
    check_trimmed(1.23456, 3, 1, "1.235");
}

/* Expects printf's text without trailing zeros: with keep_one 0, and with keep_one 1. */
static void check_without_zeros(double value, int decimals, const char *text)
{
    g_autofree char *expected = g_strdup(text);
    g_autofree char *with_one = NULL;
    gsize length = strlen(expected);

    if (!decimals)
        return;
    while (expected[length - 1] == '0')
        expected[--length] = 0;
    if (expected[length - 1] == '.')
        expected[--length] = 0;
    with_one = g_strconcat(expected, strchr(expected, '.') ? "" : ".0", NULL);
    check_trimmed(value, decimals, 0, expected);
    check_trimmed(value, decimals, 1, with_one);
}

/* Checks that strobe_format_fixed writes the digits of printf, also for ties and tiny numbers. */
static void test_as_printf(void)
{
    static const double special[] = {
        0.5,  1.5,          2.5,        0.0625,     0.0005,        -0.0,
        1e-9, 5e-324,       1e-30,      1e14,       0.125,         999999.9995,
        -7,   0.9999999996, 99999.9994, 99999.9996, 99999999.9994, 99999999.9999996};
    char expected[STROBE_NUMBER_MAX];

    for (int i = 0; i < 20000; i++) {
        double value = i < (int)G_N_ELEMENTS(special)
                           ? special[i]
                           : ldexp(g_test_rand_double() - 0.5, g_test_rand_int_range(-60, 49));

        for (int decimals = 0; decimals <= 9; decimals += 3) {
            g_snprintf(expected, sizeof expected, "%.*f", decimals, value);
            check_fixed(value, decimals, expected);
            check_without_zeros(value, decimals, expected);
        }
    }
}

static StrobeCellValue read_cell(uint32_t cell, const char *text)
{
    const StrobeColumn column = {"Title", "field", cell, "N/A"};
    StrobeCellValue value;

    g_assert_cmpint(strobe_cell_read(&column, text, strlen(text), &value), ==, 0);
    return value;
}

static void check_refused(uint32_t cell, const char *text)
{
    const StrobeColumn column = {"Title", "field", cell, "N/A"};
    StrobeCellValue value;

    g_assert_cmpint(strobe_cell_read(&column, text, strlen(text), &value), ==, -1);
}

static void test_read(void)
{
    StrobeCellValue value = read_cell(STROBE_CELL_US_TAB, "1736405443881410.320\t");

    g_assert_cmpint(value.whole, ==, 1736405443881410320);
    value = read_cell(STROBE_CELL_US_REPR, "2.2600625");
    g_assert_cmpint(value.whole, ==, 2260);
    g_assert_cmpfloat(value.rest, ==, 0.0625);
    g_assert_cmpfloat(value.real, ==, 2260.0625);
    g_assert_cmpint(read_cell(STROBE_CELL_US_REPR, "-0.5").whole, ==, -500);
    g_assert_cmpfloat(read_cell(STROBE_CELL_MB, "954.3701171875").real, ==, 1000729600);
    g_assert_cmpint(read_cell(STROBE_CELL_DEVICE, "NPU:12").whole, ==, 12);
    g_assert_cmpint(read_cell(STROBE_CELL_DEVICE, "CPU").whole, ==, -1);
    g_assert_cmpint(read_cell(STROBE_CELL_INT, "18446744073709551615").is_unsigned, ==, 1);
    g_assert_cmpint(read_cell(STROBE_CELL_INT, "-9223372036854775808").whole, ==, G_MININT64);
    g_assert_cmpfloat(read_cell(STROBE_CELL_TRIM6, "0.23264").real, ==, 0.23264);
    g_assert_cmpint(read_cell(STROBE_CELL_INT, "N/A").type, ==, STROBE_CELL_ABSENT);
    g_assert_cmpint(read_cell(STROBE_CELL_INT, "\t").type, ==, STROBE_CELL_ABSENT);
    check_refused(STROBE_CELL_INT, "18446744073709551616");
    check_refused(STROBE_CELL_INT, "12a");
    check_refused(STROBE_CELL_INT, "nan");
    check_refused(STROBE_CELL_INT, "0x10");
    check_refused(STROBE_CELL_INT, "1e999");
    check_refused(STROBE_CELL_US_TAB, "1.2.3");
    check_refused(STROBE_CELL_US_TAB, "99999999999999999999.000");
    check_refused(STROBE_CELL_DEVICE, "NPU:");
    check_refused(STROBE_CELL_DEVICE, "GPU:1");
}

static void test_store(void)
{
    StrobeCellValue value = read_cell(STROBE_CELL_INT, "4294967296");
    uint32_t narrow = 7;
    uint64_t wide = 0;
    double real = 0;

    g_assert_cmpint(strobe_cell_store(&value, STROBE_FIELD_U32, &narrow), ==, -1);
    g_assert_cmpuint(narrow, ==, 7);
    g_assert_cmpint(strobe_cell_store(&value, STROBE_FIELD_U64, &wide), ==, 0);
    g_assert_cmpuint(wide, ==, 4294967296);
    value = read_cell(STROBE_CELL_INT, "18446744073709551615");
    g_assert_cmpint(strobe_cell_store(&value, STROBE_FIELD_U64, &wide), ==, 0);
    g_assert_cmpuint(wide, ==, G_MAXUINT64);
    g_assert_cmpint(strobe_cell_store(&value, STROBE_FIELD_I64, &wide), ==, -1);
    value = read_cell(STROBE_CELL_KB, "0.5");
    g_assert_cmpint(strobe_cell_store(&value, STROBE_FIELD_I64, &wide), ==, 0);
    g_assert_cmpuint(wide, ==, 512);
    g_assert_cmpint(strobe_cell_store(&value, STROBE_FIELD_F64, &real), ==, 0);
    g_assert_cmpfloat(real, ==, 512);
    g_assert_cmpint(strobe_cell_store(&value, STROBE_FIELD_STRING, &narrow), ==, -1);
    value = read_cell(STROBE_CELL_INT, "");
    g_assert_cmpint(strobe_cell_store(&value, STROBE_FIELD_U32, &narrow), ==, 0);
    g_assert_cmpuint(narrow, ==, 7);
}

/* Checks that strobe_round_decimals gives the results of Python's round(), which decides halves by
 * the exact value of the double. */
static void test_round(void)
{
    g_assert_cmpfloat(strobe_round_decimals(2.5, 0), ==, 2);
    g_assert_cmpfloat(strobe_round_decimals(2.675, 2), ==, 2.67);
    g_assert_cmpfloat(strobe_round_decimals(-0.0005, 3), ==, -0.001);
    g_assert_cmpfloat(strobe_round_decimals(1736412474721516.7, 3), ==, 1736412474721516.8);
    g_assert_cmpfloat(strobe_round_decimals(123456789012.34567, 4), ==, 123456789012.3457);
    g_assert_cmpfloat(strobe_round_decimals(1e300, 3), ==, 1e300);
    g_assert_true(isnan(strobe_round_decimals(NAN, 3)));
}

static void test_microseconds(void)
{
    g_assert_cmpfloat(strobe_us_of_ns(-1500), ==, -1.5);
    g_assert_cmpfloat(strobe_us_of_ns(INT64_C(1736412474721516710)), ==, 1736412474721516.710);
    g_assert_cmpfloat(strobe_us_of_ns(INT64_MIN), <, -9.2e15);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/cell-number/as-printf", test_as_printf);
    g_test_add_func("/cell-number/write", test_write);
    g_test_add_func("/cell-number/read", test_read);
    g_test_add_func("/cell-number/store", test_store);
    g_test_add_func("/cell-number/round", test_round);
    g_test_add_func("/cell-number/microseconds", test_microseconds);
    return g_test_run();
}
