/* SPDX-License-Identifier: Apache-2.0 */
#include "row-cells.h"

#include <errno.h>
#include <math.h>
#include <strobe/helpers/fields.h>

/* The position in a row's text. It is a local variable that stays in the processor's registers.
 * Functions that are not inlined write through CsvCells: pen_leave copies the position to the
 * CsvCells, and pen_take copies the new position back. */

typedef struct Pen {
    char *at;
    /* number of cells so far. This member separates the two pointers: if they were adjacent,
     * compilers would load and store them together through one vector register */
    guint n;
    const char *end; /* end of the writable range */
} Pen;

static inline void pen_take(Pen *pen, const RowSources *row, CsvCells *cells)
{
    pen->at = csv_cells_reserve(cells, row->room);
    pen->end = cells->bytes + cells->size;
    pen->n = cells->n;
}

static inline void pen_leave(const Pen *pen, CsvCells *cells)
{
    csv_cells_end(cells, pen->at);
    cells->n = pen->n;
}

static inline void pen_separate(Pen *pen)
{
    *pen->at = ',';
    pen->at += pen->n++ != 0;
}

static inline void mark_column(const RowSources *row, const Source *source)
{
    if (G_UNLIKELY(source->is_optional))
        csv_file_mark(row->file, source->column);
}

static inline void put_absent(Pen *pen, const Source *source)
{
    pen_separate(pen);
    memcpy(pen->at, source->absent, ABSENT_SIZE);
    pen->at += source->n_absent;
}

/* Writes a name with the prefix of the entry. */
static void put_prefixed(const RowSources *row, CsvContext *context, CsvCells *cells, guint32 id)
{
    StrobeText name = context->host->string(context->self, id);
    g_autofree char *valid = g_utf8_make_valid(name.bytes, (gssize)name.length);
    g_autofree char *text = g_strconcat(row->entry->name_prefix, valid, NULL);

    csv_cells_text(cells, text, strlen(text));
}

static void put_metrics(const RowSources *row, CsvContext *context, CsvCells *cells,
                        const StrobeView *record)
{
    guint32 id = strobe_field_u32(record, row->metrics_offset, 0);

    metric_columns_write(row->metrics, cells, record, id, context->host->string(context->self, id),
                         row->values, row->n_values);
}

/* Writes the cell with the SDK's functions for tables. */
static int put_driven(const RowSources *row, CsvContext *context, CsvCells *cells,
                      const Source *source, const StrobeView *record)
{
    StrobeCell *cell = &context->cell;

    if (strobe_table_cell(context->host, context->self, &row->columns[source - row->sources],
                          source->place, record, cell))
        return ENOMEM;
    if (cell->is_empty)
        csv_cells_put(cells, cell->bytes, cell->length);
    else if (row->escapes && !cell->is_number)
        csv_cells_escaped(cells, cell->bytes, cell->length);
    else
        csv_cells_text(cells, cell->bytes, cell->length);
    if (!cell->is_empty)
        mark_column(row, source);
    return 0;
}

static int put_other(const RowSources *row, CsvContext *context, CsvCells *cells,
                     const Source *source, const StrobeView *record)
{
    switch (source->type) {
    case SOURCE_PREFIXED:
        put_prefixed(row, context, cells, record->name);
        return 0;
    case SOURCE_METRICS:
        put_metrics(row, context, cells, record);
        return 0;
    default:
        return put_driven(row, context, cells, source, record);
    }
}

static inline gboolean is_escaped(const RowSources *row, const CachedCell *cell)
{
    return row->escapes && cell->is_formula;
}

/* Writes the cell with an apostrophe before its text. If the cell has quotes, the apostrophe comes
 * after the first of them. */
static char *put_apostrophe(char *at, const CachedCell *cell)
{
    const gsize n = cell->bytes[0] == '"';

    memcpy(at, cell->bytes, n);
    at[n] = '\'';
    csv_cells_copy_padded(at + n + 1, cell->bytes + n, cell->length - n);
    return at + cell->length + 1;
}

/* Writes a text or a stack that is not in the cache, is too long for the reserved room, or must be
 * escaped. */
