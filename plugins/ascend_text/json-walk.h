/* SPDX-License-Identifier: Apache-2.0 */
/* Walks through a small JSON file value by value, and passes each value, with the keys that lead to
 * the value, to a callback. */
#ifndef STROBE_ASCEND_TEXT_JSON_WALK_H
#define STROBE_ASCEND_TEXT_JSON_WALK_H

#include <glib.h>
#include <strobe/helpers/json-scanner.h>

#define JSON_WALK_LEVELS 16u /* maximum depth; deeper values are skipped */

/* The keys that lead to a value, outermost first; the elements of an array have the keys "0", "1"
 * ... */
typedef struct JsonPlace {
    const char *keys[JSON_WALK_LEVELS];
    guint n;
} JsonPlace;

typedef struct JsonWalker {
    /* Called for each string, number, true, false and null. `token` is the type that the scanner
     * returned. */
    void (*value)(void *user, const JsonPlace *place, int token, const char *text, gsize length);
    /* Is called after the last value of an object; may be NULL. */
    void (*leave)(void *user, const JsonPlace *place);
    void *user;
} JsonWalker;

/* Passes all values to the walker. Returns NULL. If the JSON is damaged, passes all values before
 * the damage, and returns a text that names the expected token. */
const char *json_walk(StrobeJsonScanner *scanner, const JsonWalker *walker);

#endif
