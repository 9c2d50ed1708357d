/* SPDX-License-Identifier: Apache-2.0 */
#include "ascend-db-texts.h"

#include <string.h>
#include <strobe/helpers/keyed-hash.h>

#include "lookup.h"

#define CACHE_ENTRIES 16384u
#define ENUM_ENTRIES_MAX 4096u

typedef struct Entry {
    gint64 id;
    StrobeStringId string; /* 0: the entry is free */
} Entry;

struct Texts {
    Import *import;
    sqlite3_stmt *find;
    GHashTable *enums; /* "TABLE id" -> name */
    Entry cache[CACHE_ENTRIES];
};

static void read_enum(Texts *texts, DbTable *table)
{
    DbScan scan;

    table->is_taken = TRUE;
    db_scan_init(&scan, texts->import->file, table->name, "id, name");
    while (g_hash_table_size(texts->enums) < ENUM_ENTRIES_MAX && db_scan_next(&scan)) {
        const char *name = (const char *)sqlite3_column_text(scan.statement, 2);
        gint64 id = sqlite3_column_int64(scan.statement, 1);

        if (name && strlen(name) < 256)
            g_hash_table_insert(
                texts->enums,
                g_strdup_printf("%s %" G_GINT64_FORMAT, table->name + strlen("ENUM_"), id),
                g_strdup(name));
    }
    db_scan_clear(&scan);
}

Texts *texts_new(Import *import)
{
    Texts *texts = g_new0(Texts, 1);
    const DbFile *file = import->file;
    DbTable *strings;

    texts->import = import;
    texts->enums = g_hash_table_new_full(strobe_hash_of_text, g_str_equal, g_free, g_free);
    for (guint i = 0; i < file->tables->len; i++) {
        DbTable *table = g_ptr_array_index(file->tables, i);

        if (g_str_has_prefix(table->name, "ENUM_") && db_table_column(table, "id") &&
            db_table_column(table, "name"))
            read_enum(texts, table);
    }
    strings = db_file_table(file, "STRING_IDS");
    if (strings)
        strings->is_taken = TRUE;
    texts->find = lookup_new(import->file, "STRING_IDS", "id", "value");
    return texts;
}

void texts_free(Texts *texts)
{
    if (!texts)
        return;
    sqlite3_finalize(texts->find);
    g_hash_table_unref(texts->enums);
    g_free(texts);
}

/* Returns the bytes of a text, valid until the statement is reset. */
static const char *look_up(Texts *texts, gint64 id, gsize *length)
{
    const char *text;

    if (!lookup_find(texts->find, id) || sqlite3_column_type(texts->find, 1) != SQLITE_TEXT)
        return NULL;
    text = (const char *)sqlite3_column_text(texts->find, 1);
    *length = (gsize)sqlite3_column_bytes(texts->find, 1);
    return text;
}

gboolean texts_find(Texts *texts, gint64 id, const char *absent, StrobeStringId *string)
{
    const StrobeImporterHost *host = texts->import->host;
    Entry *entry = &texts->cache[(guint64)id % CACHE_ENTRIES];
    const char *text = "";
    gsize length = 0;

    *string = entry->string;
    if (entry->string && entry->id == id && !absent)
        return TRUE;
    *string = 0;
    if (id != NO_STRING && !(text = look_up(texts, id, &length)))
        return FALSE;
    if (absent && length == strlen(absent) && !memcmp(text, absent, length))
        return TRUE;
    *string = host->intern(texts->import->self, text, length);
    *entry = (Entry){id, *string};
    return TRUE;
}

char *texts_dup(Texts *texts, gint64 id)
{
    gsize length = 0;
    const char *text = id == NO_STRING ? "" : look_up(texts, id, &length);

    return text ? g_strndup(text, length) : NULL;
}

const char *texts_enum(Texts *texts, const char *enumeration, gint64 id)
{
    g_autofree char *key = g_strdup_printf("%s %" G_GINT64_FORMAT, enumeration, id);
    const char *name = g_hash_table_lookup(texts->enums, key);

    return name ? name : ascend_db_enum_name(enumeration, id, texts->import->generation);
}
