/* SPDX-License-Identifier: Apache-2.0 */
#include "report-series.h"

#include <string.h>

#define BINS_MAX 480u
#define BINS_SHARED 16384u /* maximum number of bins of all series together */
#define SERIES_MAX 64u
#define DIGITS "%.6g" /* form of a value; a chart cannot show more digits */
#define FIRST_WIDTH_NS 100000

/* The series that are drawn: a field of a kind, in a group that shares one chart. */
static const struct {
    const char *kind, *field, *group;
    gboolean is_named; /* TRUE: each name of records has its own series */
} drawn[] = {
    {"host_cpu", "usage", "Processor", FALSE},
    {"host_mem", "resident", "Memory", FALSE},
    {"host_pressure", "some", "Pressure", TRUE},
    {"host_disk", "read_rate", "Disk", TRUE},
    {"host_disk", "write_rate", "Disk", TRUE},
    {"host_net", "rx_rate", "Network", TRUE},
    {"host_net", "tx_rate", "Network", TRUE},
    {"memory_event", "total_allocated", "Allocator", FALSE},
    {"memory_event", "total_reserved", "Allocator", FALSE},
    {"memory_usage", "hbm", "Device memory", TRUE},
    {"memory_usage", "ddr", "Device memory", TRUE},
    {"host_cpu", "wait", "Ready, without a processor", FALSE},
    {"host_throttle", "throttled", "Held up by the limit", TRUE},
    {"counter", "value", "Counters", TRUE},
    /* for kernels, the value is their time in each bin */
    {"device_task", "busy", "Devices", FALSE},
};

#define BUSY_PLACE (G_N_ELEMENTS(drawn) - 1)

typedef struct SeriesBin {
    double sum, most;
    guint64 n;
} SeriesBin;

typedef struct OneSeries {
    guint place; /* index in `drawn` */
    StrobeStringId name;
    gint32 device;
    gint64 width_ns;
    char *unit;
    SeriesBin bins[BINS_MAX];
} OneSeries;

struct ReportSeries {
    ReportSource source;
    GPtrArray *all;     /* elements of type OneSeries */
    guint64 n_left_out; /* number of values that belong to further series */
};

static void free_series(gpointer data)
{
    g_free(((OneSeries *)data)->unit);
    g_free(data);
}

ReportSeries *report_series_new(const ReportSource *source)
{
    ReportSeries *series = g_new0(ReportSeries, 1);

    series->source = *source;
    series->all = g_ptr_array_new_with_free_func(free_series);
    return series;
}

void report_series_free(ReportSeries *series)
{
    g_ptr_array_unref(series->all);
    g_free(series);
}

/* Returns the series of the record, and adds it if necessary. Returns NULL if there are too many
 * series. */
static OneSeries *find_series(ReportSeries *series, guint place, const StrobeView *record,
                              const char *unit)
{
    StrobeStringId name = drawn[place].is_named ? record->name : 0;
    const StrobeTrackView *track = series->source.host->track(series->source.self, record->track);
    gint32 device = track ? track->device : -1;

    for (guint i = 0; i < series->all->len; i++) {
        OneSeries *each = g_ptr_array_index(series->all, i);

        if (each->place == place && each->name == name && each->device == device)
            return each;
    }
    if (series->all->len >= SERIES_MAX) {
        series->n_left_out++;
        return NULL;
    }
    OneSeries *added = g_new0(OneSeries, 1);
    added->place = place;
    added->name = name;
    added->device = device;
    added->width_ns = FIRST_WIDTH_NS;
    added->unit = g_strdup(unit);
    g_ptr_array_add(series->all, added);
    return added;
}

static void add_bin(SeriesBin *into, const SeriesBin *from)
{
    if (from->n == 0)
        return;
    into->most = into->n ? MAX(into->most, from->most) : from->most;
    into->sum += from->sum;
    into->n += from->n;
}

/* Doubles the width of the bins: merges each pair of bins into one. */
static void widen_bins(OneSeries *series)
{
    for (guint i = 0; i < BINS_MAX / 2; i++) {
        SeriesBin both = series->bins[2 * i];

        add_bin(&both, &series->bins[2 * i + 1]);
        series->bins[i] = both;
    }
    memset(series->bins + BINS_MAX / 2, 0, sizeof(SeriesBin) * (BINS_MAX - BINS_MAX / 2));
    series->width_ns *= 2;
}

static gboolean make_room(OneSeries *series, gint64 at_ns)
{
    if (at_ns < 0 || at_ns > G_MAXINT64 / 4)
        return FALSE;
    while (at_ns / series->width_ns >= BINS_MAX)
        widen_bins(series);
    return TRUE;
}

static void add_value(OneSeries *series, gint64 at_ns, double value)
{
    const SeriesBin one = {value, value, 1};

    if (make_room(series, at_ns))
        add_bin(&series->bins[at_ns / series->width_ns], &one);
}