static int put_text(Pen *pen, const RowSources *row, CsvContext *context, CsvCells *cells,
                    const Source *source, guint32 id, const StrobeView *record)
{
    const CachedCell *cell = cell_cache_find(context->cache, source->cache, id);

    if (!cell)
        cell = cell_cache_make(context->cache, source->cache, id,
                               &row->columns[source - row->sources], source->place, record);
    if (!cell)
        return ENOMEM;
    pen_leave(pen, cells);
    csv_cells_reserve(cells, cell->length + 1 + row->room);
    pen_take(pen, row, cells);
    pen_separate(pen);
    if (is_escaped(row, cell)) {
        pen->at = put_apostrophe(pen->at, cell);
        return 0;
    }
    csv_cells_copy_padded(pen->at, cell->bytes, cell->length);
    pen->at += cell->length;
    return 0;
}

/* If the text is one of the two forms of `word`, writes the form that files of the generation
 * context->generation have. Returns FALSE if the text is neither form of `word`. */
static gboolean put_word(CsvContext *context, CsvCells *cells, const AscendWord *word, guint32 id)
{
    const gboolean is_older = (word->generations & ascend_generation_bit(context->generation)) != 0;
    const char *text = is_older ? word->older : word->newer;

    if (!csv_context_has_text(context, id, word->older) &&
        !csv_context_has_text(context, id, word->newer))
        return FALSE;
    csv_cells_put(cells, text, strlen(text));
    return TRUE;
}

static int put_named(Pen *pen, const RowSources *row, CsvContext *context, CsvCells *cells,
                     const Source *source, const StrobeView *record)
{
    const guint32 id = strobe_view_u32(record, source->offset);
    gboolean is_put;

    if (!id) {
        put_absent(pen, source);
        return 0;
    }
    mark_column(row, source);
    pen_leave(pen, cells);
    is_put = put_word(context, cells, source->word, id);
    pen_take(pen, row, cells);
    return is_put ? 0 : put_text(pen, row, context, cells, source, id, record);
}

/* Writes a cell from a source that row_cells_compose does not handle. Writes numbers directly if
 * their form allows it. */
static int put_elsewhere(Pen *pen, const RowSources *row, CsvContext *context, CsvCells *cells,
                         const Source *source, const StrobeView *record)
{
    char *place = pen->at + (pen->n != 0);
    int error, length = -1;

    if (source->type == SOURCE_WORD)
        return put_named(pen, row, context, cells, source, record);
    if (source->type == SOURCE_OTHER) {
        *pen->at = ',';
        length =
            strobe_table_number(context->host, context->self, &row->columns[source - row->sources],
                                source->place, record, place);
    }
    if (length > 0) {
        pen->at = place + length;
        pen->n++;
        mark_column(row, source);
        return 0;
    }
    pen_leave(pen, cells);
    error = put_other(row, context, cells, source, record);
    pen_take(pen, row, cells);
    return error;
}

/* Reads an integer. For u32, i32 and i64 an absent value becomes STROBE_ABSENT_I64. For
 * u64 and a track the bits of the value are returned, also those of STROBE_ABSENT_U64. */
static inline gint64 whole_value(const Source *source, CsvContext *context,
                                 const StrobeView *record)
{
    const StrobeTrackView *track;
    guint32 small;

    switch (source->type) {
    case SOURCE_U8:
        return strobe_view_u8(record, source->offset);
    case SOURCE_U32:
        small = strobe_view_u32(record, source->offset);
        return small == STROBE_ABSENT_U32 ? STROBE_ABSENT_I64 : (gint64)small;
    case SOURCE_I32:
        small = strobe_view_u32(record, source->offset);
        return (gint32)small == STROBE_ABSENT_I32 ? STROBE_ABSENT_I64 : (gint64)(gint32)small;
    case SOURCE_U64:
    case SOURCE_I64:
        return strobe_view_i64(record, source->offset);
    case SOURCE_BEGIN:
        return record->begin_ns;
    case SOURCE_DURATION:
        return record->end_ns - record->begin_ns;
    default:
        track = record->track ? context->host->track(context->self, record->track) : NULL;
        return (gint64)(track ? track->number : STROBE_ABSENT_U64);
    }
}

