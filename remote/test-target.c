/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of parsing a target's ini file. */
#include <string.h>

#include "error.h"
#include "target.h"

#define HEAD "[ssh_config]\nip = 10.0.0.2\nusername = root\n"

static void count_warning(void *user, const char *text)
{
    g_assert_nonnull(strstr(text, "board.ini: line "));
    ++*(guint *)user;
}

static StrobeTarget *parse_text(const char *text, gssize length, guint *n_warnings, GError **error)
{
    *n_warnings = 0;
    return strobe_target_parse(text, length < 0 ? strlen(text) : (gsize)length, "board.ini",
                               count_warning, n_warnings, error);
}

static StrobeTarget *parse_good(const char *text)
{
    GError *error = NULL;
    guint n;
    StrobeTarget *target = parse_text(text, -1, &n, &error);

    g_assert_no_error(error);
    g_assert_cmpuint(n, ==, 0);
    return target;
}

static void test_defaults(void)
{
    g_autoptr(StrobeTarget) target = parse_good(HEAD "pwd = x\n");

    g_assert_cmpstr(target->host, ==, "10.0.0.2");
    g_assert_cmpstr(target->user, ==, "root");
    g_assert_cmpstr(target->password, ==, "x");
    g_assert_cmpuint(target->port, ==, 22);
    g_assert_cmpuint(target->keepalive_s, ==, 5);
    g_assert_false(target->is_strict);
}

static void test_all_keys(void)
{
    g_autoptr(StrobeTarget) target = parse_good(
        "\xef\xbb\xbf# a comment\r\n; another\r\n\r\n[ssh_config]\r\nip=[fe80::1%eth0]\r\n"
        "username= a b \r\npwd =\r\nport=65535\r\nidentity=/k\r\nknown_hosts=/h\r\n"
        "host_keys=strict\r\nkeepalive=3600");

    g_assert_cmpstr(target->host, ==, "fe80::1%eth0");
    g_assert_cmpstr(target->user, ==, "a b");
    g_assert_cmpstr(target->password, ==, "");
    g_assert_cmpuint(target->port, ==, 65535);
    g_assert_cmpstr(target->identity, ==, "/k");
    g_assert_cmpstr(target->known_hosts, ==, "/h");
    g_assert_true(target->is_strict);
    g_assert_cmpuint(target->keepalive_s, ==, 3600);
}

/* A value is all the text after the first "=", unchanged. */
static void test_passwords(void)
{
    static const char *const passwords[] = {
        "p %#;=w\"x",           "'quoted'", "a b  c",           "\\n\\x41", "#;",
        "\xc3\xa4\xe4\xb8\xad", "=",        "%(ip)s $HOME `id`"};

    for (guint i = 0; i < G_N_ELEMENTS(passwords); i++) {
        g_autofree char *text = g_strdup_printf(HEAD "pwd = %s  \n", passwords[i]);
        g_autoptr(StrobeTarget) target = parse_good(text);

        g_assert_cmpstr(target->password, ==, passwords[i]);
    }
}

static void test_unknown(void)
{
    GError *error = NULL;
    guint n;
    g_autoptr(StrobeTarget) target =
        parse_text("[other]\nip = 1\n" HEAD "pwd = x\nprt = 1\n[more]\nport = 0\n", -1, &n, &error);

    g_assert_no_error(error);
    g_assert_cmpuint(n, ==, 1);
    g_assert_cmpuint(target->port, ==, 22);
}

typedef struct BadText {
    const char *text;
    gssize length; /* -1: up to the NUL of the text */
    const char *message;
} BadText;

#define BAD(text, message) {text, -1, message}

