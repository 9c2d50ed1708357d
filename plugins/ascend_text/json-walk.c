/* SPDX-License-Identifier: Apache-2.0 */
#include "json-walk.h"

typedef struct Level {
    GString *key;
    gboolean is_array;
    guint n; /* number of elements so far */
} Level;

typedef struct Walk {
    StrobeJsonScanner *scanner;
    const JsonWalker *walker;
    Level levels[JSON_WALK_LEVELS];
    guint depth; /* number of open objects and arrays */
    JsonPlace place;
    GString *text;
} Walk;

static void set_place(Walk *w, guint n)
{
    w->place.n = n;
    for (guint i = 0; i < n; i++)
        w->place.keys[i] = w->levels[i].key->str;
}

static void count_element(Walk *w)
{
    Level *level = w->depth ? &w->levels[w->depth - 1] : NULL;

    if (level && level->is_array)
        g_string_printf(level->key, "%u", level->n++);
}

static int open_level(Walk *w, int token)
{
    Level *level;

    count_element(w);
    if (w->depth == JSON_WALK_LEVELS) {
        int status = strobe_json_scanner_skip(w->scanner, 1);

        return status == STROBE_JSON_END ? token : status;
    }
    level = &w->levels[w->depth++];
    if (!level->key)
        level->key = g_string_new(NULL);
    g_string_truncate(level->key, 0);
    level->is_array = token == STROBE_JSON_ARRAY;
    level->n = 0;
    return token;
}

static void close_level(Walk *w, int token)
{
    w->depth--;
    set_place(w, w->depth);
    if (token == STROBE_JSON_OBJECT_END && w->walker->leave)
        w->walker->leave(w->walker->user, &w->place);
}

static void take_value(Walk *w, int token, const char *text, gsize length)
{
    count_element(w);
    set_place(w, w->depth);
    g_string_truncate(w->text, 0);
    if (token == STROBE_JSON_STRING || token == STROBE_JSON_NUMBER)
        g_string_append_len(w->text, text, (gssize)length);
    w->walker->value(w->walker->user, &w->place, token, w->text->str, w->text->len);
}

static int take_token(Walk *w, int token, const char *text, gsize length)
{
    switch (token) {
    case STROBE_JSON_OBJECT:
    case STROBE_JSON_ARRAY:
        return open_level(w, token);
    case STROBE_JSON_OBJECT_END:
    case STROBE_JSON_ARRAY_END:
        close_level(w, token);
        return token;
    case STROBE_JSON_KEY:
        g_string_truncate(w->levels[w->depth - 1].key, 0);
        g_string_append_len(w->levels[w->depth - 1].key, text, (gssize)length);
        return token;
    default:
        take_value(w, token, text, length);
        return token;
    }
}

const char *json_walk(StrobeJsonScanner *scanner, const JsonWalker *walker)
{
    Walk w = {.scanner = scanner, .walker = walker, .text = g_string_new(NULL)};
    const char *text = "";
    gsize length = 0;
    int token;

    do {
        token = strobe_json_scanner_next(scanner, &text, &length);
        if (token > 0)
            token = take_token(&w, token, text, length);
    } while (token > 0 && w.depth);
    for (guint i = 0; i < JSON_WALK_LEVELS; i++)
        if (w.levels[i].key)
            g_string_free(w.levels[i].key, TRUE);
    g_string_free(w.text, TRUE);
    if (token > 0)
        return NULL;
    text = token < 0 ? strobe_json_scanner_error(scanner) : "";
    return *text ? text : "more of a JSON file";
}
