/* SPDX-License-Identifier: Apache-2.0 */
/* strobe show: prints tables of a result in the terminal. */
#include <string.h>

#include <strobe/helpers/number.h>

#include "command.h"
#include "config.h"
#include "error.h"
#include "job-result.h"
#include "memory-flags.h"
#include "pager.h"
#include "plugin-folders.h"
#include "pipeline.h"
#include "row-report.h"
#include "show-empty.h"
#include "show-groups.h"
#include "show-list.h"
#include "show-overview.h"
#include "show-rows.h"
#include "show-tables.h"
#include "terminal.h"
#include "text-style.h"

#define DEFAULT_TABLE "operator_average"
#define DEFAULT_LIMIT 20

static const StrobeUsage usage = {
    .name = "show",
    .arguments = "DIR_OR_CAPTURE...",
    .summary =
        "Prints where the time of a result went: operators and kernels, functions, or ranges\n"
        "that the program marked. --table selects another table. There is a table for every\n"
        "kind of record, recorded (cpu_op, gc, host_mem, ...) or derived (operator_average,\n"
        "operator_detail, step_summary, ...); --list prints their names. A JOB directory of a\n"
        "camera board is read as `strobe import` reads it.",
    .examples =
        "Examples:\n"
        "  strobe show results\n"
        "  strobe show results --sort calls:asc --limit 5\n"
        "  strobe show results --table step_summary\n"
        "  strobe show results --table gc --columns begin,duration,generation\n"
        "  strobe show results --table cpu_op --group-by name,track --where 'name=aten::*'\n"
        "  strobe show results --json | jq '.[0].rows[0]'\n"
        "  strobe show results --pass operator_average:group_by_shapes=true\n"
        "\n"
        "Numbers are sorted in descending order, texts from A to Z. Append :asc or :desc to a\n"
        "column to choose the order; --reverse reverses it. Name a column by its title or by\n"
        "its field; titles contain the unit.\n"
        "\n"
        "With --group-by each row is a group of records. It has their number, and sum, mean,\n"
        "p50, p95 (by nearest rank) and max of the duration and of each number with a unit.\n"
        "--columns selects other quantities; --sort takes a column such as duration_p95. If\n"
        "--where is repeated, conditions on the same column are alternatives; conditions on\n"
        "different columns must all hold.\n"
        "\n"
        "JSON has the stored numbers, with times in ns. Points in time count from base_ns,\n"
        "which is in ns since the epoch. Integers above 2^53 are text. schema_version changes\n"
        "when a key changes its meaning.\n"
        "\n"
        "Exit code 8: the program made no marks for a head_overhead table.",
};

/* Tables of which the first that has records is shown if the user names no table. */
static const char *const default_tables[] = {DEFAULT_TABLE, "function", "op_statistic", NULL};

static gboolean no_pager;

typedef struct Flags {
    char *table, *sort, *columns, *group_by, *color;
    char **plugin_path, **pass, **where;
    GPtrArray *passes; /* of StrobeConfigComponent: the passes with options, from `pass` */
    StrobeMemoryFlags memory;
    int limit, direction;
    int n_paths;
    gboolean reverse, json, list;
} Flags;

/* Removes the direction of sorting from the end of the column's name in --sort. FALSE: the
 * direction has another form, and a message was printed. */
static gboolean take_direction(Flags *flags)
{
    static const struct {
        const char *suffix;
        int direction;
    } directions[] = {{":asc", 1}, {":desc", -1}};

    for (gsize i = 0; flags->sort && i < G_N_ELEMENTS(directions); i++)
        if (g_str_has_suffix(flags->sort, directions[i].suffix)) {
            flags->sort[strlen(flags->sort) - strlen(directions[i].suffix)] = '\0';
            flags->direction = directions[i].direction;
            return TRUE;
        }
    const char *unknown = flags->sort ? strrchr(flags->sort, ':') : NULL;
    if (unknown)
        strobe_command_misuse(&usage, "--sort=%s: \"%s\" is no direction, expected :asc or :desc",
                              flags->sort, unknown);
    return !unknown;
}

