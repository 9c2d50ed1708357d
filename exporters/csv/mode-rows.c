/* SPDX-License-Identifier: Apache-2.0 */
#include "mode-rows.h"

#include <math.h>
#include <strobe/helpers/cell-number.h>
#include <strobe/helpers/fields.h>

#define DEVICES_MAX 4096u

/* Statistics of the samples of one field. */
typedef struct Samples {
    double min, max, sum;
    guint64 n;
} Samples;

typedef struct ModeSums {
    Samples min, max, avg;
} ModeSums;

/* A device. Its sums, one for each mode, begin at the index `first` of ModeRows.sums. */
typedef struct DeviceSums {
    gint32 device;
    guint first;
} DeviceSums;

struct ModeRows {
    CsvFile *file;
    const AscendFile *entry;
    const StrobeColumn *columns;
    guint32 n_columns;
    GArray *devices; /* elements of type DeviceSums */
    GArray *sums;    /* elements of type ModeSums */
};

ModeRows *mode_rows_new(CsvFile *file, const AscendFile *entry, const StrobeColumn *columns,
                        guint32 n)
{
    ModeRows *rows = g_new0(ModeRows, 1);

    rows->file = file;
    rows->entry = entry;
    rows->columns = columns;
    rows->n_columns = n;
    rows->devices = g_array_new(FALSE, FALSE, sizeof(DeviceSums));
    rows->sums = g_array_new(FALSE, TRUE, sizeof(ModeSums));
    return rows;
}

void mode_rows_free(ModeRows *rows)
{
    if (!rows)
        return;
    g_array_unref(rows->devices);
    g_array_unref(rows->sums);
    g_free(rows);
}

static double field_of(const StrobeView *record, const char *name)
{
    return strobe_field_f64(record, strobe_field_offset(record->kind, name, STROBE_FIELD_F64), NAN);
}

static void add_sample(Samples *samples, double value)
{
    if (isnan(value))
        return;
    samples->min = samples->n ? MIN(samples->min, value) : value;
    samples->max = samples->n ? MAX(samples->max, value) : value;
    samples->sum += value;
    samples->n++;
}

/* Returns the entry of a device, and adds it if necessary. Returns NULL if there are too many
 * devices. */
static const DeviceSums *find_device(ModeRows *rows, gint32 device)
{
    DeviceSums added = {device, rows->sums->len};

    for (guint i = 0; i < rows->devices->len; i++)
        if (g_array_index(rows->devices, DeviceSums, i).device == device)
            return &g_array_index(rows->devices, DeviceSums, i);
    if (rows->devices->len == DEVICES_MAX)
        return NULL;
    g_array_append_val(rows->devices, added);
    g_array_set_size(rows->sums, rows->sums->len + rows->entry->n_modes);
    return &g_array_index(rows->devices, DeviceSums, rows->devices->len - 1);
}

void mode_rows_add(ModeRows *rows, const StrobeView *record)
{
    const AscendMode *modes = rows->entry->modes;
    guint32 at = strobe_field_offset(record->kind, "device", STROBE_FIELD_I32);
    const DeviceSums *device;

    if (modes[0].how == ASCEND_MODE_MEANS &&
        field_of(record, modes[0].max) < field_of(record, modes[0].min))
        return;
    device = find_device(rows, strobe_field_i32(record, at, -1));
    for (guint32 i = 0; device && i < rows->entry->n_modes; i++) {
        ModeSums *sums = &g_array_index(rows->sums, ModeSums, device->first + i);

        add_sample(&sums->min, field_of(record, modes[i].min));
        add_sample(&sums->max, field_of(record, modes[i].max));
        add_sample(&sums->avg, field_of(record, modes[i].avg));
    }
}

/* ---- rows ---- */

static double mean_of(const Samples *samples)
{
    return samples->n ? samples->sum / (double)samples->n : NAN;
}

static double value_of(const AscendMode *mode, const ModeSums *sums, const char *field)
{
    gboolean means = mode->how == ASCEND_MODE_MEANS;

    if (!strcmp(field, ASCEND_FIELD_MIN))
        return means || !sums->min.n ? mean_of(&sums->min) : sums->min.min;
    if (!strcmp(field, ASCEND_FIELD_MAX))
        return means || !sums->max.n ? mean_of(&sums->max) : sums->max.max;
    return mean_of(&sums->avg);
}

static void write_cell(CsvCells *cells, const StrobeColumn *column, const DeviceSums *device,
                       const AscendMode *mode, const ModeSums *sums)
{
    char text[STROBE_NUMBER_MAX];
    double value;

    if (!strcmp(column->field, ASCEND_FIELD_MODE)) {
        csv_cells_text(cells, mode->title, strlen(mode->title));
        return;
    }
    if (!strcmp(column->field, "device")) {
        csv_cells_put(cells, text, strobe_format_int(text, device->device));
        return;
    }
    value = value_of(mode, sums, column->field);
    if (isnan(value))
        csv_cells_put(cells, "", 0);
    else
        csv_cells_put(cells, text, strobe_format_fixed(text, value / mode->unit, 3));
}

static gint compare_devices(gconstpointer a, gconstpointer b)
{
    const DeviceSums *x = a, *y = b;

    return (x->device > y->device) - (x->device < y->device);
}

int mode_rows_end(ModeRows *rows)
{
    int error = 0;

    g_array_sort(rows->devices, compare_devices);
    for (guint i = 0; i < rows->devices->len; i++) {
        const DeviceSums *device = &g_array_index(rows->devices, DeviceSums, i);

        for (guint32 mode = 0; mode < rows->entry->n_modes && !error; mode++) {
            const ModeSums *sums = &g_array_index(rows->sums, ModeSums, device->first + mode);
            CsvCells *cells = csv_file_begin_row(rows->file);

            for (guint32 at = 0; at < rows->n_columns; at++)
                write_cell(cells, &rows->columns[at], device, &rows->entry->modes[mode], sums);
            error = csv_file_end_row(rows->file, (StrobeSortKey){0, 0});
        }
    }
    return error;
}
