/* SPDX-License-Identifier: Apache-2.0 */
#include "ascend-db-markers.h"

#include <strobe/helpers/mark-kinds.h>
#include "ascend-db-tasks.h"

/* Fields of a mark: the fields of the standard kind, and fields for further columns of the
 * table. */
struct mark {
    guint64 argument;
    StrobeStringId domain;
    guint32 event;
    guint64 range, connection;
    gint64 category;
    guint64 end_thread;
};

static const StrobeField fields_of_mark[] = {
    STROBE_MARK_ARGUMENT,   STROBE_MARK_DOMAIN,   STROBE_MARK_EVENT,      STROBE_MARK_RANGE_ID,
    STROBE_MARK_CONNECTION, STROBE_MARK_CATEGORY, STROBE_MARK_END_THREAD,
};

static const StrobeKind range_kind =
    STROBE_MARK_RANGE_KIND(fields_of_mark, G_N_ELEMENTS(fields_of_mark));
static const StrobeKind instant_kind =
    STROBE_MARK_INSTANT_KIND(fields_of_mark, G_N_ELEMENTS(fields_of_mark));

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
