/* SPDX-License-Identifier: Apache-2.0 */
#include "board-config.h"

#include <string.h>

#include <svp-config.h>

#include "error.h"
#include "json-text.h"
#include "run-board.h"

#define SECTION "profiler"

static gboolean refuse_option(const char *option, const char *value, const char *expected,
                              GError **error)
{
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG, "--%s is \"%.80s\", expected %s", option,
                value, expected);
    return FALSE;
}

static gboolean check_switch(const char *option, const char *value, GError **error)
{
    return !value || strcmp(value, "on") == 0 || strcmp(value, "off") == 0 ||
           refuse_option(option, value, "on or off", error);
}

gboolean strobe_board_keys_check(const StrobeBoardKeys *keys, GError **error)
{
    guint64 number;

    if (keys->interval &&
        !g_ascii_string_to_unsigned(keys->interval, 10, 0, G_MAXINT32, &number, NULL))
        return refuse_option("interval", keys->interval, "0 to 2147483647", error);
    return check_switch("acl_api", keys->acl_api, error) &&
           check_switch("aacpu", keys->aacpu, error) && check_switch("switch", keys->is_on, error);
}

/* Sets the key to `named`, the value on the command line. If this is NULL, keeps the value in the
 * file or, if the file has none, sets the default `otherwise`. `alias` (may be NULL) is another
 * spelling of the key in the file. */
static void set_key(JsonObject *section, const char *key, const char *alias, const char *named,
                    const char *otherwise)
{
    const gboolean is_there =
        json_object_has_member(section, key) || (alias && json_object_has_member(section, alias));

    if (!named && is_there)
        return;
    if (alias)
        json_object_remove_member(section, alias);
    json_object_set_string_member(section, key, named ? named : otherwise);
}

static void set_keys(JsonObject *section, const StrobeBoardKeys *keys, const char *output)
{
    set_key(section, "switch", NULL, keys->is_on, "on");
    set_key(section, "aacpu", "aicpu", keys->aacpu, "on");
    set_key(section, "aac_metrics", "aic_metrics", keys->aac_metrics, "ArithmeticUtilization");
    set_key(section, "acl_api", NULL, keys->acl_api, "on");
    set_key(section, "interval", NULL, keys->interval, "0");
    json_object_set_string_member(section, "output", output);
}

static JsonNode *read_config(const char *path, GError **error)
{
    g_autofree char *text = NULL;
    SvpConfig config;
    gsize length = 0;
    JsonNode *node;

    if (!path) {
        node = json_node_new(JSON_NODE_OBJECT);
        json_node_take_object(node, json_object_new());
        return node;
    }
    if (!strobe_run_board_check(path, &config, error) ||
        !g_file_get_contents(path, &text, &length, error))
        return NULL;
    const gsize mark = length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    return strobe_json_parse(text + mark, length - mark, path, error);
}

static JsonObject *find_section(JsonObject *all)
{
    if (!json_object_has_member(all, SECTION))
        json_object_set_object_member(all, SECTION, json_object_new());
    return json_object_get_object_member(all, SECTION);
}

static void pass_over(void *user, const char *key, const char *why)
{
}

char *strobe_board_config_make(const char *path, const StrobeBoardKeys *keys, const char *output,
                               gboolean *is_on, GError **error)
{
    JsonNode *node = read_config(path, error);
    SvpConfig config;

    if (!node)
        return NULL;
    set_keys(find_section(json_node_get_object(node)), keys, output);
    char *text = strobe_json_to_text(node, STROBE_JSON_INDENTED);
    json_node_unref(node);
    svp_config_read(&config, text, strlen(text), pass_over, NULL);
    *is_on = config.is_on;
    if (!config.is_on || !config.dumps)
        return text;
    g_free(text);
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG,
                "%s: \"dump\" and \"profiler.switch\" are both on: dumping distorts times", path);
    return NULL;
}
