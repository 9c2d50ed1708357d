/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads tables that the vendor's tool made from a JOB. A file op_summary_*.csv lists the layers of
 * one captured inference in their order. The times are in us, and the counters are shares of the
 * cycles. The cycles are computed from the time and the frequency in the file's name; without a
 * frequency the shares cannot be converted. Tables of statistics have only sums of the rows of
 * other files; they are added to the result as files.
 */
#include <string.h>
#include <strobe/helpers/csv-scanner.h>
#include <strobe/kinds.h>
#include <svp-numbers.h>
#include <sys/stat.h>
#include <unistd.h>

#include <external-folder.h>
#include "svp_job.h"

#define FOLDER "summary"
#define PREFIX "op_summary_"
#define ENDING ".csv"
#define FILE_BYTES_MAX (1u << 20) /* maximum size of a statistics file */
#define ROWS_MAX 1000000u         /* maximum number of rows in all files */
#define TEXT_BYTES_MAX 65536u

enum { COLUMN_ID, COLUMN_ORI, COLUMN_NAME, COLUMN_TYPE, COLUMN_TIME, COLUMN_COUNTERS };

/* The columns that are read. Each column from COLUMN_COUNTERS on has the values of a counter. */
static const struct {
    const char *title;
    guint counter;
} columns[] = {
    {"Layer Id", 0},
    {"Ori Layer Name", 0},
    {"Layer Name", 0},
    {"Layer Type", 0},
    {"Time(us)", 0},
    {"Mac Busy Ratio", SVP_MAC_BUSY},
    {"Mac Ppen Ratio", SVP_MAC_PPEN},
    {"Vec Busy Ratio", SVP_VEC_BUSY},
    {"Vec Ppen Ratio", SVP_VEC_PPEN},
    {"Dstr Ratio", SVP_DSTR},
    {"Dtrans Ratio", SVP_DTRANS},
    {"DLD Ratio", SVP_DLD},
    {"WLD Ratio", SVP_WLD},
    {"DDR Read(byte)", SVP_DDR_READ},
    {"DDR Write(byte)", SVP_DDR_WRITE},
};

typedef struct Reading {
    Job *job;
    VendorSummary *summary;
    StrobeCsvScanner *csv;
    const StrobeCsvCell *cells;
    gsize n_cells, n_titles;
    gboolean is_taken;                 /* the last row was added to `rows` */
    gint place[G_N_ELEMENTS(columns)]; /* index of each column; -1: it is missing */
} Reading;

static void free_row(gpointer data)
{
    VendorRow *row = data;

    g_free(row->ori_name);
    g_free(row->name);
    g_free(row->type);
    g_free(row);
}

static void free_summary(gpointer data)
{
    VendorSummary *summary = data;

    g_ptr_array_unref(summary->rows);
    g_free(summary->part);
    g_free(summary);
}

/* ---- numbers ---- */

gint64 job_read_thousandths(const char *text, gsize length)
{
    gint64 value = 0, unit = 1000;
    gboolean is_fraction = FALSE;

    if (length == 0 || length > 24)
        return -1;
    for (gsize i = 0; i < length; i++) {
        if (text[i] == '.' && !is_fraction) {
            is_fraction = TRUE;
        } else if (!g_ascii_isdigit(text[i]) || value > G_MAXINT64 / 10000) {
            return -1;
        } else if (!is_fraction) {
            value = value * 10 + (text[i] - '0') * 1000;
        } else if (unit > 1) {
            unit /= 10;
            value += (text[i] - '0') * unit;
        }
    }
    return value;
}

/* Returns part × whole / scale, rounded. */
static guint64 scale_number(guint64 part, guint64 whole, guint64 scale)
{
    __extension__ typedef unsigned __int128 Wide;
    const Wide value = ((Wide)part * whole * 2 + scale) / ((Wide)scale * 2);

    return value >= SVP_ABSENT ? SVP_ABSENT : (guint64)value;
}

/* ---- one row ---- */

