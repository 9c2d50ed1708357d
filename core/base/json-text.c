/* SPDX-License-Identifier: Apache-2.0 */
#include "json-text.h"

#include <string.h>
#include <strobe/helpers/keyed-hash.h>
#include "error.h"

#define EXCERPT_BYTES 60

/* One pass over the text that json-glib cannot be asked to make: depth and duplicate keys. */
struct scan {
    const char *text;
    gsize length, at;
    GPtrArray *objects; /* of GHashTable: the keys of each open object, NULL for an array */
    char *duplicate;
    gboolean too_deep;
    gboolean is_foreign; /* a comment or a quote that json-glib takes and JSON has not */
};

/* The string that begins at scan->at, its quotes left off; moves behind it. */
static char *take_string(struct scan *scan)
{
    gsize from = ++scan->at;

    while (scan->at < scan->length && scan->text[scan->at] != '"')
        scan->at += scan->text[scan->at] == '\\' ? 2 : 1;
    gsize to = MIN(scan->at, scan->length);
    scan->at = MIN(scan->at + 1, scan->length);
    return g_strndup(scan->text + from, to - from);
}

static gboolean is_key(const struct scan *scan)
{
    gsize at = scan->at;

    while (at < scan->length && g_ascii_isspace(scan->text[at]))
        at++;
    return at < scan->length && scan->text[at] == ':';
}

static void free_keys(gpointer keys)
{
    if (keys)
        g_hash_table_unref(keys);
}

static void scan_string(struct scan *scan)
{
    char *string = take_string(scan);
    GHashTable *keys =
        scan->objects->len ? g_ptr_array_index(scan->objects, scan->objects->len - 1) : NULL;

    if (keys && is_key(scan) && g_hash_table_contains(keys, string) && !scan->duplicate)
        scan->duplicate = g_strdup(string);
    if (keys && is_key(scan))
        g_hash_table_add(keys, string);
    else
        g_free(string);
}

static void scan_text(struct scan *scan)
{
    scan->objects = g_ptr_array_new_with_free_func(free_keys);
    while (scan->at < scan->length && !scan->too_deep) {
        char c = scan->text[scan->at];
        if (c == '"') {
            scan_string(scan);
            continue;
        }
        if (c == '/' || c == '#' || c == '\'') {
            scan->is_foreign = TRUE;
            break;
        }
        if (c == '{')
            g_ptr_array_add(scan->objects,
                            g_hash_table_new_full(strobe_hash_of_text, g_str_equal, g_free, NULL));
        else if (c == '[')
            g_ptr_array_add(scan->objects, NULL);
        else if ((c == '}' || c == ']') && scan->objects->len)
            g_ptr_array_set_size(scan->objects, (gint)scan->objects->len - 1);
        scan->too_deep = scan->objects->len > STROBE_JSON_MAX_DEPTH;
        scan->at++;
    }
    g_ptr_array_unref(scan->objects);
}

gboolean strobe_json_is_too_deep(const char *text, gsize length)
{
    struct scan scan = {text, length, 0, NULL, NULL, FALSE, FALSE};

    scan_text(&scan);
    g_free(scan.duplicate);
    return scan.too_deep || scan.is_foreign;
}

static gboolean check(const char *text, gsize length, const char *origin, GError **error)
{
    struct scan scan = {text, length, 0, NULL, NULL, FALSE, FALSE};

    if (length > STROBE_JSON_MAX_BYTES) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG,
                    "%s: %" G_GSIZE_FORMAT " bytes, at most %u are allowed", origin, length,
                    STROBE_JSON_MAX_BYTES);
        return FALSE;
    }
    if (memchr(text, 0, length)) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG, "%s: holds a NUL byte, is no JSON",
                    origin);
        return FALSE;
    }
    scan_text(&scan);
    g_autofree char *duplicate = scan.duplicate;
    if (scan.too_deep)
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG,
                    "%s: nested deeper than %u at offset %" G_GSIZE_FORMAT, origin,
                    STROBE_JSON_MAX_DEPTH, scan.at);
    else if (scan.is_foreign)
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG,
                    "%s: no valid JSON: unexpected '%c' at offset %" G_GSIZE_FORMAT, origin,
                    text[scan.at], scan.at);
    else if (duplicate)
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG,
                    "%s: key \"%s\" is given twice in one object", origin, duplicate);
    return !scan.too_deep && !scan.is_foreign && !duplicate;
}

JsonNode *strobe_json_parse_value(const char *text, gsize length, const char *origin,
                                  GError **error)
{
    g_autoptr(GError) cause = NULL;
    g_autoptr(JsonParser) parser = json_parser_new();

    if (!check(text, length, origin, error))
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
        g_autoptr(GList) keys = json_object_get_members(object); /* in order of insertion */
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
