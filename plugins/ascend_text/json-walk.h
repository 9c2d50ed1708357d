/* SPDX-License-Identifier: Apache-2.0 */
/* A small JSON file, value by value, with the keys that lead to each. */
#ifndef STROBE_ASCEND_TEXT_JSON_WALK_H
#define STROBE_ASCEND_TEXT_JSON_WALK_H

#include <glib.h>
#include <strobe/helpers/json-scanner.h>

#define JSON_WALK_LEVELS 16u /* what is deeper is left out */

/* A place in the file: keys from the outermost one on; an element of an array has the key "0",
 * "1"... */
typedef struct JsonPlace {
    const char *keys[JSON_WALK_LEVELS];
    guint n;
} JsonPlace;

typedef struct JsonWalker {
    /* A string, number, true, false or null; `token` as the scanner's. */
    void (*value)(void *user, const JsonPlace *place, int token, const char *text, gsize length);
    /* Behind the last value of an object; may be NULL. */
    void (*leave)(void *user, const JsonPlace *place);
    void *user;
} JsonWalker;

/* NULL, or what was expected where the bytes end to be JSON; what stands before it was told. */
const char *json_walk(StrobeJsonScanner *scanner, const JsonWalker *walker);

#endif