static const StrobeCsvCell *get_cell(const Reading *reading, guint column)
{
    static const StrobeCsvCell none = {"", 0};
    const gint place = reading->place[column];

    return place >= 0 && (gsize)place < reading->n_cells ? &reading->cells[place] : &none;
}

static gboolean is_cell(const Reading *reading, guint column, const char *text)
{
    const StrobeCsvCell *cell = get_cell(reading, column);

    return cell->length == strlen(text) && memcmp(cell->bytes, text, cell->length) == 0;
}

static char *copy_cell(const Reading *reading, guint column)
{
    const StrobeCsvCell *cell = get_cell(reading, column);

    if (cell->length == 0 || is_cell(reading, column, "N/A"))
        return NULL;
    return g_strndup(cell->bytes, MIN(cell->length, TEXT_BYTES_MAX));
}

/* Returns FALSE if the cell has neither a number nor the text for "absent". */
static gboolean read_counter(const Reading *reading, VendorRow *row, guint column)
{
    const StrobeCsvCell *cell = get_cell(reading, column);
    const guint counter = columns[column].counter;
    const gboolean is_share = counter < SVP_DDR_READ;
    gsize length = cell->length;
    gint64 value;

    if (length == 0 || is_cell(reading, column, "N/A"))
        return TRUE;
    if (is_share && cell->bytes[length - 1] == '%')
        length--;
    value = job_read_thousandths(cell->bytes, length);
    if (value < 0 || (!is_share && value % 1000))
        return FALSE;
    if (!is_share)
        row->counters[counter] = (guint64)value / 1000;
    else if (row->counters[SVP_CYCLES] != SVP_ABSENT)
        row->counters[counter] = scale_number((guint64)value, row->counters[SVP_CYCLES], 100000);
    else
        reading->summary->n_unread++;
    return TRUE;
}

static gboolean read_counters(const Reading *reading, VendorRow *row)
{
    const guint64 mhz = reading->summary->mhz;

    for (guint i = 0; i < SVP_COUNTERS; i++)
        row->counters[i] = SVP_ABSENT;
    /* a layer that ran on another unit has no counters */
    if (mhz != SVP_ABSENT && !is_cell(reading, COLUMN_COUNTERS, "N/A"))
        row->counters[SVP_CYCLES] = scale_number((guint64)row->ns, mhz, 1000);
    for (guint i = COLUMN_COUNTERS; i < G_N_ELEMENTS(columns); i++)
        if (!read_counter(reading, row, i))
            return FALSE;
    return TRUE;
}

/* Reads a row. Returns FALSE if it does not have the form of the tool's rows. */
static gboolean read_row(const Reading *reading, VendorRow *row)
{
    const StrobeCsvCell *time = get_cell(reading, COLUMN_TIME), *id = get_cell(reading, COLUMN_ID);
    const gint64 layer = job_read_thousandths(id->bytes, id->length);

    row->ns = job_read_thousandths(time->bytes, time->length);
    row->name = copy_cell(reading, COLUMN_NAME);
    row->ori_name = copy_cell(reading, COLUMN_ORI);
    row->type = copy_cell(reading, COLUMN_TYPE);
    row->layer_id = layer >= 0 && layer % 1000 == 0 && layer / 1000 < G_MAXUINT32
                        ? (guint32)(layer / 1000)
                        : G_MAXUINT32;
    return row->ns >= 0 && row->name &&
           (row->layer_id != G_MAXUINT32 || id->length == 0 ||
            is_cell(reading, COLUMN_ID, "N/A")) &&
           read_counters(reading, row);
}

/* ---- one file ---- */

/* Reads the titles. Returns FALSE if a required title is missing. */
static gboolean read_titles(Reading *reading)
{
    for (guint i = 0; i < G_N_ELEMENTS(columns); i++) {
        reading->place[i] = -1;
        for (gsize k = 0; k < reading->n_cells; k++)
            if (reading->cells[k].length == strlen(columns[i].title) &&
                !strcmp(reading->cells[k].bytes, columns[i].title))
                reading->place[i] = (gint)k;
    }
    reading->n_titles = reading->n_cells;
    return reading->place[COLUMN_NAME] >= 0 && reading->place[COLUMN_TIME] >= 0;
}

