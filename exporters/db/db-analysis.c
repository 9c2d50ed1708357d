/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the tables of analysis.db. */
#include <math.h>
#include <strobe/helpers/number.h>

#include "kind-takes.h"

enum { STEP, GROUP, IS_TOTAL, SIZE, TIME, COUNT, RATIO, PACKAGE, PACKAGE_TIME };

static const StrobeWantedField fields[] = {
    {"step", STROBE_FIELD_I64},         {"group", STROBE_FIELD_STRING},
    {"is_total", STROBE_FIELD_BOOL},    {"transit_size", STROBE_FIELD_F64},
    {"transit_time", STROBE_FIELD_F64}, {"package_count", STROBE_FIELD_U64},
    {"large_ratio", STROBE_FIELD_F64},  {"package_size", STROBE_FIELD_F64},
    {"package_time", STROBE_FIELD_F64},
};

static double real_of(const DbKind *kind, const StrobeView *record, guint field)
{
    guint32 offset = kind->known[field];
    double value = offset == STROBE_FIELD_MISSING ? NAN : strobe_view_f64(record, offset);

    return isnan(value) ? 0 : value;
}

/* Writes the step, for example "step50"; if there are no steps, writes "step". */
static void put_step(const DbKind *kind, const StrobeView *record, RowBuffer *rows)
{
    gint64 step = strobe_field_i64(record, kind->known[STEP], STROBE_ABSENT_I64);
    char text[STROBE_NUMBER_MAX + 8] = "step";
    gsize length = strlen(text);

    if (step != STROBE_ABSENT_I64)
        length += strobe_format_int(text + length, step);
    row_text(rows, text, length);
}

/* Writes the name of the operation. Removes the group from the record's name, because the table has
 * its own column for the group. */
static void put_name(Db *db, const DbKind *kind, const StrobeView *record, RowBuffer *rows)
{
    StrobeText name = db->host->string(db->self, record->name);
    StrobeText group = db->host->string(db->self, strobe_field_u32(record, kind->known[GROUP], 0));

    if (name.length > group.length && name.bytes[name.length - group.length - 1] == '@' &&
        !memcmp(name.bytes + name.length - group.length, group.bytes, group.length))
        name.length -= group.length + 1;
    row_put_text(rows, name);
}

static void put_special(Db *db, const RowMap *map, const AscendDbColumn *column,
                        const StrobeView *record, RowBuffer *rows)
{
    const DbKind *kind = db_kind_of(db, record->kind);
    guint64 count = strobe_field_u64(record, kind->known[COUNT], 0);

    if (!strcmp(column->name, "step"))
        put_step(kind, record, rows);
    else if (!strcmp(column->name, "hccl_op_name"))
        put_name(db, kind, record, rows);
    else if (!strcmp(column->name, "count"))
        row_int(rows, count == STROBE_ABSENT_U64 ? 0 : (gint64)count);
    else
        row_real(rows, real_of(kind, record,
                               !strcmp(column->name, "package_size")     ? PACKAGE
                               : !strcmp(column->name, "total_duration") ? PACKAGE_TIME
                                                                         : RATIO));
}

/* Binds the kind to the table. `has_packages`: the records have sizes of packages; FALSE: the
 * columns for packages are 0. */
static void prepare_kind(Db *db, DbKind *kind, const char *table, gboolean has_packages)
{
    static const char *const by_code[] = {"package_size", "count", "total_duration",
                                          "large_packet_ratio"};

    if (kind->known)
        return;
    db_kind_know(kind, fields, G_N_ELEMENTS(fields));
    row_map_by_code(db_kind_map(db, kind, 0, table, put_special), "hccl_op_name");
    for (guint i = 0; has_packages && i < G_N_ELEMENTS(by_code); i++)
        row_map_by_code(kind->maps[0], by_code[i]);
}

void analysis_take_step(Db *db, DbKind *kind, const StrobeView *record)
{
    row_map_put(db, db_kind_map(db, kind, 0, "StepTraceTime", NULL), record);
}

void analysis_take_time(Db *db, DbKind *kind, const StrobeView *record)
{
    prepare_kind(db, kind, "CommAnalyzerTime", FALSE);
    if (db->level != 0 && !strobe_field_u8(record, kind->known[IS_TOTAL], 0))
        row_map_put(db, kind->maps[0], record);
}

/* Adds a row for the record, if data was transferred. */
void analysis_take_bandwidth(Db *db, DbKind *kind, const StrobeView *record)
{
    prepare_kind(db, kind, "CommAnalyzerBandwidth", TRUE);
    if (db->level == 0 || strobe_field_u8(record, kind->known[IS_TOTAL], 0) ||
        (real_of(kind, record, SIZE) == 0 && real_of(kind, record, TIME) == 0))
        return;
    row_map_put(db, kind->maps[0], record);
}

void analysis_take_matrix(Db *db, DbKind *kind, const StrobeView *record)
{
    prepare_kind(db, kind, "CommAnalyzerMatrix", FALSE);
    if (db->level != 0)
        row_map_put(db, kind->maps[0], record);
}