static gboolean parse_flags(int *argc, char ***argv, Flags *flags)
{
    const GOptionEntry entries[] = {
        {"table", 't', 0, G_OPTION_ARG_FILENAME, &flags->table,
         "Kind of record to show (default: an overview of what took the time)", "NAME"},
        {"sort", 's', 0, G_OPTION_ARG_FILENAME, &flags->sort, "Order by this column",
         "COLUMN[:asc|:desc]"},
        {"reverse", 'r', 0, G_OPTION_ARG_NONE, &flags->reverse, "Reverse the order", NULL},
        {"limit", 'n', 0, G_OPTION_ARG_INT, &flags->limit, "Rows to print (default: 20)", "N"},
        {"columns", 0, 0, G_OPTION_ARG_FILENAME, &flags->columns,
         "Print only these columns, in "
         "this order",
         "COLUMN,..."},
        {"group-by", 'g', 0, G_OPTION_ARG_FILENAME, &flags->group_by,
         "Print one row for all records with equal values in these columns: count, and sum, "
         "mean, p50, p95 and max of their quantities",
         "COLUMN,..."},
        {"where", 'w', 0, G_OPTION_ARG_FILENAME_ARRAY, &flags->where,
         "Use only records with this value; * and ? are wildcards; repeatable", "COLUMN=VALUE"},
        {"list", 'l', 0, G_OPTION_ARG_NONE, &flags->list, "List the tables instead", NULL},
        {"json", 0, 0, G_OPTION_ARG_NONE, &flags->json,
         "Print JSON, one object for each result (with --list, for each table), with the stored "
         "numbers",
         NULL},
        {"color", 0, 0, G_OPTION_ARG_FILENAME, &flags->color,
         "Print bold headings and colour: auto (in a terminal, unless NO_COLOR is set; the "
         "default), always or never",
         "WHEN"},
        {"no-pager", 0, 0, G_OPTION_ARG_NONE, &no_pager, "Do not start $PAGER (default: less -FRX)",
         NULL},
        {"pass", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &flags->pass,
         "Options of a pass that derives the table; repeatable", "NAME:OPTION=VALUE,..."},
        STROBE_MAX_MEM_OPTION(&flags->memory),
        STROBE_TMP_DIR_OPTION(&flags->memory),
        {"plugin-path", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &flags->plugin_path,
         "Look for plugins here first; repeatable", "DIR"},
        {NULL},
    };

    if (!strobe_command_parse(&usage, entries, argc, argv))
        return FALSE;
    if (!take_direction(flags))
        return FALSE;
    if (!strobe_style_choose(flags->color ? flags->color : "auto")) {
        strobe_command_misuse(&usage, "--color=%s: expected auto, always or never", flags->color);
        return FALSE;
    }
    if (flags->limit < 1 || flags->limit > (int)STROBE_ROWS_MAX) {
        strobe_command_misuse(&usage,
                              "--limit is %d, expected 1 to %u (the csv exporter writes "
                              "whole tables)",
                              flags->limit, STROBE_ROWS_MAX);
        return FALSE;
    }
    flags->n_paths = *argc - 1;
    if (*argc < 2)
        strobe_command_misuse(&usage, "A result directory or a capture is needed");
    return *argc >= 2;
}

/* Starts the pager, because text will be printed. */
static void begin_page(void)
{
    if (!no_pager)
        strobe_pager_begin();
}

/* ---- rows ---- */

static void write_rows(StrobeJsonWriter *json, const StrobeRows *rows, const StrobeResult *result)
{
    char base[STROBE_NUMBER_MAX];

    strobe_format_int(base, rows->base_ns);
    strobe_json_begin_object(json);
    strobe_json_key(json, "schema_version");
    strobe_json_int(json, STROBE_SHOW_SCHEMA);
    strobe_json_key(json, "directory");
    strobe_json_string(json, result->directory);
    strobe_json_key(json, "table");
    strobe_json_string(json, rows->request.kind);
    strobe_json_key(json, "base_ns");
    strobe_json_string(json, base);
    strobe_json_key(json, "total_rows");
    strobe_json_exact_uint(json, rows->n_seen);
    strobe_json_key(json, "rows");
    strobe_rows_write(json, rows);
    strobe_json_end_object(json);
}

/* Explains which marks the table needs, and names the operators that took longest. Returns an exit
 * code. */
static int explain_unmarked(StrobeRegistry *registry, const StrobeResult *result,
                            const StrobePresentation *known)
{
    g_autofree char *names = strobe_show_top_names(registry, result);

    strobe_complain(
        "%s: table \"%s\" is empty: %s. %s%s",
        result->directory ? result->directory : result->capture, known->table.kind, known->empty,
        names ? "The operators that took longest: " : "It has no operators", names ? names : "");
    return STROBE_EXIT_NO_MARKERS;
}

/* Explains that the result has no data for an overview. */
static void explain_nothing(StrobeRegistry *registry, const StrobeResult *result)
{
    g_autofree char *advice = strobe_show_advice(registry);

    strobe_complain("%s: table \"%s\" is empty, and there are no functions and no kernels either "
                    "(--list names what there is). %s",
                    result->directory ? result->directory : result->capture, DEFAULT_TABLE, advice);
}

/* Explains why no record was found: the name of the table is wrong, or the table is empty. Returns
 * an exit code. */
