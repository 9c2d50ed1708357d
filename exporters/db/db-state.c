/* SPDX-License-Identifier: Apache-2.0 */
#include "db-state.h"

/* ---- tracks ---- */

const StrobeTrackView *db_track(Db *db, StrobeTrackId id)
{
    if (G_UNLIKELY(id != db->last_track)) {
        db->last_track = id;
        db->track = id ? db->host->track(db->self, id) : NULL;
    }
    return db->track;
}

gint64 db_global_tid(Db *db, StrobeTrackId id)
{
    const StrobeTrackView *track = db_track(db, id);

    return track ? (gint64)(track->pid << 32 | (track->number & G_MAXUINT32)) : 0;
}

/* ---- tables ---- */

static gboolean is_plain_name(const char *name)
{
    gsize length = strlen(name);

    return length && !g_ascii_isdigit(*name) &&
           strspn(name, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_") == length &&
           !sqlite3_keyword_check(name, (int)length);
}

char *db_quote(const char *name)
{
    if (is_plain_name(name))
        return g_strdup(name);
    char *quoted = sqlite3_mprintf("\"%w\"", name);
    char *copy = g_strdup(quoted);

    sqlite3_free(quoted);
    return copy;
}

#define NAME_BYTES_MAX 200u

char *db_free_table_name(Db *db, const char *wanted)
{
    g_autoptr(GString) name = g_string_new(NULL);
    g_autofree char *key = NULL;
    gsize length;

    if (!g_ascii_strncasecmp(wanted, "sqlite_", strlen("sqlite_")) || !*wanted)
        g_string_append_c(name, '_');
    string_append_valid(name, wanted, strnlen(wanted, NAME_BYTES_MAX));
    length = name->len;
    key = g_ascii_strdown(name->str, -1);
    for (guint i = 2; g_hash_table_contains(db->names, key); i++) {
        g_string_truncate(name, length);
        g_string_append_printf(name, "_%u", i);
        g_free(key);
        key = g_ascii_strdown(name->str, -1);
    }
    g_hash_table_add(db->names, g_steal_pointer(&key));
    return db_quote(name->str);
}

void db_reserve_names(Db *db)
{
    for (guint32 i = 0; i < n_ascend_db_tables; i++)
        g_hash_table_add(db->names, g_ascii_strdown(ascend_db_tables[i].name, -1));
    for (guint32 i = 0; i < n_ascend_db_enums; i++) {
        g_autofree char *name = g_strdup_printf("ENUM_%s", ascend_db_enums[i].table);

        g_hash_table_add(db->names, g_ascii_strdown(name, -1));
    }
    g_hash_table_add(db->names, g_strdup("taskindex"));
    g_hash_table_add(db->names, g_strdup("communicationtaskindex"));
}

guint db_columns(const Db *db, const AscendDbTable *format, const AscendDbColumn **columns)
{
    guint n = 0;

    for (guint32 i = 0; i < format->n_columns && n < 64; i++) {
        const AscendDbColumn *column = &format->columns[i];

        if (!column->generations || (column->generations & ascend_generation_bit(db->generation)))
            columns[n++] = column;
    }
    return n;
}

/* Returns the statement that creates the table, and sets `key`. Readers see this text in the
 * database. In tables of the device's program it has no blanks after commas, as in the Ascend
 * profiler. */
static char *create_text(const Db *db, const AscendDbTable *format, const char *extra, gint *key)
{
    const AscendDbColumn *columns[64];
    guint n = db_columns(db, format, columns);
    gboolean is_framework = format->is_analysis || (format->flags & ASCEND_DB_FRAMEWORK);
    GString *text = g_string_new(NULL);

    g_string_printf(text, "CREATE TABLE %s%s (", is_framework ? "IF NOT EXISTS " : "",
                    format->name);
    *key = -1;
    for (guint i = 0; i < n; i++) {
        g_string_append_printf(text, "%s%s %s",
                               i == 0         ? ""
                               : is_framework ? ", "
                                              : ",",
                               columns[i]->name, columns[i]->type);
        if (strstr(columns[i]->type, "PRIMARY KEY"))
            *key = (gint)i;
    }
    g_string_append(text, extra ? extra : "");
    g_string_append_c(text, ')');
    return g_string_free(text, FALSE);
}

/* Returns whether the table has data that the device's program measured. */
static gboolean is_of_device(const AscendDbTable *format)
{
    static const char *const others[] = {"STRING_IDS",        "META_DATA",   "HOST_INFO",
                                         "SESSION_TIME_INFO", "MSTX_EVENTS", NULL};

    return !format->is_analysis && !(format->flags & (ASCEND_DB_FRAMEWORK | ASCEND_FILE_DERIVED)) &&
           !g_strv_contains(others, format->name);
}

OutTable *db_table(Db *db, const AscendDbTable *format, const char *extra, guint n_extra)
{
    guint at = (guint)(format - ascend_db_tables);
    const AscendDbColumn *columns[64];
    g_autofree char *create = NULL;
    gint key;

    if (db->tables[at])
        return db->tables[at];
    create = create_text(db, format, extra, &key);
    db->tables[at] =
        out_db_table(db->out, format->is_analysis ? OUT_ANALYSIS : OUT_PROFILER, format->name,
                     create, db_columns(db, format, columns) + n_extra, key);
    db->has_device |= is_of_device(format);
    return db->tables[at];
}

OutTable *db_table_named(Db *db, const char *name)
{
    return db_table(db, ascend_db_table(name), NULL, 0);
}

gboolean db_has_table(const Db *db, const AscendDbTable *format)
{
    return db->tables[format - ascend_db_tables] != NULL;
}

void db_make_index(Db *db, const char *table)
{
    for (guint32 i = 0; i < n_ascend_db_indexes; i++) {
        const AscendDbIndex *index = &ascend_db_indexes[i];
        g_autofree char *create = g_strdup_printf("CREATE INDEX %s ON %s (%s)", index->name,
                                                  index->table, index->columns);

        if (strcmp(index->table, table) || (db->made_indexes & 1u << i) ||
            !db_has_table(db, ascend_db_table(table)))
            continue;
        db->made_indexes |= 1u << i;
        out_db_run(db->out, OUT_PROFILER, create);
    }
}

/* ---- rows ---- */

void db_strings_done(Db *db)
{
    RowBuffer *made = string_ids_rows(db->strings);
    RowBuffer *rows = out_db_rows(db->out);

    if (G_LIKELY(!made->used))
        return;
    memcpy(row_room(rows, made->used), made->bytes, made->used);
    made->used = 0;
    out_db_sent(db->out, rows);
}

void db_row_done(Db *db, RowBuffer *rows)
{
    row_end(rows);
    db->has_rows = TRUE;
    if (string_ids_rows(db->strings)->used)
        db_strings_done(db);
    else
        out_db_sent(db->out, rows);
}
