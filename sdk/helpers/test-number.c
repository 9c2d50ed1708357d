/* SPDX-License-Identifier: Apache-2.0 */
/* The expected texts are those of Python's repr. */
#include <float.h>
#include <glib.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strobe/helpers/number.h>

static void check_double(double value, const char *expected)
{
    char text[STROBE_NUMBER_MAX];
    size_t length = strobe_format_double(text, value);

    g_assert_cmpstr(text, ==, expected);
    g_assert_cmpuint(length, ==, strlen(expected));
}

static void test_double(void)
{
    check_double(0.0, "0.0");
    check_double(-0.0, "-0.0");
    check_double(0.1, "0.1");
    check_double(0.1 + 0.2, "0.30000000000000004");
    check_double(18816.5, "18816.5");
    check_double(-8827.472999999998, "-8827.472999999998");
    check_double(0.19999999999999998, "0.19999999999999998");
    check_double(116251.25, "116251.25");
    check_double(1e15, "1000000000000000.0");
    check_double(1e16, "1e+16");
    check_double(123456789012345680.0, "1.2345678901234568e+17");
    check_double(9007199254740993.0, "9007199254740992.0");
    check_double(0.0001, "0.0001");
    check_double(0.00001, "1e-05");
    check_double(1.5e-7, "1.5e-07");
    check_double(5e-324, "5e-324");
    check_double(DBL_MAX, "1.7976931348623157e+308");
    check_double(DBL_MIN, "2.2250738585072014e-308");
    /* not the nearest decimal with 16 digits */
    check_double(ldexp(1, -44), "5.684341886080802e-14");
    check_double(9.5367431640625e-07, "9.5367431640625e-07");
    check_double(NAN, "nan");
    check_double(INFINITY, "inf");
    check_double(-INFINITY, "-inf");
}

static void check_binary(int64_t value, unsigned bits)
{
    char text[STROBE_NUMBER_MAX], expected[STROBE_NUMBER_MAX];
    size_t length = strobe_format_binary(text, value, bits);

    strobe_format_double(expected, (double)value / ldexp(1, (int)bits));
    g_assert_cmpstr(text, ==, expected);
    g_assert_cmpuint(length, ==, strlen(expected));
}

/* Checks sizes in bytes that allocators use, and random numbers. */
static void test_binary(void)
{
    static const int64_t values[] = {0,    1,    -1,   127,       128,       512,
                                     -512, 1023, 1536, 5ll << 50, INT64_MIN, INT64_MAX};
    GRand *rand = g_rand_new_with_seed(20);

    for (gsize i = 0; i < G_N_ELEMENTS(values); i++) {
        check_binary(values[i], 10);
        check_binary(values[i], 20);
    }
    for (int i = 0; i < 200000; i++) {
        const int64_t value = (int64_t)g_rand_int(rand) << g_rand_int_range(rand, 0, 20);

        check_binary(value >> g_rand_int_range(rand, 0, 32), i % 2 ? 10 : 20);
    }
    g_rand_free(rand);
}

/* Returns the number of significant digits in a number's text. */
static int count_digits(const char *text)
{
    int digits = 0, zeros = 0;

    for (; *text && *text != 'e'; text++) {
        if (!g_ascii_isdigit(*text) || (!digits && *text == '0'))
            continue;
        digits++;
        zeros = *text == '0' ? zeros + 1 : 0;
    }
    return digits - zeros;
}

static void check_round_trip(double value)
{
    char text[STROBE_NUMBER_MAX], shorter[64];
    size_t length = strobe_format_double(text, value);
    int digits = count_digits(text);

    g_assert_cmpuint(length, <, STROBE_NUMBER_MAX);
    g_assert_cmpfloat(g_ascii_strtod(text, NULL), ==, value);
    if (digits > 1) {
        g_snprintf(shorter, sizeof shorter, "%.*e", digits - 2, value);
        g_assert_cmpfloat(g_ascii_strtod(shorter, NULL), !=, value);
    }
}

/* Checks that the digits of the value's text are those of the exact value, correctly rounded. */
static void check_nearest(double value)
{
    char text[STROBE_NUMBER_MAX], nearest[64];

    strobe_format_double(text, value);
    g_snprintf(nearest, sizeof nearest, "%.*e", MAX(count_digits(text), 1) - 1, value);
    g_assert_cmpfloat(g_ascii_strtod(text, NULL), ==, g_ascii_strtod(nearest, NULL));
    g_assert_cmpint(count_digits(text), ==, count_digits(nearest));
    for (const char *a = text, *b = nearest; *b != 'e'; a++, b++) {
        while (*a == '.' || (b == nearest && *a == '0'))
            a++;
        b += *b == '.';
        g_assert_true(*a == *b || (*a == '\0' && *b == 'e'));
        if (*a == '\0')
            break;
    }
}

/* Checks values for which the text is computed with integers: all magnitudes, decimals of few
 * digits, halves of the last place, and the borders of the range. */
