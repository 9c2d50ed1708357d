/* SPDX-License-Identifier: Apache-2.0 */
#include "markers.h"

#include "tasks.h"

/* What the table has beyond the standard kind. */
struct mark {
    guint64 argument;
    StrobeStringId domain;
    guint32 event;
    guint64 range, connection;
    gint64 category;
    guint64 end_thread;
};

static const StrobeField fields_of_mark[] = {
    {"argument", STROBE_FIELD_U64, 0, "", "Argument."},
    {"marker.domain", STROBE_FIELD_STRING, 0, "", "Domain."},
    {"marker.event", STROBE_FIELD_U32, 0, "",
     "0 marker, 1 push and pop, 2 start and end, 3 marker with more."},
    {"marker.range", STROBE_FIELD_U64, 0, "", "Number of the range."},
    {"marker.connection", STROBE_FIELD_LINK, 0, "", "Id of the mark on the device."},
    {"marker.category", STROBE_FIELD_I64, 0, "", "Category."},
    {"marker.end_thread", STROBE_FIELD_U64, 0, "", "Process and thread that ended it."},
};

static const StrobeKind range_kind = {
    .struct_size = sizeof(StrobeKind),
    .shape = STROBE_SHAPE_SPAN,
    .name = "marker",
    .summary = "A range that the program marked.",
    .fields = fields_of_mark,
    .n_fields = G_N_ELEMENTS(fields_of_mark),
};
static const StrobeKind instant_kind = {
    .struct_size = sizeof(StrobeKind),
    .shape = STROBE_SHAPE_INSTANT,
    .name = "marker_instant",
    .summary = "An instant that the program marked.",
    .fields = fields_of_mark,
    .n_fields = G_N_ELEMENTS(fields_of_mark),
};

static StrobeStringId text_of(Import *import, RowReader *reader, sqlite3_stmt *statement,
                              const char *column)
{
    gint64 id = row_reader_integer(reader, statement, column, NO_STRING);
    StrobeStringId text = 0;

    if (id != NO_STRING && !texts_find(import->texts, id, NULL, &text))
        db_file_damage(import->file, reader->format->name, sqlite3_column_int64(statement, 0),
                       column, "STRING_IDS has no text of this number");
    return text;
}

static void fill_mark(Import *import, RowReader *reader, sqlite3_stmt *statement,
                      struct mark *fields)
{
    gint64 event = row_reader_integer(reader, statement, "eventType", -1);

    fields->event = event >= 0 && event < G_MAXUINT32 ? (guint32)event : STROBE_ABSENT_U32;
    fields->domain = text_of(import, reader, statement, "domainId");
    gint64 category = row_reader_integer(reader, statement, "category", NO_STRING);

    fields->range = task_link(row_reader_integer(reader, statement, "rangeId", -1));
    fields->connection = task_link(row_reader_integer(reader, statement, "connectionId", -1));
    fields->category = category == NO_STRING ? STROBE_ABSENT_I64 : category;
    fields->end_thread = (guint64)row_reader_integer(reader, statement, "endGlobalTid", -1);
}

static void take_mark(Import *import, RowReader *reader, sqlite3_stmt *statement)
{
    guint64 tid = (guint64)row_reader_integer(reader, statement, "globalTid", 0);
    gint64 begin = row_reader_integer(reader, statement, "startNs", -1);
    gint64 end = row_reader_integer(reader, statement, "endNs", -1);
    gint64 event = row_reader_integer(reader, statement, "eventType", -1);
    gboolean is_range = event == 1 || event == 2 || (event != 0 && event != 3 && end > begin);
    struct mark *fields;

    if (begin < 0 || end < begin) {
        db_file_damage(import->file, reader->format->name, sqlite3_column_int64(statement, 0), NULL,
                       "expected startNs and endNs, in this order");
        begin = end = begin < 0 ? import->begin_ns : begin;
    }
    fields = import_emit(import, is_range ? &range_kind : &instant_kind,
                         import_thread(import, tid, "mstx"),
                         text_of(import, reader, statement, "message"), begin, end);
    if (fields)
        fill_mark(import, reader, statement, fields);
}

void markers_import(Import *import)
{
    RowReader *reader = row_reader_new(import, import->file, ascend_db_table("MSTX_EVENTS"), NULL);
    DbScan scan;

    if (!reader)
        return;
    db_scan_init(&scan, import->file, "MSTX_EVENTS", reader->columns->str);
    while (!import->is_full && db_scan_next(&scan))
        take_mark(import, reader, scan.statement);
    import->host->found(import->self, "MSTX_EVENTS", scan.n);
    db_scan_clear(&scan);
    row_reader_keep_unknown(reader);
    row_reader_free(reader);
}
