/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the text of a target's ini file. A value is all the text after the first "=", so a
 * password may contain characters that have a meaning in other types of ini files. */
#include "target.h"

#include <stddef.h>
#include <string.h>

#include "error.h"

#define SECTION "ssh_config"
#define PORT 22
#define KEEPALIVE_S 5
#define KEEPALIVE_S_MAX 3600

typedef struct Parse {
    StrobeTarget *target;
    const char *origin;
    guint line, seen;
    gboolean is_in_section, has_section, has_any_section;
    StrobeTargetWarn *warn;
    void *user;
} Parse;

static gboolean refuse_line(const Parse *parse, GError **error, const char *why)
{
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG, "%s: line %u: %s", parse->origin,
                parse->line, why);
    return FALSE;
}

static gboolean refuse_value(const Parse *parse, GError **error, const char *key, const char *value,
                             const char *expected)
{
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG,
                "%s: line %u: %s is \"%.80s\", expected %s", parse->origin, parse->line, key, value,
                expected);
    return FALSE;
}

/* ---- values ---- */

static gboolean read_number(const char *text, guint max, guint16 *number)
{
    guint64 value;

    if (!g_ascii_string_to_unsigned(text, 10, 1, max, &value, NULL))
        return FALSE;
    *number = (guint16)value;
    return TRUE;
}

static gboolean take_text(Parse *parse, const char *key, const char *value, GError **error)
{
    static const struct {
        const char *key;
        gsize offset;
    } fields[] = {
        {"username", offsetof(StrobeTarget, user)},
        {"pwd", offsetof(StrobeTarget, password)},
        {"pwd_command", offsetof(StrobeTarget, password_command)},
        {"identity", offsetof(StrobeTarget, identity)},
        {"known_hosts", offsetof(StrobeTarget, known_hosts)},
    };

    for (guint i = 0; i < G_N_ELEMENTS(fields); i++)
        if (strcmp(key, fields[i].key) == 0)
            *(char **)((char *)parse->target + fields[i].offset) = g_strdup(value);
    return *value || strcmp(key, "pwd") == 0 || refuse_value(parse, error, key, value, "a value");
}

/* Stores `value` as the target's host, without the brackets of an IPv6 address. FALSE with an
 * error, for example if it begins with "-". */
static gboolean take_host(Parse *parse, const char *key, const char *value, GError **error)
{
    const gsize length = strlen(value);
    const gboolean has_brackets = length > 2 && value[0] == '[' && value[length - 1] == ']';
    const char *bad = strpbrk(value, " \t/@'\"\\");

    if (!length || bad || value[0] == '-' || length > 255)
        return refuse_value(parse, error, key, value, "an address or a host name");
    parse->target->host = has_brackets ? g_strndup(value + 1, length - 2) : g_strdup(value);
    return TRUE;
}

static gboolean take_number(Parse *parse, const char *key, const char *value, GError **error)
{
    if (strcmp(key, "port") == 0)
        return read_number(value, G_MAXUINT16, &parse->target->port) ||
               refuse_value(parse, error, key, value, "1 to 65535");
    return read_number(value, KEEPALIVE_S_MAX, &parse->target->keepalive_s) ||
           refuse_value(parse, error, key, value, "1 to 3600 seconds");
}

static gboolean take_strictness(Parse *parse, const char *key, const char *value, GError **error)
{
    parse->target->is_strict = strcmp(value, "strict") == 0;
    return parse->target->is_strict || strcmp(value, "accept-new") == 0 ||
           refuse_value(parse, error, key, value, "accept-new or strict");
}

static const struct {
    const char *name;
    gboolean (*take)(Parse *parse, const char *key, const char *value, GError **error);
} keys[] = {
    {"ip", take_host},          {"username", take_text},    {"pwd", take_text},
    {"port", take_number},      {"identity", take_text},    {"known_hosts", take_text},
    {"pwd_command", take_text}, {"keepalive", take_number}, {"host_keys", take_strictness},
};

static void warn_of_key(const Parse *parse, const char *key)
{
    const char *names[G_N_ELEMENTS(keys) + 1] = {NULL};

    for (guint i = 0; i < G_N_ELEMENTS(keys); i++)
        names[i] = keys[i].name;
    g_autofree char *hint = strobe_nearest_hint(key, names);
    g_autofree char *text = g_strdup_printf("%s: line %u: unknown key \"%.80s\"%s", parse->origin,
                                            parse->line, key, hint);
    parse->warn(parse->user, text);
}

