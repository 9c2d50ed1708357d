/* SPDX-License-Identifier: Apache-2.0 */
#include "svp-show.h"

#include <stdio.h>
#include <string.h>
#include <strobe/helpers/keyed-hash.h>

#include "command.h"
#include "error.h"
#include "terminal.h"

/* A table that the exporter svp_summary wrote. */
typedef struct Table {
    GPtrArray *rows; /* of char **; the first row has the titles */
} Table;

/* The capture of an inference that is shown. */
typedef struct Shown {
    guint64 number, device, model, current_pic;
    gboolean is_first, is_whole;
} Shown;

/* ---- tables ---- */

/* Returns the cell of a CSV line at *at, without its quotes (free it), and moves *at to the next
 * one. */
static char *take_cell(const char **at)
{
    GString *cell = g_string_new(NULL);
    gboolean is_quoted = **at == '"';
    const char *c = *at + is_quoted;

    for (; *c; c++) {
        if (is_quoted && c[0] == '"' && c[1] == '"')
            c++;
        else if (is_quoted ? *c == '"' : *c == ',' || *c == '\r')
            break;
        g_string_append_c(cell, *c);
    }
    *at = c + (is_quoted && *c == '"');
    return g_string_free(cell, FALSE);
}

static char **take_row(const char **at)
{
    GPtrArray *cells = g_ptr_array_new();

    for (;;) {
        g_ptr_array_add(cells, take_cell(at));
        if (**at != ',')
            break;
        (*at)++;
    }
    *at += strspn(*at, "\r\n");
    g_ptr_array_add(cells, NULL);
    return (char **)g_ptr_array_free(cells, FALSE);
}

static Table *read_table(const char *text)
{
    Table *table = g_new0(Table, 1);

    table->rows = g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev);
    while (text && *text)
        g_ptr_array_add(table->rows, take_row(&text));
    return table;
}

static void free_table(Table *table)
{
    g_ptr_array_unref(table->rows);
    g_free(table);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Table, free_table)

static const char *cell_at(const Table *table, guint row, const char *title)
{
    char **titles = table->rows->len ? g_ptr_array_index(table->rows, 0) : NULL;
    char **cells = row < table->rows->len ? g_ptr_array_index(table->rows, row) : NULL;

    for (guint i = 0; titles && cells && titles[i] && cells[i]; i++)
        if (strcmp(titles[i], title) == 0)
            return cells[i];
    return "";
}

static guint64 number_at(const Table *table, guint row, const char *title)
{
    return g_ascii_strtoull(cell_at(table, row, title), NULL, 10);
}

static gboolean is_text_column(const char *title)
{
    static const char *const texts[] = {"Ori Layer Name", "Layer Name", "Layer Type", "OP Name",
                                        "Task Type",      "Type",       "Name",       NULL};

    return g_strv_contains(texts, title);
}

static void print_table(const Table *table)
{
    StrobeGrid *grid = strobe_grid_new();
    char **titles = g_ptr_array_index(table->rows, 0);

    for (guint i = 0; titles[i]; i++)
        strobe_grid_add_column(grid, titles[i], !is_text_column(titles[i]), 60);
    for (guint row = 1; row < table->rows->len; row++) {
        char **cells = g_ptr_array_index(table->rows, row);

        for (guint i = 0; titles[i]; i++)
            strobe_grid_add(grid, cells[i]);
    }
    strobe_grid_print(grid, stdout);
    strobe_grid_free(grid);
}

static void write_table(StrobeJsonWriter *json, const char *key, const Table *table)
{
    strobe_json_key(json, key);
    strobe_json_begin_array(json);
    for (guint row = 1; row < table->rows->len; row++) {
        char **titles = g_ptr_array_index(table->rows, 0);
        char **cells = g_ptr_array_index(table->rows, row);

        strobe_json_begin_object(json);
        for (guint i = 0; titles[i] && cells[i]; i++) {
            strobe_json_key_text(json, titles[i], strlen(titles[i]));
            if (!is_text_column(titles[i]) && g_ascii_isdigit(*cells[i]))
                strobe_json_raw(json, cells[i], strlen(cells[i]));
            else
                strobe_json_string(json, cells[i]);
        }
        strobe_json_end_object(json);
    }
    strobe_json_end_array(json);
}

/* ---- the capture ---- */

static Shown shown_at(const Table *captures, guint row)
{
    return (Shown){.number = number_at(captures, row, "Capture"),
                   .device = number_at(captures, row, "Device ID"),
                   .model = number_at(captures, row, "Model ID"),
                   .current_pic = number_at(captures, row, "Current Pic Count"),
                   .is_first = number_at(captures, row, "First") != 0,
                   .is_whole = number_at(captures, row, "Whole") != 0};
}

/* Chooses the capture with the number `iter` or, if it is 0, the default one, see StrobeSvpShow.
 * FALSE: there is no such capture. */
