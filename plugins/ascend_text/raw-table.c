/* SPDX-License-Identifier: Apache-2.0 */
#include "raw-table.h"

#include <string.h>
#include <strobe/helpers/cell-number.h>

typedef struct Target {
    const StrobeColumn *column; /* NULL: not known */
    guint32 offset, type;       /* of the kind's field; type 0: a source of its own */
} Target;

typedef struct RawTable {
    const StrobeImporterHost *host;
    StrobeInstance *self;
    const AscendFile *file;
    const StrobeKind *kind;
    const Kernels *kernels;
    StrobeKindId id;
    guint64 pid, n_rows;
    gint device;
    StrobeCsvScanner *scanner;
    GArray *targets; /* of Target, by column */
    gint name_at, begin_at, stream_at, task_at, device_at;
    gboolean is_full;
} RawTable;

static void report(RawTable *t, const char *reason)
{
    g_autofree char *place = g_strdup_printf("%s, row %" G_GUINT64_FORMAT, t->file->file,
                                             strobe_csv_scanner_row(t->scanner));

    t->host->damage(t->self, place, reason);
}

static void remember_place(RawTable *t, const char *field, gint at)
{
    if (!strcmp(field, STROBE_COLUMN_NAME))
        t->name_at = at;
    else if (!strcmp(field, STROBE_COLUMN_BEGIN))
        t->begin_at = at;
    else if (!strcmp(field, "stream"))
        t->stream_at = at;
    else if (!strcmp(field, "task_id"))
        t->task_at = at;
    else if (!strcmp(field, "device") || !strcmp(field, STROBE_COLUMN_DEVICE))
        t->device_at = at;
}

static void take_title(RawTable *t, const StrobeCsvCell *cell, gint at)
{
    const AscendColumn *row = ascend_file_column(t->file, cell->bytes, cell->length);
    Target target = {0};

    if (row) {
        target.column = &row->column;
        remember_place(t, row->column.field, at);
        for (guint32 i = 0; i < t->kind->n_fields; i++)
            if (!strcmp(t->kind->fields[i].name, row->column.field)) {
                target.offset = strobe_kind_offset(t->kind, i);
                target.type = t->kind->fields[i].type;
            }
    } else {
        t->host->unknown(t->self, t->file->file, cell->bytes, 0);
    }
    g_array_append_val(t->targets, target);
}

static gint64 read_number(RawTable *t, const StrobeCsvCell *cells, gint at, gint64 otherwise)
{
    StrobeCellValue value;

    if (at < 0 ||
        strobe_cell_read(g_array_index(t->targets, Target, at).column, cells[at].bytes,
                         cells[at].length, &value) ||
        value.type != STROBE_CELL_WHOLE)
        return otherwise;
    return value.whole;
}

/* FALSE when the row says no time and no kernel does it for it. */
static gboolean find_times(RawTable *t, const StrobeCsvCell *cells, gint64 *begin, gint64 *end)
{
    gint64 stream, task;

    if (t->begin_at >= 0) {
        const StrobeCsvCell *cell = &cells[t->begin_at];

        if (strobe_read_us(cell->bytes, cell->length, begin, NULL))
            return FALSE;
        *end = *begin;
        return TRUE;
    }
    stream = read_number(t, cells, t->stream_at, -1);
    task = read_number(t, cells, t->task_at, -1);
    return t->kernels && stream >= 0 && task >= 0 && stream <= G_MAXUINT32 && task <= G_MAXUINT32 &&
           kernels_find(t->kernels, (guint32)stream, (guint32)task, begin, end);
}

static void take_cell(RawTable *t, const Target *target, const StrobeCsvCell *cell, void *fields)
{
    StrobeCellValue value;
    StrobeStringId id;

    if (target->type == STROBE_FIELD_STRING) {
        id = cell->length ? t->host->intern(t->self, cell->bytes, cell->length) : 0;
        memcpy((char *)fields + target->offset, &id, sizeof id);
    } else if (strobe_cell_read(target->column, cell->bytes, cell->length, &value) ||
               strobe_cell_store(&value, target->type, (char *)fields + target->offset)) {
        report(t, target->column->title);
    }
}

static StrobeStringId name_of(RawTable *t, const StrobeCsvCell *cells)
{
    const StrobeCsvCell *cell = t->name_at >= 0 ? &cells[t->name_at] : NULL;
    const char *absent = cell ? g_array_index(t->targets, Target, t->name_at).column->absent : NULL;

    if (!cell || (absent && !strcmp(absent, cell->bytes)))
        return 0;
    return t->host->intern(t->self, cell->bytes, cell->length);
}

static void take_row(RawTable *t, const StrobeCsvCell *cells, gsize n)
{
    gint64 begin, end, device;
    void *fields;

    if (n != t->targets->len) {
        report(t, "another number of cells than the header has");
        return;
    }
    if (!find_times(t, cells, &begin, &end)) {
        report(t, "no time, and no kernel of its stream and task");
        return;
    }
    device = read_number(t, cells, t->device_at, t->device);
    const StrobeTrack track = {.struct_size = sizeof track,
                               .type =
                                   t->stream_at >= 0 ? STROBE_TRACK_STREAM : STROBE_TRACK_COUNTER,
                               .device = (gint32)CLAMP(device, -1, G_MAXINT32),
                               .id = (guint64)read_number(t, cells, t->stream_at, 0),
                               .group = t->file->kind};
    fields = t->host->emit(t->self, t->id, t->host->track(t->self, &track, t->pid),
                           name_of(t, cells), begin, end);
    t->is_full = !fields;
    for (guint i = 0; fields && i < t->targets->len; i++) {
        const Target *target = &g_array_index(t->targets, Target, i);

        if (target->column && target->type)
            take_cell(t, target, &cells[i], fields);
    }
    t->n_rows++;
}

static void read_rows(RawTable *t)
{
    const StrobeCsvCell *cells;
    gsize n;
    int status;

    if (strobe_csv_scanner_next(t->scanner, &cells, &n) != STROBE_CSV_ROW)
        return;
    for (gsize i = 0; i < n; i++)
        take_title(t, &cells[i], (gint)i);
    while (!t->is_full && (status = strobe_csv_scanner_next(t->scanner, &cells, &n)) &&
           status != STROBE_CSV_IO) {
        if (status == STROBE_CSV_DAMAGED)
            report(t, strobe_csv_scanner_error(t->scanner));
        else
            take_row(t, cells, n);
    }
}

StrobeStatus raw_table_import(const StrobeImporterHost *host, StrobeInstance *self, int descriptor,
                              const AscendFile *file, const StrobeKind *kind, guint64 pid,
                              gint device, const Kernels *kernels)
{
    RawTable t = {.host = host,
                  .self = self,
                  .file = file,
                  .kind = kind,
                  .kernels = kernels,
                  .pid = pid,
                  .device = device,
                  .name_at = -1,
                  .begin_at = -1,
                  .stream_at = -1,
                  .task_at = -1,
                  .device_at = -1};
    StrobeStatus status = host->kind(self, kind, &t.id);

    if (status)
        return status;
    t.scanner = strobe_csv_scanner_new(descriptor);
    t.targets = g_array_new(FALSE, FALSE, sizeof(Target));
    read_rows(&t);
    host->found(self, file->file, t.n_rows);
    strobe_csv_scanner_free(t.scanner);
    g_array_unref(t.targets);
    if (t.is_full)
        return host->fail(self, STROBE_ERROR_IO, __FILE__, __LINE__, "The capture has no room");
    return STROBE_OK;
}
