/* SPDX-License-Identifier: Apache-2.0 */
#include "side-json.h"

#include <math.h>
#include <string.h>
#include <strobe/helpers/json-scanner.h>
#include <strobe/helpers/keyed-hash.h>

#define LEVELS_MAX 32u
#define VALUES_MAX 10000u

struct SideJson {
    GHashTable *values; /* path to text */
};

/* The position of the scanner in the JSON. */
typedef struct Place {
    GString *path;
    gsize lengths[LEVELS_MAX]; /* length of the path of each open object or array */
    guint index[LEVELS_MAX];   /* index of the next element */
    gboolean is_array[LEVELS_MAX];
    guint depth;
} Place;

/* If the next value is an element of an array, sets the path to the path of this value. */
static void name_value(Place *place)
{
    guint level = place->depth - 1;

    if (place->depth == 0 || !place->is_array[level])
        return;
    g_string_truncate(place->path, place->lengths[level]);
    g_string_append_printf(place->path, "%s%u", place->path->len ? "." : "", place->index[level]++);
}

static gboolean begin_level(Place *place, gboolean is_array)
{
    if (place->depth == LEVELS_MAX)
        return FALSE;
    place->lengths[place->depth] = place->path->len;
    place->index[place->depth] = 0;
    place->is_array[place->depth++] = is_array;
    return TRUE;
}

static void take_key(Place *place, const char *text, gsize length)
{
    g_string_truncate(place->path, place->lengths[place->depth - 1]);
    if (place->path->len)
        g_string_append_c(place->path, '.');
    g_string_append_len(place->path, text, (gssize)length);
}

static gboolean take_token(SideJson *json, Place *place, int token, const char *text, gsize length)
{
    if (token == STROBE_JSON_KEY) {
        take_key(place, text, length);
        return TRUE;
    }
    if (token == STROBE_JSON_OBJECT_END || token == STROBE_JSON_ARRAY_END) {
        g_string_truncate(place->path, place->lengths[--place->depth]);
        return TRUE;
    }
    name_value(place);
    if (token == STROBE_JSON_OBJECT || token == STROBE_JSON_ARRAY)
        return begin_level(place, token == STROBE_JSON_ARRAY);
    if (token == STROBE_JSON_NULL || place->depth == 0)
        return TRUE;
    if (token == STROBE_JSON_TRUE || token == STROBE_JSON_FALSE) {
        text = token == STROBE_JSON_TRUE ? "true" : "false";
        length = strlen(text);
    }
    g_hash_table_replace(json->values, g_strdup(place->path->str), g_strndup(text, length));
    return g_hash_table_size(json->values) < VALUES_MAX;
}

SideJson *side_json_new(const char *bytes, gsize length, gboolean *is_whole)
{
    StrobeJsonScanner *scanner = strobe_json_scanner_new_bytes(bytes, length);
    SideJson *json = g_new0(SideJson, 1);
    Place place = {.path = g_string_new(NULL)};
    const char *text = "";
    gsize text_length = 0;
    int token = STROBE_JSON_ERROR;

    json->values = g_hash_table_new_full(strobe_hash_of_text, g_str_equal, g_free, g_free);
    while (scanner && (token = strobe_json_scanner_next(scanner, &text, &text_length)) > 0 &&
           take_token(json, &place, token, text, text_length))
        continue;
    if (is_whole)
        *is_whole = token == STROBE_JSON_END;
    strobe_json_scanner_free(scanner);
    g_string_free(place.path, TRUE);
    return json;
}

void side_json_free(SideJson *json)
{
    if (!json)
        return;
    g_hash_table_unref(json->values);
    g_free(json);
}

const char *side_json_text(const SideJson *json, const char *path)
{
    return json ? g_hash_table_lookup(json->values, path) : NULL;
}

gboolean side_json_double(const SideJson *json, const char *path, double *value)
{
    const char *text = side_json_text(json, path);
    char *end = NULL;
    double read;

    if (!text || !*text)
        return FALSE;
    read = g_ascii_strtod(text, &end);
    if (*end || !isfinite(read))
        return FALSE;
    *value = read;
    return TRUE;
}

gboolean side_json_int(const SideJson *json, const char *path, gint64 *value)
{
    const char *text = side_json_text(json, path);
    double real;

    if (text && g_ascii_string_to_signed(text, 10, G_MININT64, G_MAXINT64, value, NULL))
        return TRUE;
    if (!side_json_double(json, path, &real) || !(fabs(real) < 9.2e18))
        return FALSE;
    *value = (gint64)real;
    return TRUE;
}

gboolean side_json_bool(const SideJson *json, const char *path)
{
    return g_strcmp0(side_json_text(json, path), "true") == 0;
}
