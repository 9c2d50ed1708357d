/* SPDX-License-Identifier: Apache-2.0 */
#include "json-text.h"

#include <fcntl.h>
#include <string.h>
#include <strobe/helpers/json-scanner.h>
#include <strobe/helpers/keyed-hash.h>
#include <sys/stat.h>
#include <unistd.h>
#include "error.h"

#define EXCERPT_BYTES 60

static void free_keys(gpointer keys)
{
    if (keys)
        g_hash_table_unref(keys);
}

static void set_syntax_error(const char *text, gsize offset, const char *expected,
                             const char *origin, GError **error)
{
    guint line = 1, column = 1;

    for (gsize i = 0; i < offset; i++) {
        column = text[i] == '\n' ? 1 : column + 1;
        line += text[i] == '\n';
    }
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG,
                "%s: no valid JSON, line %u:%u: expected %s", origin, line, column, expected);
}

/* Adds a key to the keys of the innermost open object; FALSE: the object already has this key. */
static gboolean add_key(GPtrArray *objects, const char *text, gsize length)
{
    GHashTable *keys = g_ptr_array_index(objects, objects->len - 1);

    return g_hash_table_add(keys, g_strndup(text, length));
}

/* Checks every token of the text. `objects` has a set of keys for each open object, and NULL for
 * each open array. */
static gboolean check_tokens(StrobeJsonScanner *scanner, GPtrArray *objects, const char *origin,
                             GError **error)
{
    const char *text;
    gsize length;
    int token;

    while ((token = strobe_json_scanner_next(scanner, &text, &length)) > 0) {
        if (token == STROBE_JSON_OBJECT)
            g_ptr_array_add(objects,
                            g_hash_table_new_full(strobe_hash_of_text, g_str_equal, g_free, NULL));
        else if (token == STROBE_JSON_ARRAY)
            g_ptr_array_add(objects, NULL);
        else if (token == STROBE_JSON_OBJECT_END || token == STROBE_JSON_ARRAY_END)
            g_ptr_array_set_size(objects, (gint)objects->len - 1);
        if (objects->len > STROBE_JSON_MAX_DEPTH) {
            g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG,
                        "%s: nested deeper than %u at offset %" G_GUINT64_FORMAT, origin,
                        STROBE_JSON_MAX_DEPTH, strobe_json_scanner_token_offset(scanner));
            return FALSE;
        }
        if (token == STROBE_JSON_KEY && !add_key(objects, text, length)) {
            g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG,
                        "%s: key \"%.*s\" is given twice in one object", origin, (int)length, text);
            return FALSE;
        }
    }
    return TRUE;
}

/* Rejects texts that json-glib does not reject: json-glib recurses without a limit, keeps the last
 * of equal keys and accepts comments. */
static gboolean check_text(const char *text, gsize length, const char *origin, GError **error)
{
    StrobeJsonScanner *scanner = strobe_json_scanner_new_bytes(text, length);
    GPtrArray *objects = g_ptr_array_new_with_free_func(free_keys);
    gboolean is_good = check_tokens(scanner, objects, origin, error);
    const char *expected = strobe_json_scanner_error(scanner);

    if (*expected)
        set_syntax_error(text, strobe_json_scanner_offset(scanner), expected, origin, error);
    is_good = is_good && !*expected;
    g_ptr_array_unref(objects);
    strobe_json_scanner_free(scanner);
    return is_good;
}

static gboolean check_input(const char *text, gsize length, const char *origin, GError **error)
{
    if (length > STROBE_JSON_MAX_BYTES) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG,
                    "%s: %" G_GSIZE_FORMAT " bytes, at most %u are allowed", origin, length,
                    STROBE_JSON_MAX_BYTES);
        return FALSE;
    }
    if (memchr(text, 0, length)) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG, "%s: contains a NUL byte: not JSON",
                    origin);
        return FALSE;
    }
    return check_text(text, length, origin, error);
}

JsonNode *strobe_json_parse_value(const char *text, gsize length, const char *origin,
                                  GError **error)
{
    g_autoptr(GError) cause = NULL;
    g_autoptr(JsonParser) parser = json_parser_new();

    if (!check_input(text, length, origin, error))
        return NULL;
    if (!json_parser_load_from_data(parser, text, (gssize)length, &cause)) {
        const char *message = cause->message;
        if (g_str_has_prefix(message, "<data>:")) /* json-glib's name for a text without a file */
            message += strlen("<data>:");
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG, "%s: no valid JSON, line %s", origin,
                    message);
        return NULL;
    }
    JsonNode *root = json_parser_steal_root(parser);
    if (!root)
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG, "%s: no valid JSON: empty", origin);
    return root;
}

