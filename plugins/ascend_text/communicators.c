/* SPDX-License-Identifier: Apache-2.0 */
#include "communicators.h"

#include <string.h>
#include <strobe/helpers/keyed-hash.h>

#include "json-walk.h"

#define OPERATIONS_MAX 100000u

/* The depth of an operation's key, which is inside the keys of the step and the type. */
enum { OPERATION = 2 };

static void add_communicator(Import *import, const char *key, const char *at)
{
    char *operation = g_strndup(key, (gsize)(at - key));
    StrobeStringId communicator = text_import_intern(import, at + 1);
    gpointer known;

    if (g_hash_table_lookup_extended(import->communicators, operation, NULL, &known) &&
        known != GUINT_TO_POINTER(communicator))
        communicator = 0;
    g_hash_table_replace(import->communicators, operation, GUINT_TO_POINTER(communicator));
}

static void leave_object(void *user, const JsonPlace *place)
{
    Import *import = user;
    const char *key = place->n == OPERATION + 1 ? place->keys[OPERATION] : "";
    const char *at = strrchr(key, '@');

    if (at && at > key && at[1] && g_hash_table_size(import->communicators) < OPERATIONS_MAX)
        add_communicator(import, key, at);
}

static void skip_value(void *user, const JsonPlace *place, int token, const char *text,
                       gsize length)
{
    (void)user;
    (void)place;
    (void)token;
    (void)text;
    (void)length;
}

void communicators_read(Import *import, int descriptor)
{
    const JsonWalker walker = {.value = skip_value, .leave = leave_object, .user = import};
    StrobeJsonScanner *scanner = strobe_json_scanner_new(descriptor);

    if (!import->communicators)
        import->communicators =
            g_hash_table_new_full(strobe_hash_of_text, g_str_equal, g_free, NULL);
    json_walk(scanner, &walker);
    strobe_json_scanner_free(scanner);
}

StrobeStringId communicators_find(const Import *import, const char *operation)
{
    return import->communicators
               ? GPOINTER_TO_UINT(g_hash_table_lookup(import->communicators, operation))
               : 0;
}
