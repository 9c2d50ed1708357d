/* SPDX-License-Identifier: Apache-2.0 */
/* Walks through a small JSON file value by value, and passes each value, with the keys that lead to
 * the value, to a callback. */
#ifndef STROBE_ASCEND_TEXT_JSON_WALK_H
#define STROBE_ASCEND_TEXT_JSON_WALK_H

#include <glib.h>
#include <strobe/helpers/json-scanner.h>

#define JSON_WALK_LEVELS 16u /* deeper values are skipped */

/* The keys that lead to a value, outermost first; an element of an array has the key "0", "1"... */
typedef struct JsonPlace {
    const char *keys[JSON_WALK_LEVELS];
    guint n;
} JsonPlace;

typedef struct JsonWalker {
    /* Called for each string, number, true, false and null; `token` is the scanner's. */
    void (*value)(void *user, const JsonPlace *place, int token, const char *text, gsize length);
    /* Called after the last value of an object; may be NULL. */
    void (*leave)(void *user, const JsonPlace *place);
    void *user;
} JsonWalker;

/* Returns NULL. If the JSON is damaged, returns a text that names the expected token; all values
 * before the damage have been passed on. */
const char *json_walk(StrobeJsonScanner *scanner, const JsonWalker *walker);

#endif