static const BadText bad_texts[] = {
    BAD("", "section [ssh_config] is missing"),
    BAD("[ssh_config]\nusername = a\npwd = b\n", "key ip is missing"),
    BAD("[ssh_config]\nip = a\npwd = b\n", "key username is missing"),
    BAD(HEAD, "key pwd is missing"),
    BAD(HEAD "pwd = a\npwd = b\n", "line 5: pwd is there twice"),
    BAD(HEAD "pwd = a\n[ssh_config]\n", "line 5: a second section"),
    BAD("ip = a\n" HEAD, "line 1: a key before the section"),
    BAD(HEAD "pwd = x\nport = 0\n", "line 5: port is \"0\", expected 1 to 65535"),
    BAD(HEAD "pwd = x\nport = 65536\n", "expected 1 to 65535"),
    BAD(HEAD "pwd = x\nport = 22a\n", "expected 1 to 65535"),
    BAD(HEAD "pwd = x\nport = -1\n", "expected 1 to 65535"),
    BAD(HEAD "pwd = x\nport =\n", "expected 1 to 65535"),
    BAD(HEAD "pwd = x\nkeepalive = 0\n", "expected 1 to 3600"),
    BAD(HEAD "pwd = x\nhost_keys = no\n", "expected accept-new or strict"),
    BAD(HEAD "pwd = x\npwd_command = y\n", "exclude each other"),
    BAD(HEAD "pwd = x\nidentity =\n", "expected a value"),
    BAD(HEAD "pwd\n", "line 4: expected \"key = value\""),
    BAD(HEAD "= x\n", "line 4: expected \"key = value\""),
    BAD(HEAD "pwd = a\x1b[31m\n", "line 4: a control character"),
    BAD(HEAD "pwd = a\tb\n", "line 4: a control character"),
    BAD(HEAD "pwd = \xff\n", "is no UTF-8"),
    BAD("[ssh_config]\nip = -oProxyCommand=x\n", "expected an address"),
    BAD("[ssh_config]\nip = a b\n", "expected an address"),
    BAD("[ssh_config]\nip = a'b\n", "expected an address"),
    {HEAD "pwd = a\0b\n", sizeof(HEAD "pwd = a\0b\n") - 1, "has a NUL byte"},
};

/* Messages name the file and the line, and never contain a password. */
static void test_bad(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(bad_texts); i++) {
        GError *error = NULL;
        guint n;

        g_assert_null(parse_text(bad_texts[i].text, bad_texts[i].length, &n, &error));
        g_assert_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG);
        g_assert_true(g_str_has_prefix(error->message, "board.ini: "));
        if (!strstr(error->message, bad_texts[i].message))
            g_error("%u: \"%s\" lacks \"%s\"", i, error->message, bad_texts[i].message);
        g_error_free(error);
    }
}

static void test_size(void)
{
    g_autofree char *text = g_strnfill(STROBE_TARGET_BYTES_MAX + 1, '#');
    GError *error = NULL;
    guint n;

    memcpy(text, HEAD "pwd = x\n", strlen(HEAD "pwd = x\n"));
    g_assert_null(parse_text(text, -1, &n, &error));
    g_assert_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG);
    g_clear_error(&error);
    g_autoptr(StrobeTarget) target = parse_text(text, STROBE_TARGET_BYTES_MAX, &n, &error);
    g_assert_no_error(error);
}

static void test_command(void)
{
    g_autoptr(StrobeTarget) target =
        parse_good(HEAD "pwd_command = printf 'p %%#;=w\\nsecond\\n'\n");
    GError *error = NULL;

    g_assert_true(strobe_target_complete(target, &error));
    g_assert_no_error(error);
    g_assert_cmpstr(target->password, ==, "p %#;=w");
    strobe_target_forget(target);
    g_assert_null(target->password);
}

static void test_bad_commands(void)
{
    static const char *const commands[] = {"false", "true", "/nowhere/program", "printf 'a"};

    for (guint i = 0; i < G_N_ELEMENTS(commands); i++) {
        g_autofree char *text = g_strdup_printf(HEAD "pwd_command = %s\n", commands[i]);
        g_autoptr(StrobeTarget) target = parse_good(text);
        GError *error = NULL;

        g_assert_false(strobe_target_complete(target, &error));
        g_assert_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG);
        g_assert_nonnull(strstr(error->message, commands[i]));
        g_error_free(error);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/target/defaults", test_defaults);
    g_test_add_func("/target/all-keys", test_all_keys);
    g_test_add_func("/target/passwords", test_passwords);
    g_test_add_func("/target/unknown", test_unknown);
    g_test_add_func("/target/bad", test_bad);
    g_test_add_func("/target/size", test_size);
    g_test_add_func("/target/command", test_command);
    g_test_add_func("/target/bad-commands", test_bad_commands);
    return g_test_run();
}