static gboolean take_key(Parse *parse, const char *key, const char *value, GError **error)
{
    for (guint i = 0; i < G_N_ELEMENTS(keys); i++) {
        if (strcmp(key, keys[i].name))
            continue;
        if (parse->seen & 1u << i) {
            g_autofree char *why = g_strdup_printf("%s is there twice", key);
            return refuse_line(parse, error, why);
        }
        parse->seen |= 1u << i;
        return keys[i].take(parse, key, value, error);
    }
    warn_of_key(parse, key);
    return TRUE;
}

/* ---- lines ---- */

static gboolean take_section(Parse *parse, const char *line, GError **error)
{
    parse->is_in_section = strcmp(line, "[" SECTION "]") == 0;
    if (parse->is_in_section && parse->has_section)
        return refuse_line(parse, error, "a second section [" SECTION "]");
    parse->has_section |= parse->is_in_section;
    parse->has_any_section = TRUE;
    return TRUE;
}

static gboolean take_assignment(Parse *parse, char *line, GError **error)
{
    char *equals = strchr(line, '=');

    if (!equals || equals == line)
        return refuse_line(parse, error, "expected \"key = value\"");
    *equals = '\0';
    if (!parse->has_any_section)
        return refuse_line(parse, error, "a key before the section [" SECTION "]");
    return !parse->is_in_section ||
           take_key(parse, g_strchomp(line), g_strstrip(equals + 1), error);
}

static gboolean has_control(const char *text)
{
    for (; *text; text++)
        if ((guchar)*text < ' ' || *text == 0x7f)
            return TRUE;
    return FALSE;
}

static gboolean take_line(Parse *parse, char *line, GError **error)
{
    if (*line == '#' || *line == ';')
        return TRUE;
    g_strstrip(line);
    if (has_control(line))
        return refuse_line(parse, error, "a control character");
    if (*line == '[')
        return take_section(parse, line, error);
    return !*line || take_assignment(parse, line, error);
}

static gboolean take_lines(Parse *parse, char *text, GError **error)
{
    for (char *line = text, *end; line; line = end) {
        end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        parse->line++;
        if (!take_line(parse, line, error))
            return FALSE;
    }
    return TRUE;
}

/* ---- the whole text ---- */

static gboolean refuse_file(const char *origin, GError **error, const char *why)
{
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG, "%s: %s", origin, why);
    return FALSE;
}

static gboolean check_target(const Parse *parse, GError **error)
{
    const StrobeTarget *target = parse->target;

    if (!parse->has_section)
        return refuse_file(parse->origin, error, "the section [" SECTION "] is missing");
    if (!target->host)
        return refuse_file(parse->origin, error, "the key ip is missing");
    if (!target->user)
        return refuse_file(parse->origin, error, "the key username is missing");
    if (target->password && target->password_command)
        return refuse_file(parse->origin, error, "pwd and pwd_command exclude each other");
    if (!target->password && !target->password_command && !target->identity)
        return refuse_file(parse->origin, error,
                           "the key pwd is missing (leave its value empty to use SSH keys only)");
    return TRUE;
}

static gboolean check_text(const char *text, gsize length, const char *origin, GError **error)
{
    if (length > STROBE_TARGET_BYTES_MAX)
        return refuse_file(origin, error, "more than the 65536 bytes allowed");
    if (memchr(text, 0, length))
        return refuse_file(origin, error, "has a NUL byte");
    if (!g_utf8_validate(text, (gssize)length, NULL))
        return refuse_file(origin, error, "is no UTF-8");
    return TRUE;
}

StrobeTarget *strobe_target_parse(const char *text, gsize length, const char *origin,
                                  StrobeTargetWarn *warn, void *user, GError **error)
{
    static const char mark[] = "\xef\xbb\xbf";
    g_autoptr(StrobeTarget) target = g_new0(StrobeTarget, 1);
    Parse parse = {.target = target, .origin = origin, .warn = warn, .user = user};

    target->port = PORT;
    target->keepalive_s = KEEPALIVE_S;
    if (!check_text(text, length, origin, error))
        return NULL;
    if (length >= 3 && memcmp(text, mark, 3) == 0)
        text += 3, length -= 3;
    char *copy = g_strndup(text, length);
    const gboolean good = take_lines(&parse, copy, error) && check_target(&parse, error);
    explicit_bzero(copy, length);
    g_free(copy);
    return good ? g_steal_pointer(&target) : NULL;
}

void strobe_target_forget(StrobeTarget *target)
{
    if (target->password)
        explicit_bzero(target->password, strlen(target->password));
    g_clear_pointer(&target->password, g_free);
}

void strobe_target_free(StrobeTarget *target)
{
    if (!target)
        return;
    strobe_target_forget(target);
    g_free(target->host);
    g_free(target->user);
    g_free(target->password_command);
    g_free(target->identity);
    g_free(target->known_hosts);
    g_free(target);
}