JsonNode *strobe_json_parse(const char *text, gsize length, const char *origin, GError **error)
{
    JsonNode *root = strobe_json_parse_value(text, length, origin, error);

    if (root && !JSON_NODE_HOLDS_OBJECT(root)) {
        g_autofree char *found = strobe_json_excerpt(root);
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG,
                    "%s: expected a JSON object, found %s", origin, found);
        json_node_unref(root);
        return NULL;
    }
    return root;
}

JsonNode *strobe_json_read_file(int folder, const char *name)
{
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    g_autofree char *text = NULL;
    struct stat st;
    gssize n = -1;

    if (fd < 0)
        return NULL;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= STROBE_JSON_MAX_BYTES) {
        text = g_malloc((gsize)st.st_size + 1);
        n = read(fd, text, (gsize)st.st_size);
    }
    close(fd);
    return n < 0 ? NULL : strobe_json_parse(text, (gsize)n, name, NULL);
}

static void write_value(StrobeJsonWriter *json, JsonNode *node)
{
    GType type = json_node_get_value_type(node);

    if (type == G_TYPE_STRING)
        strobe_json_string(json, json_node_get_string(node));
    else if (type == G_TYPE_INT64)
        strobe_json_int(json, json_node_get_int(node));
    else if (type == G_TYPE_DOUBLE)
        strobe_json_double(json, json_node_get_double(node));
    else if (type == G_TYPE_BOOLEAN)
        strobe_json_bool(json, json_node_get_boolean(node));
    else
        strobe_json_null(json);
}

void strobe_json_write_node(StrobeJsonWriter *json, JsonNode *node)
{
    switch (json_node_get_node_type(node)) {
    case JSON_NODE_OBJECT: {
        JsonObject *object = json_node_get_object(node);
        /* the keys are in the order of the text */
        g_autoptr(GList) keys = json_object_get_members(object);
        strobe_json_begin_object(json);
        for (GList *k = keys; k; k = k->next) {
            strobe_json_key_text(json, k->data, strlen(k->data));
            strobe_json_write_node(json, json_object_get_member(object, k->data));
        }
        strobe_json_end_object(json);
        break;
    }
    case JSON_NODE_ARRAY: {
        JsonArray *array = json_node_get_array(node);
        strobe_json_begin_array(json);
        for (guint i = 0; i < json_array_get_length(array); i++)
            strobe_json_write_node(json, json_array_get_element(array, i));
        strobe_json_end_array(json);
        break;
    }
    case JSON_NODE_VALUE:
        write_value(json, node);
        break;
    default:
        strobe_json_null(json);
    }
}

static int append_to_string(void *user, const char *bytes, size_t length)
{
    g_string_append_len(user, bytes, (gssize)length);
    return 0;
}

char *strobe_json_to_text(JsonNode *node, guint32 flags)
{
    g_autofree StrobeJsonWriter *json = g_new(StrobeJsonWriter, 1);
    GString *out = g_string_new(NULL);

    strobe_json_init(json, append_to_string, out, flags);
    strobe_json_write_node(json, node);
    strobe_json_flush(json);
    return g_string_free(out, FALSE);
}

char *strobe_json_excerpt(JsonNode *node)
{
    char *text = strobe_json_to_text(node, STROBE_JSON_SPACED);

    if (strlen(text) > EXCERPT_BYTES)
        strcpy(text + EXCERPT_BYTES - 3, "...");
    return text;
}

char *strobe_json_object_to_text(JsonObject *object, guint32 flags)
{
    g_autoptr(JsonNode) node = json_node_alloc();

    json_node_init_object(node, object);
    return strobe_json_to_text(node, flags);
}

const char *strobe_json_member_text(JsonObject *object, const char *name)
{
    JsonNode *node = json_object_get_member(object, name);

    if (!node || json_node_get_value_type(node) != G_TYPE_STRING)
        return "";
    return json_node_get_string(node);
}

gint64 strobe_json_member_int(JsonObject *object, const char *name, gint64 otherwise)
{
    JsonNode *node = json_object_get_member(object, name);

    if (!node || json_node_get_value_type(node) != G_TYPE_INT64)
        return otherwise;
    return json_node_get_int(node);
}