static int explain_empty(StrobeRegistry *registry, const StrobeResult *result, const char *table,
                         const GPtrArray *passes)
{
    g_autofree char *hint = NULL;

    if (!strobe_tables_know(registry, result, table, &hint))
        return strobe_command_misuse(
            &usage, "Unknown table \"%s\"%s (--list names those of a result)", table, hint);
    const StrobePresentation *known = strobe_presentation_find(table);
    if (known && known->marked && strobe_show_count(registry, result, known->marked, passes) == 0)
        return explain_unmarked(registry, result, known);
    g_autofree char *collectors = strobe_show_collectors(registry, table);
    strobe_complain("%s: table \"%s\" is empty (--list names those that are not)%s%s",
                    result->directory ? result->directory : result->capture, table,
                    collectors ? ". With strobe run --collect NAME it is recorded by: " : "",
                    collectors ? collectors : "");
    return STROBE_EXIT_OK;
}

/* Prints that there are records, but --where selects none of them. */
static void complain_of_conditions(const StrobeRows *rows, const StrobeResult *result)
{
    g_autofree char *conditions = strobe_where_text(rows->request.where);

    strobe_complain("%s: none of the %" G_GUINT64_FORMAT
                    " records of table \"%s\" has %s (--where)",
                    result->directory ? result->directory : result->capture, rows->n_left_out,
                    rows->request.kind, conditions);
}

static StrobeRows *read_rows(StrobeRegistry *registry, const StrobeResult *result,
                             const StrobeRowsRequest *request, const GPtrArray *passes,
                             GError **error)
{
    StrobeRows *rows = strobe_rows_new(request);
    StrobeGroups *groups = request->group_by ? strobe_groups_new(rows) : NULL;
    StrobeShowConsumer *consumer = strobe_show_consumer_new(groups ? "show --group-by" : "show");

    strobe_show_consumer_add(consumer,
                             groups ? strobe_groups_table(groups) : strobe_rows_table(rows));
    strobe_show_consumer_run(consumer, registry, result, passes, TRUE, error);
    strobe_show_consumer_free(consumer);
    strobe_groups_free(groups);
    return rows;
}

static gboolean is_absent(const StrobeRows *rows)
{
    return rows->n_seen == 0 && rows->n_left_out == 0;
}

/* Explains why there are no rows, if this is the case. `is_default`: the user named no table. Frees
 * the error. Returns an exit code. */
static int explain_rows(StrobeRegistry *registry, const StrobeResult *result, StrobeRows *rows,
                        gboolean is_default, const GPtrArray *passes, GError *error)
{
    if (is_default && !error && is_absent(rows)) {
        rows->request.kind = DEFAULT_TABLE;
        explain_nothing(registry, result);
        return STROBE_EXIT_OK;
    }
    if (rows->misuse) {
        g_clear_error(&error);
        return strobe_command_misuse(&usage, "%s", rows->misuse);
    }
    /* In this case no plugin of this installation derives the table, or there is no such table. */
    if (error && !is_default && error->code == STROBE_ERROR_PLUGIN && passes->len == 0 &&
        is_absent(rows))
        g_clear_error(&error);
    if (error)
        return strobe_command_fail(error);
    if (is_absent(rows))
        return explain_empty(registry, result, rows->request.kind, passes);
    if (rows->n_seen == 0)
        complain_of_conditions(rows, result);
    return STROBE_EXIT_OK;
}

/* Shows the rows of a table. `others`: tables that are tried if the requested one has no records;
 * NULL: none, because the user named the table. */
static int show_rows(StrobeRegistry *registry, const StrobeResult *result,
                     const StrobeRowsRequest *request, const char *const *others,
                     const GPtrArray *passes, StrobeJsonWriter *json)
{
    const gboolean is_default = others != NULL;
    StrobeRowsRequest wanted = *request;
    GError *error = NULL;
    StrobeRows *rows = read_rows(registry, result, &wanted, passes, &error);

    for (; !error && others && *others && is_absent(rows); others++) {
        strobe_rows_free(rows);
        wanted.kind = *others;
        rows = read_rows(registry, result, &wanted, passes, &error);
    }
    int code = explain_rows(registry, result, rows, is_default, passes, error);
    if ((code == STROBE_EXIT_OK || code == STROBE_EXIT_NO_MARKERS) && json) {
        write_rows(json, rows, result);
    } else if (code == STROBE_EXIT_OK && rows->n_rows > 0) {
        begin_page();
        strobe_rows_print(rows);
    }
    strobe_rows_free(rows);
    return code;
}

/* ---- results ---- */

/* Prints the path of a result above its tables. Called only if there are several results. */
static void print_heading(const char *path)
{
    static gboolean is_later;
    g_autofree char *shown = strobe_text_printable(path, strlen(path));

    begin_page();
    printf("%s%s%s%s\n", is_later ? "\n" : "", strobe_style(STROBE_STYLE_HEAD), shown,
           strobe_style(STROBE_STYLE_END));
    is_later = TRUE;
}

