/* SPDX-License-Identifier: Apache-2.0 */
/* Records into the databases of the Ascend PyTorch Profiler. */
#include "db.h"

#include <strobe/helpers/fields.h>
#include <strobe/helpers/keyed-hash.h>

#include "framework.h"
#include "kinds.h"

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

/* Names that a table of another kind must not have. */
static void take_names(Db *db)
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

/* What the device's tool writes has no blanks behind its commas. */
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

/* Tables that say nothing of what was measured. */
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

/* ---- the exporter ---- */

static char *file_name(const StrobeFacts *facts)
{
    return facts->rank >= 0 ? g_strdup_printf("ascend_pytorch_profiler_%d.db", facts->rank)
                            : g_strdup("ascend_pytorch_profiler.db");
}

static StrobeStatus db_open(const StrobeConsumerHost *host, StrobeInstance *self, void **state)
{
    const StrobeFacts *facts = host->facts(self);
    g_autofree char *name = file_name(facts);
    const char *const names[OUT_FILES] = {name, "analysis.db"};
    Db *db = g_new0(Db, 1);

    db->host = host;
    db->self = self;
    db->generation = facts->generation;
    db->level = facts->level;
    db->also = g_strsplit(host->option_text(self, "also"), "+", -1);
    db->out = out_db_new(facts->directory, facts->scratch, names);
    db->tables = g_new0(OutTable *, n_ascend_db_tables);
    db->kinds = g_hash_table_new_full(NULL, NULL, NULL, db_kind_free);
    db->names = g_hash_table_new_full(strobe_hash_of_text, g_str_equal, g_free, NULL);
    db->merging = g_ptr_array_new();
    db->enums = enum_ids_new(db->generation);
    db->strings = string_ids_new(host, self, db_table_named(db, "STRING_IDS"));
    db->framework = framework_new(db);
    db->communication = communication_new(db);
    take_names(db);
    *state = db;
    return STROBE_OK;
}

static StrobeStatus report(Db *db)
{
    const StrobeFacts *facts = db->host->facts(db->self);

    return db->host->fail(db->self, STROBE_ERROR_IO, __FILE__, __LINE__,
                          "Cannot write a database: folder=\"%s\", or what is kept of it in the "
                          "folder for temporary files: %s: %s",
                          facts->directory_path, facts->scratch_path, out_db_error(db->out));
}

static StrobeStatus db_batch(void *state, const StrobeView *records, size_t n)
{
    Db *db = state;

    for (size_t i = 0; i < n; i++) {
        DbKind *kind = db_kind_of(db, records[i].kind);

        if (kind->take)
            kind->take(db, kind, &records[i]);
    }
    return out_db_error(db->out) ? report(db) : STROBE_OK;
}

static void tell_what_is_missing(Db *db)
{
    if (db->n_skipped)
        db->host->log(db->self, STROBE_LOG_WARNING,
                      "%u kinds have no table, for there would be too many", db->n_skipped);
    if (db->n_dropped_names)
        db->host->log(db->self, STROBE_LOG_WARNING,
                      "%" G_GUINT64_FORMAT " values have no number in their enumeration, for there "
                      "would be too many",
                      db->n_dropped_names);
    if (out_db_n_moved(db->out))
        db->host->log(db->self, STROBE_LOG_INFO,
                      "%" G_GUINT64_FORMAT
                      " rows have a new key: they had none, or that of another",
                      out_db_n_moved(db->out));
}

static StrobeStatus db_end(void *state)
{
    Db *db = state;

    db_kinds_end(db);
    framework_end(db->framework);
    communication_end(db->communication);
    facts_end(db);
    for (guint32 i = 0; i < n_ascend_db_indexes; i++)
        db_make_index(db, ascend_db_indexes[i].table);
    if (!out_db_finish(db->out))
        return report(db);
    tell_what_is_missing(db);
    return STROBE_OK;
}

static void db_close(void *state)
{
    Db *db = state;

    framework_free(db->framework);
    communication_free(db->communication);
    out_db_free(db->out);
    string_ids_free(db->strings);
    enum_ids_free(db->enums);
    g_hash_table_unref(db->kinds);
    g_ptr_array_unref(db->merging);
    g_hash_table_unref(db->names);
    g_strfreev(db->also);
    g_free(db->tables);
    if (db->environment)
        g_string_free(db->environment, TRUE);
    g_free(db);
}

const StrobeConsumerOps db_ops = {
    .struct_size = sizeof(StrobeConsumerOps),
    .open = db_open,
    .batch = db_batch,
    .end = db_end,
    .close = db_close,
};
