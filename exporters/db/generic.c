/* SPDX-License-Identifier: Apache-2.0 */
/* Writes kinds without a table in the formats to a table of their own. The table has the kind's
 * name and all its fields. If the kind is an imported table, the new table has the name and the
 * columns of the imported one. */
#include <math.h>
#include <strobe/helpers/keyed-hash.h>
#include <strobe/helpers/number.h>

#include "kind-takes.h"

#define TABLES_MAX 200u
#define NAME_BYTES_MAX 200u
#define FIELDS_MAX 500u
#define STACK_TEXT_MAX (1u << 20)
#define TAKEN_PREFIX "ascend_db." /* prefix of kinds that are imported tables */

typedef struct Generic {
    OutTable *table;
    gboolean is_table; /* the kind is an imported table: its fields are all columns */
    guint n_fields;
} Generic;

/* ---- the table ---- */

static const char *type_of(guint32 type)
{
    switch (type) {
    case STROBE_FIELD_STRING:
    case STROBE_FIELD_STACK:
        return "TEXT";
    case STROBE_FIELD_F64:
        return "REAL";
    default:
        return "INTEGER";
    }
}

/* Adds a column. If another column has the name, changes the name. SQLite ignores the case of ASCII
 * letters in names. */
static void add_column(GHashTable *names, GString *columns, const char *name, const char *type)
{
    g_autoptr(GString) valid = g_string_new(NULL);
    g_autofree char *key = NULL;
    g_autofree char *quoted = NULL;

    string_append_valid(valid, name, strnlen(name, NAME_BYTES_MAX));
    if (!valid->len)
        g_string_append_c(valid, '_');
    for (guint i = 2; key = g_ascii_strdown(valid->str, -1), g_hash_table_contains(names, key);
         i++) {
        g_string_append_printf(valid, "_%u", i);
        g_free(key);
    }
    g_hash_table_add(names, g_steal_pointer(&key));
    quoted = db_quote(valid->str);
    g_string_append_printf(columns, "%s%s %s", columns->len ? "," : "", quoted, type);
}

static guint add_columns(const Generic *generic, const StrobeKindView *view, GString *columns)
{
    g_autoptr(GHashTable) names =
        g_hash_table_new_full(strobe_hash_of_text, g_str_equal, g_free, NULL);
    guint n = 0;

    if (!generic->is_table) {
        add_column(names, columns, "name", "TEXT");
        add_column(names, columns, "startNs", "INTEGER");
        add_column(names, columns, "endNs", "INTEGER");
        add_column(names, columns, "globalTid", "INTEGER");
        add_column(names, columns, "deviceId", "INTEGER");
        n = 5;
    }
    for (guint i = 0; i < generic->n_fields; i++) {
        const StrobeFieldView *field = &view->fields[i];
        gboolean has_name = generic->is_table && field->summary && *field->summary;

        add_column(names, columns, has_name ? field->summary : field->name, type_of(field->type));
    }
    return n + generic->n_fields;
}

gboolean generic_prepare(Db *db, DbKind *kind)
{
    const StrobeKindView *view = kind->view;
    g_autoptr(GString) columns = g_string_new(NULL);
    g_autofree char *name = NULL;
    g_autofree char *create = NULL;
    Generic *generic;
    guint n;

    if (db->n_generic == TABLES_MAX)
        return FALSE;
    db->n_generic++;
    kind->own = generic = g_new0(Generic, 1);
    generic->n_fields = MIN(view->n_fields, FIELDS_MAX);
    generic->is_table = g_str_has_prefix(view->name, TAKEN_PREFIX) && view->summary &&
                        *view->summary && generic->n_fields;
    name = db_free_table_name(db, generic->is_table ? view->summary : view->name);
    n = add_columns(generic, view, columns);
    create = g_strdup_printf("CREATE TABLE %s (%s)", name, columns->str);
    generic->table = out_db_table(db->out, OUT_PROFILER, name, create, n, -1);
    return TRUE;
}

/* ---- rows ---- */

static void put_stack(Db *db, StrobeStackId stack, RowBuffer *rows)
{
    const StrobeStringId *frames;
    size_t n = db->host->stack_frames(db->self, stack, &frames);
    g_autoptr(GString) text = g_string_new(NULL);

    for (size_t i = 0; i < n && text->len < STACK_TEXT_MAX; i++) {
        StrobeText frame = db->host->string(db->self, frames[i]);

        if (i)
            g_string_append(text, ";\r\n");
        g_string_append_len(text, frame.bytes, (gssize)frame.length);
    }
    if (stack)
        row_put_text(rows, (StrobeText){text->str, text->len});
    else
        row_null(rows);
}

static void put_narrow(Db *db, const StrobeFieldView *field, guint32 value, RowBuffer *rows)
{
    if (field->type == STROBE_FIELD_STACK)
        put_stack(db, value, rows);
    else if (field->type == STROBE_FIELD_STRING && value)
        row_put_text(rows, db->host->string(db->self, value));
    else if (field->type == STROBE_FIELD_TRACK && value)
        row_int(rows, db_global_tid(db, value));
    else if (field->type == STROBE_FIELD_I32 && (gint32)value != STROBE_ABSENT_I32)
        row_int(rows, (gint32)value);
    else if (field->type == STROBE_FIELD_U32 && value != STROBE_ABSENT_U32)
        row_int(rows, value);
    else
        row_null(rows);
}

static void put_field(Db *db, const StrobeFieldView *field, const StrobeView *record,
                      RowBuffer *rows)
{
    guint64 wide;
    double real;

    switch (strobe_field_size(field->type)) {
    case 1:
        row_int(rows, strobe_view_u8(record, field->offset));
        return;
    case 4:
        put_narrow(db, field, strobe_view_u32(record, field->offset), rows);
        return;
    case 8:
        break;
    default:
        row_null(rows);
        return;
    }
    wide = strobe_view_u64(record, field->offset);
    real = strobe_view_f64(record, field->offset);
    if (field->type == STROBE_FIELD_F64 && !isnan(real))
        row_real(rows, real);
    else if (field->type == STROBE_FIELD_F64 ||
             wide ==
                 (field->type == STROBE_FIELD_I64 ? (guint64)STROBE_ABSENT_I64 : STROBE_ABSENT_U64))
        row_null(rows);
    else
        row_int(rows, (gint64)wide);
}

static void put_place(Db *db, const StrobeView *record, RowBuffer *rows)
{
    const StrobeTrackView *track = db_track(db, record->track);

    if (record->name)
        row_put_text(rows, db->host->string(db->self, record->name));
    else
        row_null(rows);
    row_int(rows, record->begin_ns);
    row_int(rows, record->end_ns);
    if (track && track->type == STROBE_TRACK_THREAD)
        row_int(rows, db_global_tid(db, record->track));
    else
        row_null(rows);
    if (track && track->type != STROBE_TRACK_THREAD)
        row_int(rows, track->device);
    else
        row_null(rows);
}

void generic_take(Db *db, DbKind *kind, const StrobeView *record)
{
    const Generic *generic = kind->own;
    RowBuffer *rows = out_db_rows(db->out);

    row_begin(rows, generic->table);
    if (!generic->is_table)
        put_place(db, record, rows);
    for (guint i = 0; i < generic->n_fields; i++)
        put_field(db, &kind->fields[i], record, rows);
    db_row_done(db, rows);
}
