/* SPDX-License-Identifier: Apache-2.0 */
/* Writes data about the run and the database: META_DATA, HOST_INFO, devices and enumerations. */
#include <strobe/helpers/json-writer.h>
#include <strobe/helpers/keyed-hash.h>

#include "kind-takes.h"

#define VARIABLE "env."
#define ENVIRONMENT_MAX (1u << 20)

enum { VALUE, IS_JSON };

static const StrobeWantedField metadata_fields[] = {
    {"value", STROBE_FIELD_STRING},
    {"is_json", STROBE_FIELD_BOOL},
};

static void put_pair(Db *db, const char *name, const char *value, gsize length)
{
    OutTable *table = db_table_named(db, "META_DATA");
    RowBuffer *rows = out_db_rows(db->out);

    row_begin(rows, table);
    row_put_text(rows, (StrobeText){name, strlen(name)});
    row_put_text(rows, (StrobeText){value, length});
    db_row_done(db, rows);
}

static int append_bytes(void *user, const char *bytes, size_t length)
{
    g_string_append_len(user, bytes, (gssize)length);
    return 0;
}

static void append_quoted(GString *out, StrobeText value)
{
    StrobeJsonWriter json;

    strobe_json_init(&json, append_bytes, out, 0);
    strobe_json_text(&json, value.bytes, value.length);
    strobe_json_flush(&json);
}

/* Adds a row with a text to META_DATA. The text has quotes, because readers parse every value as
 * JSON. */
static void put_quoted(Db *db, const char *name, StrobeText value)
{
    g_autoptr(GString) text = g_string_new(NULL);

    append_quoted(text, value);
    put_pair(db, name, text->str, text->len);
}

/* Adds an environment variable to the JSON object that META_DATA has for all of them. */
static void add_variable(Db *db, StrobeText name, StrobeText value)
{
    if (!db->environment)
        db->environment = g_string_new(NULL);
    if (db->environment->len > ENVIRONMENT_MAX)
        return;
    g_string_append(db->environment, db->environment->len ? ", " : "");
    append_quoted(db->environment, name);
    g_string_append(db->environment, ": ");
    append_quoted(db->environment, value);
}

static void put_environment(Db *db)
{
    g_autofree char *object = NULL;

    if (!db->environment)
        return;
    object = g_strdup_printf("{%s}", db->environment->str);
    put_pair(db, "ENV_VARIABLES", object, strlen(object));
}

/* Writes the id of the trace. The Ascend profiler copies profiler_metadata.json, whose last entry
 * is this id. */
static void put_trace_id(Db *db)
{
    const char *id = db->host->metadata_value(db->self, "trace_id");

    if (*id)
        put_quoted(db, "trace_id", (StrobeText){id, strlen(id)});
}

static gboolean is_of_database(Db *db)
{
    return *db->host->metadata_value(db->self, "schema_version") != 0;
}

static gboolean is_plain_json(StrobeText value)
{
    double number;
    char *end;

    if (!strcmp(value.bytes, "true") || !strcmp(value.bytes, "false") ||
        !strcmp(value.bytes, "null"))
        return TRUE;
    number = g_ascii_strtod(value.bytes, &end);
    return value.length && !*end && number - number == 0 &&
           strspn(value.bytes, "+-.0123456789eE") == value.length && value.bytes[0] != '+';
}

void metadata_take_metadata(Db *db, DbKind *kind, const StrobeView *record)
{
    StrobeText value, name = db->host->string(db->self, record->name);

    if (!kind->known)
        db_kind_know(kind, metadata_fields, G_N_ELEMENTS(metadata_fields));
    value = db->host->string(db->self, strobe_field_u32(record, kind->known[VALUE], 0));
    if (!is_of_database(db) && g_str_has_prefix(name.bytes, VARIABLE)) {
        name.bytes += strlen(VARIABLE);
        name.length -= strlen(VARIABLE);
        add_variable(db, name, value);
        return;
    }
    if (is_of_database(db) || strobe_field_u8(record, kind->known[IS_JSON], 0) ||
        is_plain_json(value))
        put_pair(db, name.bytes, value.bytes, value.length);
    else
        put_quoted(db, name.bytes, value);
}

/* ---- devices ---- */

enum { RANK };

static const StrobeWantedField device_fields[] = {{"rank", STROBE_FIELD_I32}};

void metadata_take_device(Db *db, DbKind *kind, const StrobeView *record)
{
    if (!kind->known)
        db_kind_know(kind, device_fields, G_N_ELEMENTS(device_fields));
    if (db->host->string(db->self, record->name).length)
        row_map_put(db, db_kind_map(db, kind, 0, "NPU_INFO", NULL), record);
    if ((gint32)strobe_field_u32(record, kind->known[RANK], (guint32)STROBE_ABSENT_I32) ==
        STROBE_ABSENT_I32)
        return;
    db->has_rank_map = TRUE;
    row_map_put(db, db_kind_map(db, kind, 1, "RANK_DEVICE_MAP", NULL), record);
}

static void put_rank(Db *db, gint32 device)
{
    OutTable *table = db_table_named(db, "RANK_DEVICE_MAP");
    RowBuffer *rows = out_db_rows(db->out);

    row_begin(rows, table);
    row_int(rows, db->host->metadata(db->self)->rank);
    row_int(rows, device);
    db_row_done(db, rows);
}

/* Writes one row for each device that has records. If only the framework has records, writes one
 * row with the device -1. */