static gboolean choose_capture(const Table *captures, gint iter, Shown *shown)
{
    guint best = 0;

    for (guint row = 1; row < captures->rows->len; row++) {
        const Shown other = shown_at(captures, row);

        if (iter ? other.number == (guint64)iter : other.is_whole && !other.is_first) {
            best = row;
            break;
        }
    }
    if (!best && !iter && captures->rows->len > 1)
        best = 1;
    if (best)
        *shown = shown_at(captures, best);
    return best != 0;
}

/* Returns the text of the op_summary file whose name has the device, the model and the picture of
 * `shown`. NULL: there is none. */
static const char *find_summary(GHashTable *files, const Shown *shown)
{
    g_autofree char *begin = g_strdup_printf("op_summary_%" G_GUINT64_FORMAT ".", shown->device);
    GHashTableIter each;
    gpointer name, text;

    g_hash_table_iter_init(&each, files);
    while (g_hash_table_iter_next(&each, &name, &text)) {
        g_auto(GStrv) words =
            g_strsplit(name, ".", -1); /* ... id batch pics current rate MHz csv */
        const guint n = g_strv_length(words);

        if (g_str_has_prefix(name, begin) && n >= 8 &&
            g_ascii_strtoull(words[n - 7], NULL, 10) == shown->model &&
            g_ascii_strtoull(words[n - 4], NULL, 10) == shown->current_pic)
            return text;
    }
    return NULL;
}

static const char *find_statistic(GHashTable *files, const Shown *shown)
{
    g_autofree char *name =
        g_strdup_printf("op_statistic_%" G_GUINT64_FORMAT "_%" G_GUINT64_FORMAT
                        "_%" G_GUINT64_FORMAT "_%" G_GUINT64_FORMAT ".csv",
                        shown->device, shown->model, shown->current_pic, shown->number);

    return g_hash_table_lookup(files, name);
}

static int compare_texts(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Reads the tables of calls, acl_statistic_*, and joins them into one. */
static Table *read_calls(GHashTable *files)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    Table *all = read_table(NULL);
    GHashTableIter each;
    gpointer name;

    g_hash_table_iter_init(&each, files);
    while (g_hash_table_iter_next(&each, &name, NULL))
        if (g_str_has_prefix(name, "acl_statistic_"))
            g_ptr_array_add(names, name);
    g_ptr_array_sort(names, compare_texts);
    for (guint i = 0; i < names->len; i++) {
        g_autoptr(Table) table =
            read_table(g_hash_table_lookup(files, g_ptr_array_index(names, i)));

        for (guint row = all->rows->len ? 1 : 0; row < table->rows->len; row++)
            g_ptr_array_add(all->rows, g_strdupv(g_ptr_array_index(table->rows, row)));
    }
    return all;
}

/* ---- advice ---- */

static double read_percent(const Table *table, guint row, const char *title)
{
    const char *text = cell_at(table, row, title);

    return g_ascii_isdigit(*text) ? g_ascii_strtod(text, NULL) : -1;
}

/* Returns advice for a layer, by the thresholds in the vendor's guide. NULL: there is none. */
static const char *choose_advice(const Table *table, guint row)
{
    static const struct {
        const char *title, *text;
    } causes[] = {
        {"DLD Ratio", "loading of inputs limits it: reduce input data or layers that move data"},
        {"WLD Ratio", "loading of weights limits it: compress the weights"},
        {"Dstr Ratio", "storing limits it: reduce the size of the output"},
    };
    static const double limits[] = {70, 80, 70};
    const double mac = read_percent(table, row, "Mac Ppen Ratio");
    const double vec = read_percent(table, row, "Vec Ppen Ratio");

    const gboolean is_busy = mac > 70 || (mac == 0 && vec > 50);

    if (mac < 0)
        return NULL;
    for (guint i = 0; !is_busy && i < G_N_ELEMENTS(causes); i++)
        if (read_percent(table, row, causes[i].title) > limits[i])
            return causes[i].text;
    if (read_percent(table, row, "Memory Bound") > 1)
        return "memory limits it: more time goes to moving data than to computing";
    if (!is_busy && mac < 50 && vec < 50 && read_percent(table, row, "DLD Ratio") < 50 &&
        read_percent(table, row, "WLD Ratio") < 50 && read_percent(table, row, "Dstr Ratio") < 50)
        return "nothing is used for half of its time: ask the vendor's support";
    return NULL;
}

static void print_advice(const Table *table)
{
    const guint last = table->rows->len - 1; /* the last row has the totals */
    const double whole = read_percent(table, last, "Mac Ppen Ratio");

    puts("Advice");
    if (whole > 60)
        printf("  in all: Mac Ppen Ratio %s %% is over 60 %%: in general no bottleneck\n",
               cell_at(table, last, "Mac Ppen Ratio"));
    for (guint row = 1; row < last; row++) {
        const char *text = choose_advice(table, row);
        const char *name = cell_at(table, row, "Layer Name");
        g_autofree char *shown = strobe_text_printable(name, strlen(name));

        if (text)
            printf("  %s: %s\n", shown, text);
    }
    puts("");
}