static void tell_row(const Reading *reading, const char *why)
{
    g_autofree char *place = g_strdup_printf("%s: row %" G_GUINT64_FORMAT, reading->summary->part,
                                             strobe_csv_scanner_row(reading->csv));

    reading->job->host->damage(reading->job->self, place, why);
}

static void take_row(Reading *reading)
{
    VendorRow *row;

    reading->is_taken = FALSE;
    if (is_cell(reading, COLUMN_NAME, "-")) /* this row has the sum of all layers */
        return;
    if (reading->n_cells != reading->n_titles) {
        tell_row(reading, "not as many cells as titles: the row is left out");
        return;
    }
    row = g_new0(VendorRow, 1);
    reading->is_taken = read_row(reading, row);
    if (reading->is_taken) {
        g_ptr_array_add(reading->summary->rows, row);
        return;
    }
    tell_row(reading, "a cell does not have the form that its title requires: the row is left out");
    free_row(row);
}

static void read_rows(Reading *reading, guint64 *n_rows)
{
    int status;

    while ((status = strobe_csv_scanner_next(reading->csv, &reading->cells, &reading->n_cells)) !=
           STROBE_CSV_END) {
        if (status == STROBE_CSV_ROW && ++*n_rows <= ROWS_MAX) {
            take_row(reading);
            continue;
        }
        tell_row(reading, status == STROBE_CSV_DAMAGED ? "cannot be read" : "the rest is not read");
        if (status != STROBE_CSV_DAMAGED)
            return;
    }
}

/* Removes the last row if the file does not end with a newline, because the last cell of the row
 * may be incomplete. */
static void drop_cut_row(Reading *reading, int file)
{
    GPtrArray *rows = reading->summary->rows;
    struct stat st;
    char last;

    if (!reading->is_taken || fstat(file, &st) || pread(file, &last, 1, st.st_size - 1) != 1 ||
        last == '\n')
        return;
    g_ptr_array_set_size(rows, (gint)rows->len - 1);
    tell_row(reading, "the file ends inside the row: the row is left out");
}

/* Reads {device}.{model}.{id}.{batch}.{pics}.{current}.{rate}.{frequency}, from right to left.
 * Names of data files do not have the last two parts. */
static gboolean read_name(VendorSummary *summary, const char *name)
{
    g_autofree char *bare = g_strndup(name, strlen(name) - strlen(ENDING));
    char *mhz = strrchr(bare, '.'), *rate;
    SvpFileName parts;

    if (!mhz)
        return FALSE;
    *mhz++ = 0;
    rate = strrchr(bare, '.');
    if (!rate)
        return FALSE;
    *rate++ = 0;
    g_autofree char *as_data = g_strconcat("AAcore.", bare + strlen(PREFIX), NULL);
    if (svp_file_name_read(as_data, &parts) != SVP_FILE_CORE)
        return FALSE;
    if (!g_ascii_string_to_unsigned(mhz, 10, 1, 1000000, &summary->mhz, NULL))
        summary->mhz = SVP_ABSENT;
    g_strlcpy(summary->rate, rate, sizeof summary->rate);
    summary->parts = parts;
    return TRUE;
}

/* Reports why a table cannot be read. Stores the first such report, for the error message if no
 * file can be read. */
static void refuse_table(Job *job, const VendorSummary *summary, const char *reason)
{
    job->host->damage(job->self, summary->part, reason);
    if (!job->unread)
        job->unread = g_strdup_printf("%s: %s", summary->part, reason);
}

