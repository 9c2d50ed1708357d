/* SPDX-License-Identifier: Apache-2.0 */
#include "blocks.h"

#include <string.h>
#include <strobe/helpers/cell-number.h>
#include <strobe/helpers/csv-scanner.h>

#define GE_PREFIX "cann::"
#define NOWHERE G_MAXUINT

enum {
    NAME,
    SIZE,
    ALLOCATION,
    RELEASE,
    ACTIVE_RELEASE,
    ALLOCATION_ALLOCATED,
    ALLOCATION_RESERVED,
    ALLOCATION_ACTIVE,
    RELEASE_ALLOCATED,
    RELEASE_RESERVED,
    RELEASE_ACTIVE,
    STREAM,
    DEVICE,
    COLUMNS
};

/* Fields of the kind memory_block. Their titles are in formats/. */
static const char *const fields[COLUMNS] = {
    STROBE_COLUMN_NAME,
    "size",
    STROBE_COLUMN_BEGIN,
    "release_time",
    "active_release_time",
    "allocation_allocated",
    "allocation_reserved",
    "allocation_active",
    "release_allocated",
    "release_reserved",
    "release_active",
    "stream",
    "device",
};

typedef struct Place {
    gint64 time_ns;
    guint64 offset; /* offset of the row in the file */
    guint32 row;    /* number of the row */
    gint16 device;
    /* is_ge: additionally has the flag TAKEN when the event has been taken */
    guint8 action, is_ge;
} Place;

#define TAKEN 0x80u

struct Blocks {
    Import *import;
    const char *file;
    StrobeCsvScanner *scanner;
    guint n_columns, at[COLUMNS];
    const StrobeColumn *forms[COLUMNS];
    GArray *places; /* elements of type Place, sorted */
    guint next;
    guint64 n_rows;
};

static void report_damage(Blocks *b, const char *reason)
{
    import_damage(b->import, b->file, "row", strobe_csv_scanner_row(b->scanner), reason);
}

static const AscendFile *find_file(void)
{
    for (guint32 i = 0; i < n_ascend_files; i++)
        if (!strcmp(ascend_files[i].kind, "memory_block"))
            return &ascend_files[i];
    g_assert_not_reached();
}

static gboolean take_header(Blocks *b)
{
    const StrobeCsvCell *cells;
    gsize n;

    if (strobe_csv_scanner_next(b->scanner, &cells, &n) != STROBE_CSV_ROW)
        return FALSE;
    b->n_columns = (guint)n;
    for (guint i = 0; i < COLUMNS; i++)
        b->at[i] = NOWHERE;
    for (guint i = 0; i < n; i++) {
        const AscendColumn *row = ascend_file_column(find_file(), cells[i].bytes, cells[i].length);

        if (!row)
            b->import->host->unknown(b->import->self, b->file, cells[i].bytes, 0);
        for (guint k = 0; row && k < COLUMNS; k++)
            if (!strcmp(fields[k], row->column.field)) {
                b->at[k] = i;
                b->forms[k] = &row->column;
            }
    }
    return b->at[NAME] != NOWHERE && b->at[ALLOCATION] != NOWHERE;
}

/* Sets `number` to the number in a cell. Returns FALSE if the cell is empty or there is no such
 * column. Reports a cell that is not a number, and returns FALSE. */
static gboolean read_cell(Blocks *b, const StrobeCsvCell *cells, guint which, gint64 *number)
{
    const StrobeCsvCell *cell = b->at[which] == NOWHERE ? NULL : &cells[b->at[which]];
    StrobeCellValue value;

    *number = STROBE_ABSENT_I64;
    if (!cell)
        return FALSE;
    if (strobe_cell_read(b->forms[which], cell->bytes, cell->length, &value) ||
        strobe_cell_store(&value, STROBE_FIELD_I64, number)) {
        report_damage(b, b->forms[which]->title);
        return FALSE;
    }
    return value.type != STROBE_CELL_ABSENT;
}

static void take_row(Blocks *b, const StrobeCsvCell *cells)
{
    static const guint columns[] = {ALLOCATION, RELEASE, ACTIVE_RELEASE};
    Place place = {.offset = strobe_csv_scanner_place(b->scanner),
                   .row = (guint32)b->n_rows,
                   .is_ge = g_str_has_prefix(cells[b->at[NAME]].bytes, GE_PREFIX)};
    gint64 device;

    if (!read_cell(b, cells, ALLOCATION, &place.time_ns)) {
        report_damage(b, "Allocation Time(us) is not a time");
        return;
    }
    read_cell(b, cells, DEVICE, &device);
    place.device = (gint16)CLAMP(device, -1, G_MAXINT16);
    for (guint i = 0; i < G_N_ELEMENTS(columns); i++) {
        place.action = (guint8)i;
        if (read_cell(b, cells, columns[i], &place.time_ns))
            g_array_append_val(b->places, place);
    }
    b->n_rows++;
}

