/* SPDX-License-Identifier: Apache-2.0 */
#include <glib.h>
#include <strobe/helpers/utf8.h>
#include <string.h>

static void check_character(const char *bytes, int expected)
{
    g_assert_cmpint(strobe_utf8_next(bytes, strlen(bytes)), ==, expected);
}

static void test_valid(void)
{
    check_character("a", 1);
    check_character("\xc3\xa9", 2);
    check_character("\xe2\x82\xac", 3);
    check_character("\xf0\x9f\x98\x80", 4);
    check_character("\xf4\x8f\xbf\xbf", 4);
    g_assert_cmpint(strobe_utf8_next("\0", 1), ==, 1);
}

/* Checks the length of the maximal invalid part: all bytes that could begin a character, otherwise
 * one byte. */
static void test_invalid(void)
{
    check_character("\x80", -1);
    check_character("\xc0\xaf", -1);         /* overlong */
    check_character("\xe0\x80\x80", -1);     /* overlong */
    check_character("\xed\xa0\x80", -1);     /* surrogate */
    check_character("\xf4\x90\x80\x80", -1); /* above U+10FFFF */
    check_character("\xf5\x80", -1);
    check_character("\xff", -1);
    check_character("\xe2\x82", -2); /* truncated */
    check_character("\xe2\x82(", -2);
    check_character("\xf0\x9f\x98", -3);
    check_character("\xc3(", -1);
}

/* Compares the result with GLib's validator for every sequence of one to three bytes. */
static void test_against_glib(void)
{
    for (unsigned word = 0; word < 1u << 24; word += word < 1u << 16 ? 1 : 251) {
        const char bytes[3] = {(char)(word >> 16), (char)(word >> 8), (char)word};
        int size = strobe_utf8_next(bytes, 3);

        if (!bytes[0])
            continue;
        if (size > 0)
            g_assert_true(g_utf8_validate_len(bytes, (gsize)size, NULL) || !bytes[1]);
        else
            g_assert_cmpint(g_utf8_get_char_validated(bytes, -size), >=, (gunichar)-2);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/utf8/valid", test_valid);
    g_test_add_func("/utf8/invalid", test_invalid);
    g_test_add_func("/utf8/against-glib", test_against_glib);
    return g_test_run();
}