static void read_table(Job *job, VendorSummary *summary, int file, guint64 *n_rows)
{
    Reading reading = {.job = job, .summary = summary, .csv = strobe_csv_scanner_new(file)};

    if (!reading.csv)
        return;
    if (strobe_csv_scanner_next(reading.csv, &reading.cells, &reading.n_cells) != STROBE_CSV_ROW ||
        !read_titles(&reading)) {
        refuse_table(job, summary,
                     "no columns \"Layer Name\" and \"Time(us)\": nothing of it is read");
    } else {
        read_rows(&reading, n_rows);
        drop_cut_row(&reading, file);
    }
    strobe_csv_scanner_free(reading.csv);
    if (summary->n_unread)
        job->host->unknown(job->self, summary->part,
                           "shares of cycles cannot be converted: the file's name has no frequency",
                           summary->n_unread);
}

static void read_file(Job *job, int folder, const char *name, guint64 *n_rows)
{
    VendorSummary *summary = g_new0(VendorSummary, 1);
    int file = -1;

    summary->part = g_strconcat(FOLDER "/", name, NULL);
    summary->rows = g_ptr_array_new_with_free_func(free_row);
    if (read_name(summary, name))
        file = external_folder_open_file(folder, name);
    if (file < 0) {
        refuse_table(job, summary, "cannot be opened, or does not have a name that the tool gives");
        free_summary(summary);
        return;
    }
    read_table(job, summary, file, n_rows);
    close(file);
    job->host->found(job->self, summary->part, summary->rows->len);
    job->n_vendor += summary->rows->len > 0;
    g_ptr_array_add(job->summaries, summary);
}

/* Adds a table of sums to the result as a file, because it is made to be read by people. */
static void keep_statistic(Job *job, int folder, const char *name)
{
    g_autofree char *part = g_strconcat(FOLDER "/", name, NULL);
    gsize length;
    g_autofree char *bytes = external_folder_read(folder, name, FILE_BYTES_MAX, &length);

    if (bytes && job->host->file(job->self, name, bytes, length) == STROBE_OK)
        job->host->found(job->self, part, 0);
    else
        job->host->unknown(job->self, part, "a table of sums that is too large to keep", 1);
}

/* ---- the folder ---- */

static gint compare_summaries(gconstpointer a, gconstpointer b)
{
    const VendorSummary *one = *(VendorSummary *const *)a, *other = *(VendorSummary *const *)b;

    return one->parts.current_pic < other->parts.current_pic
               ? -1
               : one->parts.current_pic > other->parts.current_pic;
}

static gboolean is_summary(const char *name)
{
    return g_str_has_prefix(name, PREFIX) && g_str_has_suffix(name, ENDING);
}

static gboolean is_statistic(const char *name)
{
    return g_str_has_suffix(name, ENDING) &&
           (g_str_has_prefix(name, "op_statistic_") || g_str_has_prefix(name, "acl_statistic_"));
}

gboolean job_summary_is_in(int top)
{
    int folder = external_folder_open(top, FOLDER);
    gboolean found = FALSE;

    if (folder < 0)
        return FALSE;
    g_autoptr(GPtrArray) names = external_folder_names(folder);
    for (guint i = 0; i < names->len; i++)
        found |= is_summary(g_ptr_array_index(names, i));
    close(folder);
    return found;
}

void job_summaries_read(Job *job)
{
    int folder = external_folder_open(job->folder, FOLDER);
    guint64 n_rows = 0;

    job->summaries = g_ptr_array_new_with_free_func(free_summary);
    if (folder < 0)
        return;
    g_autoptr(GPtrArray) names = external_folder_names(folder);
    for (guint i = 0; i < names->len; i++) {
        const char *name = g_ptr_array_index(names, i);

        if (is_summary(name))
            read_file(job, folder, name, &n_rows);
        else if (is_statistic(name))
            keep_statistic(job, folder, name);
    }
    close(folder);
    g_ptr_array_sort(job->summaries, compare_summaries);
    if (job->summaries->len)
        job->host->metadata_text(job->self, "svp.rounded",
                                 "times to 0.001 us, counters computed from shares of 0.001 %");
}