static int show_overview(StrobeRegistry *registry, const StrobeResult *result, const Flags *flags)
{
    GError *error = NULL;
    StrobeOverview *overview =
        strobe_overview_read(registry, result, flags->passes, (guint)flags->limit, &error);

    if (!overview)
        return strobe_command_fail(error);
    if (strobe_overview_has_rows(overview)) {
        begin_page();
        strobe_overview_print(overview);
    } else {
        explain_nothing(registry, result);
    }
    strobe_overview_free(overview);
    return STROBE_EXIT_OK;
}

/* Whether the overview is shown, because no flag needs a table. */
static gboolean is_overview(const Flags *flags)
{
    return !flags->table && !flags->sort && !flags->columns && !flags->group_by && !flags->where &&
           !flags->reverse;
}

static int show_results(const char *path, const Flags *flags, StrobeWhere *where,
                        StrobeRegistry *registry, StrobeJsonWriter *json)
{
    GError *error = NULL;
    StrobeReadResults found;
    g_auto(GStrv) columns = flags->columns ? g_strsplit(flags->columns, ",", -1) : NULL;
    g_auto(GStrv) group_by = flags->group_by ? g_strsplit(flags->group_by, ",", -1) : NULL;
    const StrobeRowsRequest request = {.kind = flags->table ? flags->table : DEFAULT_TABLE,
                                       .sort = flags->sort,
                                       .columns = (const char *const *)columns,
                                       .group_by = (const char *const *)group_by,
                                       .where = where,
                                       .limit = (guint)flags->limit,
                                       .reverse = flags->reverse,
                                       .direction = flags->direction,
                                       .raw = flags->json};
    int code = 0;

    if (!strobe_read_results_find(&found, path, registry, &error))
        return strobe_command_fail(error);
    const GPtrArray *results = found.results;
    for (guint i = 0; i < results->len && code != STROBE_EXIT_USAGE; i++) {
        const StrobeResult *result = g_ptr_array_index(results, i);
        int failed = 0;
        if ((results->len > 1 || flags->n_paths > 1) && !json)
            print_heading(result->directory ? result->directory : path);
        if (flags->list && !json)
            begin_page();
        if (!flags->list && !json && is_overview(flags))
            failed = show_overview(registry, result, flags);
        else if (!flags->list)
            failed = show_rows(registry, result, &request, flags->table ? NULL : default_tables + 1,
                               flags->passes, json);
        else if (!strobe_tables_list(registry, result, json, &error))
            failed = strobe_command_fail(g_steal_pointer(&error));
        code = code ? code : failed;
    }
    strobe_read_results_clear(&found);
    return code;
}

static int run_show(Flags *flags, char **paths)
{
    g_autofree char *misuse = NULL;
    StrobeWhere *where = flags->where ? strobe_where_new(flags->where, &misuse) : NULL;
    int code = 0;

    if (misuse)
        return strobe_command_misuse(&usage, "%s", misuse);
    if (!strobe_plugin_folders_check(flags->plugin_path, &code) ||
        !strobe_memory_flags_apply(&flags->memory, &code)) {
        strobe_where_free(where);
        return code;
    }
    StrobeRegistry *registry = strobe_registry_new((const char *const *)flags->plugin_path);
    StrobeJsonWriter *json = flags->json ? strobe_json_open() : NULL;
    if (json)
        strobe_json_begin_array(json);
    for (; *paths; paths++) {
        int failed = show_results(*paths, flags, where, registry, json);
        code = code ? code : failed;
    }
    if (json) {
        strobe_json_end_array(json);
        strobe_json_close(json);
    }
    strobe_pager_end();
    strobe_registry_free(registry);
    strobe_where_free(where);
    return code;
}

static gboolean read_passes(const Flags *flags, GError **error)
{
    for (char **text = flags->pass; text && *text; text++)
        if (!strobe_config_add_component(flags->passes, *text, "--pass", error))
            return FALSE;
    return TRUE;
}

int strobe_command_show(int argc, char **argv)
{
    Flags flags = {.limit = DEFAULT_LIMIT};
    GError *error = NULL;
    int code = STROBE_EXIT_USAGE;

    flags.passes = strobe_config_components_new();
    if (parse_flags(&argc, &argv, &flags))
        code =
            read_passes(&flags, &error) ? run_show(&flags, argv + 1) : strobe_command_fail(error);
    g_ptr_array_unref(flags.passes);
    g_strfreev(flags.pass);
    g_free(flags.table);
    g_free(flags.sort);
    g_free(flags.columns);
    g_free(flags.group_by);
    g_free(flags.color);
    g_strfreev(flags.where);
    g_strfreev(flags.plugin_path);
    return code;
}
