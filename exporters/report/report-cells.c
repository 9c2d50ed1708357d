/* SPDX-License-Identifier: Apache-2.0 */
#include "report-cells.h"

#include <math.h>
#include <page-escape.h>
#include <string.h>

#define FRAMES_SHOWN 12u /* maximum number of frames of a stack in a table */

static ReportCell make_signed(guint32 type, gint64 value, gint64 absent)
{
    return (ReportCell){.type = value == absent ? 0 : type, .i = value};
}

static ReportCell make_unsigned(guint32 type, guint64 value, guint64 absent)
{
    return (ReportCell){.type = value == absent ? 0 : type, .u = value};
}

ReportCell report_cell_read(const StrobeView *record, const StrobeFieldView *field)
{
    guint32 type = field->type, at = field->offset;
    double number;

    switch (type) {
    case STROBE_FIELD_I32:
        return make_signed(STROBE_FIELD_I64, (gint32)strobe_view_u32(record, at),
                           STROBE_ABSENT_I32);
    case STROBE_FIELD_I64:
        return make_signed(type, strobe_view_i64(record, at), STROBE_ABSENT_I64);
    case STROBE_FIELD_U8:
        return (ReportCell){.type = STROBE_FIELD_U64, .u = strobe_view_u8(record, at)};
    case STROBE_FIELD_BOOL:
        return (ReportCell){.type = type, .u = strobe_view_u8(record, at)};
    case STROBE_FIELD_U32:
        return make_unsigned(STROBE_FIELD_U64, strobe_view_u32(record, at), STROBE_ABSENT_U32);
    case STROBE_FIELD_U64:
    case STROBE_FIELD_LINK:
        return make_unsigned(STROBE_FIELD_U64, strobe_view_u64(record, at), STROBE_ABSENT_U64);
    case STROBE_FIELD_F64:
        number = strobe_view_f64(record, at);
        return (ReportCell){.type = isfinite(number) ? type : 0, .d = number};
    case STROBE_FIELD_STRING:
    case STROBE_FIELD_STACK:
    case STROBE_FIELD_TRACK:
        return (ReportCell){.type = strobe_view_u32(record, at) ? type : 0,
                            .id = strobe_view_u32(record, at)};
    default:
        return (ReportCell){0};
    }
}

gboolean report_cell_number(const ReportCell *cell, double *number)
{
    switch (cell->type) {
    case STROBE_FIELD_I64:
        *number = (double)cell->i;
        return TRUE;
    case STROBE_FIELD_U64:
        *number = (double)cell->u;
        return TRUE;
    case STROBE_FIELD_F64:
        *number = cell->d;
        return TRUE;
    default:
        return FALSE;
    }
}

/* Returns the length to which the text is cut: at most `most`, and never inside a character. */
static gsize cut_length(StrobeText text, gsize most)
{
    gsize length = MIN(text.length, most);

    while (length < text.length && length > 0 && ((guchar)text.bytes[length] & 0xc0) == 0x80)
        length--;
    return length;
}

guint report_limit(const ReportSource *source, guint most)
{
    return most >> source->budget->n_halvings;
}

gboolean report_has_texts(const ReportSource *source)
{
    return source->budget->text_bytes < report_limit(source, REPORT_TEXTS_MAX);
}

void report_write_text(const ReportSource *source, StrobeText text, StrobeJsonWriter *json)
{
    gsize length = cut_length(text, report_has_texts(source) ? REPORT_TEXT_MAX : 0);

    source->budget->text_bytes += page_escaped_length(text.bytes, length);

    strobe_json_string_begin(json);
    strobe_json_string_part(json, text.bytes, length);
    if (length < text.length)
        strobe_json_string_part(json, "\u2026", strlen("\u2026"));
    strobe_json_string_end(json);
}

static void write_stack(const ReportSource *source, StrobeStackId stack, StrobeJsonWriter *json)
{
    const StrobeStringId *frames = NULL;
    gsize n = source->host->stack_frames(source->self, stack, &frames);

    strobe_json_begin_array(json);
    for (gsize i = 0; i < MIN(n, FRAMES_SHOWN); i++)
        report_write_text(source, source->host->string(source->self, frames[i]), json);
    strobe_json_end_array(json);
}

static void write_track(const ReportSource *source, StrobeTrackId id, StrobeJsonWriter *json)
{
    const StrobeTrackView *track = source->host->track(source->self, id);

    strobe_json_string(json, track ? track->name : "");
}

void report_cell_write(const ReportCell *cell, const ReportSource *source, StrobeJsonWriter *json)
{
    switch (cell->type) {
    case STROBE_FIELD_I64:
        strobe_json_int(json, cell->i);
        break;
    case STROBE_FIELD_U64:
        strobe_json_uint(json, cell->u);
        break;
    case STROBE_FIELD_BOOL:
        strobe_json_bool(json, cell->u != 0);
        break;
    case STROBE_FIELD_F64:
        strobe_json_double(json, cell->d);
        break;
    case STROBE_FIELD_STRING:
        report_write_text(source, source->host->string(source->self, cell->id), json);
        break;
    case STROBE_FIELD_STACK:
        write_stack(source, cell->id, json);
        break;
    case STROBE_FIELD_TRACK:
        write_track(source, cell->id, json);
        break;
    default:
        strobe_json_null(json);
    }
}
