/* SPDX-License-Identifier: Apache-2.0 */
#include "enum-ids.h"

#include <ascend-db.h>
#include <string.h>
#include <strobe/helpers/keyed-hash.h>

#include "string-ids.h"

#define ADDED_FIRST 1000000
#define ADDED_MAX 4096u

typedef struct Added {
    const char *enumeration;
    char *name;
    gint64 id;
} Added;

struct EnumIds {
    gint32 generation;
    GPtrArray *added;    /* elements of type Added */
    GHashTable *by_name; /* "ENUMERATION NAME" -> Added */
};

static void free_added(gpointer data)
{
    Added *added = data;

    g_free(added->name);
    g_free(added);
}

EnumIds *enum_ids_new(gint32 generation)
{
    EnumIds *ids = g_new0(EnumIds, 1);

    ids->generation = generation;
    ids->by_name = g_hash_table_new_full(strobe_hash_of_text, g_str_equal, g_free, NULL);
    ids->added = g_ptr_array_new_with_free_func(free_added);
    return ids;
}

void enum_ids_free(EnumIds *ids)
{
    g_hash_table_unref(ids->by_name);
    g_ptr_array_unref(ids->added);
    g_free(ids);
}

static const AscendDbEnum *find_known(const EnumIds *ids, const char *enumeration, const char *name,
                                      gint64 id)
{
    for (guint32 i = 0; i < n_ascend_db_enums; i++) {
        const AscendDbEnum *known = &ascend_db_enums[i];

        if (!strcmp(known->table, enumeration) &&
            (known->generations & ascend_generation_bit(ids->generation)) &&
            (name ? !strcmp(known->name, name) : known->id == id))
            return known;
    }
    return NULL;
}

/* Returns the number for a new name. A name that another generation has gets the number that it has
 * there, unless this generation uses the number for another name. */
static gint64 choose_number(const EnumIds *ids, const char *enumeration, const char *name)
{
    gint32 number = ascend_db_enum_id(enumeration, name, ids->generation);

    if (number >= 0 && !find_known(ids, enumeration, NULL, number))
        return number;
    return ADDED_FIRST + ids->added->len;
}

static gboolean find_added(const EnumIds *ids, const char *key, gint64 *id)
{
    const Added *added = g_hash_table_lookup(ids->by_name, key);

    if (added)
        *id = added->id;
    return added != NULL;
}

gboolean enum_ids_of(EnumIds *ids, const char *enumeration, StrobeText name, gint64 *id)
{
    g_autoptr(GString) valid = g_string_new(NULL);
    const AscendDbEnum *known;
    g_autofree char *key = NULL;
    Added *added;

    string_append_valid(valid, name.bytes, name.length);
    known = find_known(ids, enumeration, valid->str, 0);
    /* the layer of communication has another name in each generation, but the same number */
    if (!known && !strcmp(enumeration, "API_TYPE"))
        known = find_known(ids, enumeration, NULL,
                           ascend_db_enum_id(enumeration, valid->str, ids->generation));
    if (known) {
        *id = known->id;
        return TRUE;
    }
    key = g_strdup_printf("%s %s", enumeration, valid->str);
    /* a name that is a number comes from an import that knew only the number */
    if (g_ascii_string_to_signed(valid->str, 10, 0, G_MAXINT32, id, NULL) ||
        find_added(ids, key, id))
        return TRUE;
    if (ids->added->len == ADDED_MAX)
        return FALSE;
    added = g_new0(Added, 1);
    added->enumeration = enumeration;
    added->id = *id = choose_number(ids, enumeration, valid->str);
    added->name = g_strdup(valid->str);
    g_ptr_array_add(ids->added, added);
    g_hash_table_insert(ids->by_name, g_steal_pointer(&key), added);
    return TRUE;
}

gboolean enum_ids_has(const EnumIds *ids, const char *enumeration)
{
    for (guint i = 0; i < ids->added->len; i++)
        if (!strcmp(((const Added *)g_ptr_array_index(ids->added, i))->enumeration, enumeration))
            return TRUE;
    for (guint32 i = 0; i < n_ascend_db_enums; i++)
        if (!strcmp(ascend_db_enums[i].table, enumeration) &&
            (ascend_db_enums[i].generations & ascend_generation_bit(ids->generation)))
            return TRUE;
    return FALSE;
}

void enum_ids_each(EnumIds *ids, const char *enumeration, EnumEntry entry, gpointer user)
{
    for (guint32 i = 0; i < n_ascend_db_enums; i++) {
        const AscendDbEnum *known = &ascend_db_enums[i];

        if (!strcmp(known->table, enumeration) &&
            (known->generations & ascend_generation_bit(ids->generation)))
            entry(user, known->id, known->name);
    }
    for (guint i = 0; i < ids->added->len; i++) {
        const Added *added = g_ptr_array_index(ids->added, i);

        if (!strcmp(added->enumeration, enumeration))
            entry(user, added->id, added->name);
    }
}