static gint compare_places(gconstpointer a, gconstpointer b)
{
    const Place *x = a, *y = b;

    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    return x->action - y->action;
}

Blocks *blocks_new(Import *import, int descriptor, const char *file)
{
    Blocks *b = g_new0(Blocks, 1);
    const StrobeCsvCell *cells;
    gsize n;
    int status;

    b->import = import;
    b->file = file;
    b->scanner = strobe_csv_scanner_new(descriptor);
    b->places = g_array_new(FALSE, FALSE, sizeof(Place));
    if (!take_header(b)) {
        import_damage(import, file, "row", 1,
                      "expected a header with Name and Allocation Time(us)");
        blocks_free(b);
        return NULL;
    }
    while ((status = strobe_csv_scanner_next(b->scanner, &cells, &n)) && status != STROBE_CSV_IO) {
        if (status == STROBE_CSV_DAMAGED)
            report_damage(b, strobe_csv_scanner_error(b->scanner));
        else if (n != b->n_columns)
            report_damage(b, "another number of cells than the header has");
        else
            take_row(b, cells);
    }
    g_array_sort(b->places, compare_places);
    return b;
}

void blocks_free(Blocks *b)
{
    if (!b)
        return;
    strobe_csv_scanner_free(b->scanner);
    g_array_unref(b->places);
    g_free(b);
}

guint64 blocks_n_rows(const Blocks *b)
{
    return b->n_rows;
}

/* ---- events ---- */

static void read_totals(Blocks *b, const StrobeCsvCell *cells, guint first, BlockEvent *event)
{
    read_cell(b, cells, first, &event->allocated);
    read_cell(b, cells, first + 1, &event->reserved);
    read_cell(b, cells, first + 2, &event->active);
}

static void read_event(Blocks *b, const Place *place, const StrobeCsvCell *cells, BlockEvent *event)
{
    const char *name = cells[b->at[NAME]].bytes;
    gint64 stream, other;

    *event = (BlockEvent){.time_ns = place->time_ns,
                          .allocated = STROBE_ABSENT_I64,
                          .reserved = STROBE_ABSENT_I64,
                          .active = STROBE_ABSENT_I64,
                          .number = (guint64)place->row + 1,
                          .action = place->action,
                          .device = place->device,
                          .is_ge = place->is_ge & ~TAKEN};
    read_cell(b, cells, SIZE, &event->size);
    if (event->size != STROBE_ABSENT_I64 && place->action != BLOCK_ALLOCATION)
        event->size = -event->size;
    event->stream = read_cell(b, cells, STREAM, &stream) ? (guint64)stream : STROBE_ABSENT_U64;
    event->name = text_import_intern(b->import, event->is_ge ? name + strlen(GE_PREFIX) : name);
    if (place->action == BLOCK_ALLOCATION)
        read_totals(b, cells, ALLOCATION_ALLOCATED, event);
    else if (place->action == BLOCK_RELEASE || !read_cell(b, cells, RELEASE, &other))
        /* the row has only a release, so the totals belong to this release */
        read_totals(b, cells, RELEASE_ALLOCATED, event);
}

static gboolean take_event(Blocks *b, Place *place, BlockEvent *event)
{
    const StrobeCsvCell *cells;
    gsize n;

    place->is_ge |= TAKEN;
    if (strobe_csv_scanner_go(b->scanner, place->offset) ||
        strobe_csv_scanner_next(b->scanner, &cells, &n) != STROBE_CSV_ROW || n != b->n_columns)
        return FALSE;
    read_event(b, place, cells, event);
    return TRUE;
}

static guint lower_bound(const Blocks *b, gint64 time_ns)
{
    guint low = 0, high = b->places->len;

    while (low < high) {
        guint middle = low + (high - low) / 2;

        if (g_array_index(b->places, Place, middle).time_ns < time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

gboolean blocks_take(Blocks *b, gboolean is_ge, gint32 device, gint64 time_ns, BlockEvent *event)
{
    if (!b)
        return FALSE;
    for (guint i = lower_bound(b, time_ns); i < b->places->len; i++) {
        Place *place = &g_array_index(b->places, Place, i);

        if (place->time_ns != time_ns)
            break;
        if (place->is_ge == (is_ge ? 1 : 0) && place->device == device)
            return take_event(b, place, event);
    }
    return FALSE;
}

gboolean blocks_next(Blocks *b, BlockEvent *event)
{
    while (b && b->next < b->places->len) {
        Place *place = &g_array_index(b->places, Place, b->next++);

        if (!(place->is_ge & TAKEN) && take_event(b, place, event))
            return TRUE;
    }
    return FALSE;
}