static void put_ranks(Db *db)
{
    guint32 n = db->host->track_count(db->self);
    g_autoptr(GHashTable) seen = g_hash_table_new(strobe_hash_of_pointer, NULL);

    for (guint32 id = 1; id <= n; id++) {
        const StrobeTrackView *track = db_track(db, id);

        if (track && track->device >= 0 && g_hash_table_add(seen, GINT_TO_POINTER(track->device)))
            put_rank(db, track->device);
    }
    if (g_hash_table_size(seen) == 0 && !is_of_database(db) &&
        db_has_table(db, ascend_db_table("PYTORCH_API")))
        put_rank(db, -1);
}

/* ---- versions and other data ---- */

static void put_versions(Db *db)
{
    static const char *const of_generation[] = {"1.0.0", "1.0.0", "1.1.0", "1.2.0"};
    static const char *const parts[] = {"SCHEMA_VERSION_MAJOR", "SCHEMA_VERSION_MINOR",
                                        "SCHEMA_VERSION_MICRO"};
    const char *version = db->host->metadata_value(db->self, "schema_version");
    const char *source = db->host->metadata_value(db->self, "generation");

    /* if the source is a database of the same generation, the version of the source is written */
    if (!*version || g_ascii_strtoll(source, NULL, 10) != db->generation)
        version = of_generation[CLAMP(db->generation, 1, 3)];
    g_auto(GStrv) numbers = g_strsplit(version, ".", 3);
    for (guint i = G_N_ELEMENTS(parts); i-- > 0;)
        if (g_strv_length(numbers) == G_N_ELEMENTS(parts))
            put_pair(db, parts[i], numbers[i], strlen(numbers[i]));
    put_pair(db, "SCHEMA_VERSION", version, strlen(version));
}

static void put_host(Db *db)
{
    const char *uid = db->host->metadata_value(db->self, "host_uid");
    const char *name = db->host->metadata(db->self)->host;
    OutTable *table = db_table_named(db, "HOST_INFO");
    RowBuffer *rows = out_db_rows(db->out);

    row_begin(rows, table);
    if (*uid)
        row_put_text(rows, (StrobeText){uid, strlen(uid)});
    else
        row_null(rows);
    row_put_text(rows, (StrobeText){name, strlen(name)});
    db_row_done(db, rows);
}

static gint64 metadata_or(Db *db, const char *key, gint64 fallback)
{
    const char *text = db->host->metadata_value(db->self, key);
    gint64 value;

    return g_ascii_string_to_signed(text, 10, G_MININT64, G_MAXINT64, &value, NULL) ? value
                                                                                    : fallback;
}

static void put_session(Db *db)
{
    const StrobeMetadata *metadata = db->host->metadata(db->self);
    OutTable *table = db_table_named(db, "SESSION_TIME_INFO");
    RowBuffer *rows = out_db_rows(db->out);

    row_begin(rows, table);
    row_int(rows, metadata_or(db, "session_begin_ns", metadata->window_begin_ns));
    row_int(rows, metadata_or(db, "session_end_ns", metadata->window_end_ns));
    db_row_done(db, rows);
}

/* ---- enumerations ---- */

typedef struct Filling {
    Db *db;
    OutTable *table;
    /* entries of the device are written; entries of the framework are written */
    gboolean has_device, has_framework;
} Filling;

/* First and last number of the framework's layers of calls. These layers are written if the
 * framework has records; all other layers are written if a device has records. */
#define API_FRAMEWORK_FIRST 50001
#define API_FRAMEWORK_LAST 50004

static void put_entry(gpointer user, gint64 id, const char *name)
{
    const Filling *filling = user;
    RowBuffer *rows = out_db_rows(filling->db->out);

    if (id >= API_FRAMEWORK_FIRST && id <= API_FRAMEWORK_LAST ? !filling->has_framework
                                                              : !filling->has_device)
        return;
    row_begin(rows, filling->table);
    row_int(rows, id);
    row_text(rows, name, strlen(name));
    db_row_done(filling->db, rows);
}

static void put_enum(Db *db, const char *enumeration, gboolean has_device, gboolean has_framework)
{
    g_autofree char *name = g_strdup_printf("ENUM_%s", enumeration);
    g_autofree char *create =
        g_strdup_printf("CREATE TABLE %s (id INTEGER PRIMARY KEY,name TEXT)", name);
    Filling filling = {.db = db, .has_device = has_device, .has_framework = has_framework};

    filling.table = out_db_table(db->out, OUT_PROFILER, name, create, 2, 0);
    enum_ids_each(db->enums, enumeration, put_entry, &filling);
}

static void put_enums(Db *db)
{
    const char *last = "API_TYPE";
    gboolean has_framework = db_has_table(db, ascend_db_table("PYTORCH_API"));

    if (!db->has_device && !has_framework)
        return;
    put_enum(db, last, db->has_device, has_framework);
    for (guint32 i = 0; db->has_device && i < n_ascend_db_enums; i++)
        if (strcmp(ascend_db_enums[i].table, "API_TYPE") &&
            strcmp(ascend_db_enums[i].table, last) &&
            enum_ids_has(db->enums, ascend_db_enums[i].table)) {
            last = ascend_db_enums[i].table;
            put_enum(db, last, TRUE, FALSE);
        }
}

void metadata_end(Db *db)
{
    gboolean is_imported = *db->host->metadata_value(db->self, "source") != 0;

    put_environment(db);
    if (!db->has_rows)
        return;
    if (!is_imported)
        put_trace_id(db);
    if (!is_imported || is_of_database(db) || db->has_device)
        put_versions(db);
    if (*db->host->metadata(db->self)->host || *db->host->metadata_value(db->self, "host_uid"))
        put_host(db);
    if (!db->has_rank_map)
        put_ranks(db);
    if (db->has_device || *db->host->metadata_value(db->self, "session_begin_ns"))
        put_session(db);
    put_enums(db);
}