static void test_double_nearest(void)
{
    static const double borders[] = {1e-4, 9.999999999999999e-05, 1e15, 999999999999999.9,
                                     0.00010000000000000002};

    for (guint i = 0; i < G_N_ELEMENTS(borders); i++)
        check_nearest(borders[i]);
    for (int exponent = -14; exponent < 51; exponent++)
        for (int i = 0; i < 4000; i++) {
            double value = ldexp(g_test_rand_double_range(0.5, 1), exponent);
            check_nearest(value);
            check_nearest(nearbyint(value * 1000) / 1000 + 1e-4);
            check_nearest(nearbyint(value) + 0.5);
        }
}

static void test_double_random(void)
{
    for (int i = 0; i < 200000; i++) {
        guint64 bits = (guint64)(guint32)g_test_rand_int() << 32 | (guint32)g_test_rand_int();
        double value;

        memcpy(&value, &bits, sizeof value);
        if (isfinite(value))
            check_round_trip(value);
        check_round_trip(g_test_rand_double_range(-1e6, 1e6));
    }
    for (int exponent = -1074; exponent < 1024; exponent++)
        check_round_trip(ldexp(1, exponent));
}

static void check_us(int64_t ns, const char *fixed, const char *repr)
{
    char text[STROBE_NUMBER_MAX];
    size_t length = strobe_format_us_fixed(text, ns);

    g_assert_cmpstr(text, ==, fixed);
    g_assert_cmpuint(length, ==, strlen(fixed));
    length = strobe_format_us_repr(text, ns);
    g_assert_cmpstr(text, ==, repr);
    g_assert_cmpuint(length, ==, strlen(repr));
}

static void test_us(void)
{
    check_us(0, "0.000", "0.0");
    check_us(12, "0.012", "0.012");
    check_us(-500, "-0.500", "-0.5");
    check_us(89610, "89.610", "89.61");
    check_us(310000, "310.000", "310.0");
    check_us(148452230, "148452.230", "148452.23");
    check_us(1736412474721516710, "1736412474721516.710", "1736412474721516.8");
    check_us(INT64_MAX, "9223372036854775.807", "9223372036854776.0");
    check_us(INT64_MIN, "-9223372036854775.808", "-9223372036854776.0");
}

/* Checks that the function for microseconds and the general function give the same text. */
static void test_us_random(void)
{
    for (int i = 0; i < 200000; i++) {
        char text[STROBE_NUMBER_MAX], general[STROBE_NUMBER_MAX];
        int64_t ns =
            (int64_t)((guint64)(guint32)g_test_rand_int() << 32 | (guint32)g_test_rand_int()) >>
            g_test_rand_int_range(0, 63);

        strobe_format_us_repr(text, ns);
        g_assert_cmpfloat(g_ascii_strtod(text, NULL), ==, (double)ns / 1000.0);
        strobe_format_double(general, (double)ns / 1000.0);
        g_assert_cmpstr(text, ==, general);
    }
}

static void test_int(void)
{
    char text[STROBE_NUMBER_MAX];

    strobe_format_int(text, INT64_MIN);
    g_assert_cmpstr(text, ==, "-9223372036854775808");
    strobe_format_int(text, 7);
    g_assert_cmpstr(text, ==, "7");
    strobe_format_uint(text, UINT64_MAX);
    g_assert_cmpstr(text, ==, "18446744073709551615");
    for (guint64 power = 1, n = 1; n < 20; n++, power *= 10) { /* powers of ten, with n - 1 zeros */
        g_assert_cmpuint(strobe_format_uint(text, power - 1), ==, MAX(n - 1, 1));
        g_assert_cmpuint(strobe_format_uint(text, power), ==, n);
        g_assert_cmpuint(strlen(text), ==, n);
    }
    for (int i = 0; i < 100000; i++) {
        guint64 value = ((guint64)(guint32)g_test_rand_int() << 32 | (guint32)g_test_rand_int()) >>
                        g_test_rand_int_range(0, 64);

        strobe_format_uint(text, value);
        g_assert_cmpuint(g_ascii_strtoull(text, NULL, 10), ==, value);
    }
}

/* Checks that a locale with a decimal comma changes no text. */
static void test_locale(void)
{
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8")) {
        g_test_skip("locale de_DE.UTF-8 is not installed");
        return;
    }
    check_double(0.1, "0.1");
    check_double(0.1 + 0.2, "0.30000000000000004");
    setlocale(LC_NUMERIC, "C");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/number/double", test_double);
    g_test_add_func("/number/double-random", test_double_random);
    g_test_add_func("/number/double-nearest", test_double_nearest);
    g_test_add_func("/number/us", test_us);
    g_test_add_func("/number/us-random", test_us_random);
    g_test_add_func("/number/int", test_int);
    g_test_add_func("/number/binary", test_binary);
    g_test_add_func("/number/locale", test_locale);
    return g_test_run();
}