/* ---- all tables ---- */

typedef struct Tables {
    Table *captures, *summary, *statistic, *calls, *frequency;
} Tables;

static void print_part(const char *title, const Table *table, const char *why)
{
    puts(title);
    if (table->rows->len > 1)
        print_table(table);
    else
        printf("no data collected: %s\n", why);
    puts("");
}

static void print_capture(const Shown *shown, guint n)
{
    printf("Capture %" G_GUINT64_FORMAT " of %u, after %" G_GUINT64_FORMAT " pictures%s%s\n\n",
           shown->number, n, shown->current_pic,
           shown->is_first ? "; the first one of its model: times are too long" : "",
           shown->is_whole ? "" : "; not whole");
}

static void print_tables(const Tables *tables, const Shown *shown, const StrobeSvpShow *show,
                         const StrobeAnalysis *analysis)
{
    if (tables->captures->rows->len > 1)
        print_capture(shown, tables->captures->rows->len - 1);
    print_part("AA Core metric", tables->summary,
               "aac_metrics was not ArithmeticUtilization, or no inference was captured");
    print_part("Op statistic", tables->statistic, "no inference was captured");
    print_part("Acl statistic", tables->calls, "acl_api was off");
    print_part("Frequency", tables->frequency, "the board reported no frequency of its cores");
    if (show->has_advice && tables->summary->rows->len > 1)
        print_advice(tables->summary);
    printf("Records: %" G_GUINT64_FORMAT " stored, %" G_GUINT64_FORMAT " lost; %s\n",
           analysis->n_stored, analysis->n_lost,
           analysis->missing && analysis->missing->len ? "incomplete" : "complete");
    for (guint i = 0; analysis->missing && i < analysis->missing->len; i++) {
        const char *line = g_ptr_array_index(analysis->missing, i);
        g_autofree char *text = strobe_text_printable(line, strlen(line));
        printf("  %s\n", text);
    }
}

static void write_json(const Tables *tables, const Shown *shown, const StrobeAnalysis *analysis)
{
    StrobeJsonWriter *json = strobe_json_open();

    strobe_json_begin_object(json);
    strobe_json_key(json, "capture");
    strobe_json_uint(json, shown->number);
    write_table(json, "captures", tables->captures);
    write_table(json, "aa_core_metric", tables->summary);
    write_table(json, "op_statistic", tables->statistic);
    write_table(json, "acl_statistic", tables->calls);
    write_table(json, "frequency", tables->frequency);
    strobe_json_key(json, "stored");
    strobe_json_uint(json, analysis->n_stored);
    strobe_json_key(json, "lost");
    strobe_json_uint(json, analysis->n_lost);
    strobe_json_end_object(json);
    strobe_json_close(json);
}

static int present_files(GHashTable *files, const StrobeSvpShow *show,
                         const StrobeAnalysis *analysis)
{
    g_autoptr(Table) captures = read_table(g_hash_table_lookup(files, "captures.csv"));
    Shown shown = {0};

    if (!choose_capture(captures, show->iter, &shown) && show->iter) {
        strobe_complain("svp show: there is no capture %d: the JOB has %u", show->iter,
                        captures->rows->len ? captures->rows->len - 1 : 0);
        return STROBE_EXIT_USAGE;
    }
    g_autoptr(Table) summary = read_table(find_summary(files, &shown));
    g_autoptr(Table) statistic = read_table(find_statistic(files, &shown));
    g_autoptr(Table) calls = read_calls(files);
    g_autoptr(Table) frequency = read_table(g_hash_table_lookup(files, "frequency.csv"));
    const Tables tables = {captures, summary, statistic, calls, frequency};

    if (show->is_json)
        write_json(&tables, &shown, analysis);
    else
        print_tables(&tables, &shown, show, analysis);
    return STROBE_EXIT_OK;
}

int strobe_svp_show(StrobeSvpJob *job, const StrobeSvpShow *show)
{
    static const char *const all[] = {"op_summary_", "op_statistic_", "acl_statistic_",
                                      "captures",    "frequency",     NULL};
    const StrobeSvpOutput outputs[] = {
        strobe_svp_timeline,
        strobe_svp_database,
        {.exporter = "svp_summary:details=true", .prefixes = all, .ending = ".csv"},
        {NULL},
    };
    g_autoptr(GHashTable) files =
        g_hash_table_new_full(strobe_hash_of_text, g_str_equal, g_free, g_free);
    g_autoptr(StrobeAnalysis) analysis = NULL;
    GError *error = NULL;

    job->is_silent = TRUE;
    if (!strobe_svp_job_export(job, outputs, files, &analysis, &error))
        return strobe_command_fail(error);
    return present_files(files, show, analysis);
}