static inline gsize format_whole(char *out, guint32 form, gint64 value)
{
    gsize length;

    switch (form) {
    case STROBE_CELL_US_TAB:
        length = strobe_format_us_fixed(out, value);
        out[length] = '\t';
        return length + 1;
    case STROBE_CELL_US_REPR:
        return strobe_format_us_repr(out, value);
    case STROBE_CELL_KB:
        return strobe_format_binary(out, value, 10);
    case STROBE_CELL_MB:
        return strobe_format_binary(out, value, 20);
    case STROBE_CELL_DEVICE:
        if (value < 0) {
            memcpy(out, "CPU", 3);
            return 3;
        }
        memcpy(out, "NPU:", 4);
        return 4 + strobe_format_int(out + 4, value);
    default:
        return value < 0 ? strobe_format_int(out, value)
                         : strobe_format_digits(out, (guint64)value);
    }
}

/* Writes an unsigned number of 64 bits; STROBE_ABSENT_U64 is written as an absent value. */
static inline void put_large(Pen *pen, const RowSources *row, const Source *source, guint64 value)
{
    if (value == STROBE_ABSENT_U64) {
        put_absent(pen, source);
        return;
    }
    pen_separate(pen);
    pen->at += strobe_format_digits(pen->at, value);
    mark_column(row, source);
}

static inline void put_whole(Pen *pen, const RowSources *row, const Source *source, gint64 value)
{
    if (value == STROBE_ABSENT_I64) {
        put_absent(pen, source);
        return;
    }
    pen_separate(pen);
    pen->at += format_whole(pen->at, source->form, value);
    mark_column(row, source);
}

static inline void put_real(Pen *pen, const RowSources *row, const Source *source, double value)
{
    if (isnan(value)) {
        put_absent(pen, source);
        return;
    }
    pen_separate(pen);
    pen->at += strobe_format_double(pen->at, value);
    mark_column(row, source);
}

/* Calls put_elsewhere with a copy of the pen. As only the copy's address is taken, the pen itself
 * stays in registers. */
static inline int put_apart(Pen *pen, const RowSources *row, CsvContext *context, CsvCells *cells,
                            const Source *source, const StrobeView *record)
{
    Pen other = *pen;
    int error = put_elsewhere(&other, row, context, cells, source, record);

    *pen = other;
    return error;
}

static inline int put_cached(Pen *pen, const RowSources *row, CsvContext *context, CsvCells *cells,
                             const Source *source, guint32 id, const StrobeView *record)
{
    const CachedCell *cell = cell_cache_find(context->cache, source->cache, id);

    if (!id) {
        put_absent(pen, source);
        return 0;
    }
    mark_column(row, source);
    if (G_UNLIKELY(!cell || is_escaped(row, cell) ||
                   (gsize)(pen->end - pen->at) < cell->length + row->room)) {
        Pen other = *pen;
        int error = put_text(&other, row, context, cells, source, id, record);

        *pen = other;
        return error;
    }
    pen_separate(pen);
    csv_cells_copy_padded(pen->at, cell->bytes, cell->length);
    pen->at += cell->length;
    return 0;
}

static inline int put_cell(Pen *pen, const RowSources *row, CsvContext *context, CsvCells *cells,
                           const Source *source, const StrobeView *record)
{
    switch (source->type) {
    case SOURCE_U8:
    case SOURCE_U32:
    case SOURCE_I32:
    case SOURCE_I64:
    case SOURCE_BEGIN:
    case SOURCE_DURATION:
        put_whole(pen, row, source, whole_value(source, context, record));
        return 0;
    case SOURCE_U64:
    case SOURCE_TRACK:
        put_large(pen, row, source, (guint64)whole_value(source, context, record));
        return 0;
    case SOURCE_F64:
        put_real(pen, row, source, strobe_view_f64(record, source->offset));
        return 0;
    case SOURCE_NAME:
    case SOURCE_TEXT:
        return put_cached(pen, row, context, cells, source,
                          source->type == SOURCE_NAME ? record->name
                                                      : strobe_view_u32(record, source->offset),
                          record);
    default:
        return put_apart(pen, row, context, cells, source, record);
    }
}

int row_cells_compose(const RowSources *row, CsvContext *context, CsvCells *cells,
                      const StrobeView *record)
{
    const Source *end = row->sources + row->n_columns;
    int error = 0;
    Pen pen;

    pen_take(&pen, row, cells);
    for (const Source *source = row->sources; source < end && !error; source++)
        error = put_cell(&pen, row, context, cells, source, record);
    pen_leave(&pen, cells);
    return error;
}