/* Adds the parts of an interval to the bins in which they lie. */
static void add_stretch(OneSeries *series, gint64 begin_ns, gint64 end_ns)
{
    if (begin_ns < 0 || !make_room(series, end_ns))
        return;
    while (begin_ns < end_ns) {
        gint64 bin_end_ns = (begin_ns / series->width_ns + 1) * series->width_ns;
        gint64 part_ns = MIN(end_ns, bin_end_ns) - begin_ns;

        add_value(series, begin_ns, (double)part_ns);
        begin_ns += part_ns;
    }
}

static void add_field(ReportSeries *series, guint place, const StrobeView *record)
{
    gint64 origin_ns = series->source.host->metadata(series->source.self)->window_begin_ns;

    for (guint i = 0; i < record->kind->n_fields; i++) {
        const StrobeFieldView *field = &record->kind->fields[i];
        double value;

        if (strcmp(field->name, drawn[place].field) != 0)
            continue;
        ReportCell cell = report_cell_read(record, field);
        OneSeries *one = report_cell_number(&cell, &value)
                             ? find_series(series, place, record, field->unit)
                             : NULL;
        if (one)
            add_value(one, record->begin_ns - origin_ns, value);
        return;
    }
}

static gboolean is_kernel(const StrobeView *record)
{
    for (guint i = 0; i < record->kind->n_fields; i++)
        if (!strcmp(record->kind->fields[i].name, "is_kernel"))
            return report_cell_read(record, &record->kind->fields[i]).u != 0;
    return FALSE;
}

static void add_kernel(ReportSeries *series, const StrobeView *record)
{
    gint64 origin_ns = series->source.host->metadata(series->source.self)->window_begin_ns;
    OneSeries *one = is_kernel(record) ? find_series(series, BUSY_PLACE, record, "%") : NULL;

    if (one)
        add_stretch(one, record->begin_ns - origin_ns, record->end_ns - origin_ns);
}

void report_series_add(ReportSeries *series, const StrobeView *record)
{
    if (!strcmp(record->kind->name, drawn[BUSY_PLACE].kind)) {
        add_kernel(series, record);
        return;
    }
    for (guint i = 0; i < BUSY_PLACE; i++)
        if (!strcmp(record->kind->name, drawn[i].kind))
            add_field(series, i, record);
}

static void write_name(const ReportSeries *series, const OneSeries *one, StrobeJsonWriter *json)
{
    StrobeText name = series->source.host->string(series->source.self, one->name);
    g_autofree char *device = one->device >= 0 ? g_strdup_printf(" (%d)", one->device) : NULL;
    const char *field = drawn[one->place].field;

    strobe_json_key(json, "name");
    strobe_json_string_begin(json);
    strobe_json_string_part(json, name.bytes, MIN(name.length, REPORT_TEXT_MAX));
    if (name.length)
        strobe_json_string_part(json, " ", 1);
    strobe_json_string_part(json, field, strlen(field));
    if (device)
        strobe_json_string_part(json, device, strlen(device));
    strobe_json_string_end(json);
}

static void write_value(StrobeJsonWriter *json, double value)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];

    strobe_json_double(json,
                       g_ascii_strtod(g_ascii_formatd(text, sizeof text, DIGITS, value), NULL));
}

static void write_bin(guint number, double mean, double most, StrobeJsonWriter *json)
{
    strobe_json_begin_array(json);
    strobe_json_uint(json, number);
    write_value(json, mean);
    write_value(json, most);
    strobe_json_end_array(json);
}

static guint find_last_bin(const OneSeries *one)
{
    guint last = BINS_MAX - 1;

    while (last > 0 && one->bins[last].n == 0)
        last--;
    return last;
}

/* Writes the bins that have a value. For a device, writes bins without kernels as well, because the
 * device is idle in them. */
static void write_bins(const OneSeries *one, StrobeJsonWriter *json)
{
    guint last = find_last_bin(one);
    strobe_json_key(json, "bins");
    strobe_json_begin_array(json);
    for (guint i = 0; i <= last; i++) {
        const SeriesBin *bin = &one->bins[i];
        double share = 100.0 * bin->sum / (double)one->width_ns;

        if (one->place == BUSY_PLACE)
            write_bin(i, share, share, json);
        else if (bin->n)
            write_bin(i, bin->sum / (double)bin->n, bin->most, json);
    }
    strobe_json_end_array(json);
}

guint64 report_series_left_out(const ReportSeries *series)
{
    return series->n_left_out;
}

void report_series_write(ReportSeries *series, StrobeJsonWriter *json)
{
    guint most = report_limit(&series->source, BINS_SHARED) / MAX(series->all->len, 1);

    strobe_json_begin_array(json);
    for (guint i = 0; i < series->all->len; i++) {
        OneSeries *one = g_ptr_array_index(series->all, i);

        while (find_last_bin(one) > most)
            widen_bins(one);
        strobe_json_begin_object(json);
        strobe_json_key(json, "group");
        strobe_json_string(json, drawn[one->place].group);
        write_name(series, one, json);
        strobe_json_key(json, "unit");
        strobe_json_string(json, one->unit);
        strobe_json_key(json, "width");
        strobe_json_int(json, one->width_ns);
        write_bins(one, json);
        strobe_json_end_object(json);
    }
    strobe_json_end_array(json);
}
