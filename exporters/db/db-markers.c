/* SPDX-License-Identifier: Apache-2.0 */
/* Writes MSTX_EVENTS: the ranges and instants that the program marked. */
#include "kind-takes.h"

enum { EVENT_MARK = 0, EVENT_RANGE = 2 };
enum { DOMAIN, EVENT, RANGE, CONNECTION, CATEGORY, END_THREAD };

static const StrobeWantedField fields[] = {
    {"marker.domain", STROBE_FIELD_STRING}, {"marker.event", STROBE_FIELD_U32},
    {"marker.range", STROBE_FIELD_U64},     {"marker.connection", STROBE_FIELD_LINK},
    {"marker.category", STROBE_FIELD_I64},  {"marker.end_thread", STROBE_FIELD_U64},
};

/* Returns whether all fields of the record are set. A range that has not ended has only its name
 * and its begin. */
static gboolean is_known(const StrobeView *record)
{
    return !(record->flags & STROBE_VIEW_UNFINISHED);
}

static gint64 number_of(const DbKind *kind, const StrobeView *record, guint field, gint64 absent)
{
    guint64 value = strobe_field_u64(record, kind->known[field], STROBE_ABSENT_U64);

    return value == STROBE_ABSENT_U64 || !is_known(record) ? absent : db_link(value);
}

void markers_take(Db *db, DbKind *kind, const StrobeView *record)
{
    OutTable *table = db_table_named(db, "MSTX_EVENTS");
    RowBuffer *rows = out_db_rows(db->out);
    gint64 tid = db_global_tid(db, record->track), category;
    guint32 event;

    if (!kind->known)
        db_kind_know(kind, fields, G_N_ELEMENTS(fields));
    event = strobe_field_u32(record, kind->known[EVENT], STROBE_ABSENT_U32);
    if (event == STROBE_ABSENT_U32 || !is_known(record))
        event = kind->view->shape == STROBE_SHAPE_SPAN ? EVENT_RANGE : EVENT_MARK;
    category = strobe_field_i64(record, kind->known[CATEGORY], STROBE_ABSENT_I64);
    row_begin(rows, table);
    row_int(rows, record->begin_ns);
    row_int(rows, record->end_ns);
    row_int(rows, event);
    row_int(rows, number_of(kind, record, RANGE, STRING_IDS_NONE));
    row_int(rows, category == STROBE_ABSENT_I64 || !is_known(record) ? STRING_IDS_NONE : category);
    row_int(rows, string_ids_of(db->strings, STRING_DEVICE, record->name));
    row_int(rows, tid);
    row_int(rows, number_of(kind, record, END_THREAD, tid));
    row_int(rows, string_ids_of(db->strings, STRING_DEVICE,
                                strobe_field_u32(record, kind->known[DOMAIN], 0)));
    row_int(rows, number_of(kind, record, CONNECTION, STRING_IDS_NONE));
    db_row_done(db, rows);
}
