/* SPDX-License-Identifier: Apache-2.0 */
#include "show-overview.h"

#include <stdio.h>

#include "row-report.h"
#include "show-groups.h"
#include "show-verdict.h"
#include "text-style.h"

/* A table of the overview. */
typedef struct Part {
    const char *kind, *sort;
    /* field of which shares are computed; NULL for groups, which use the duration */
    const char *measure;
    const char *of;    /* words for the measure, which follow "of" */
    const char *noun;  /* word for one row */
    const char *where; /* condition that selects records; NULL: all records */
    /* requested columns, for groups the quantities; NULL: the default columns */
    const char *const *columns;
    gboolean is_grouped; /* the records are grouped by name */
} Part;

static const char *const time_columns[] = {
    "self_share", "self", "total_share", "total", "count", "name", "location", "incomplete", NULL};
static const char *const byte_columns[] = {"self_share",  "self_bytes", "total_share",
                                           "total_bytes", "count",      "name",
                                           "location",    "incomplete", NULL};
static const char *const quantities[] = {"duration", NULL};

enum {
    OPERATORS,
    KERNEL_TYPES,
    FUNCTIONS_SAMPLED,
    FUNCTIONS_CALLED,
    FUNCTIONS_ALLOCATING,
    KERNELS,
    RANGES,
    N_PARTS,
    /* number of parts that the first run reads; a second run reads some of the others */
    N_FIRST = FUNCTIONS_SAMPLED
};

static const Part parts[N_PARTS] = {
    [OPERATORS] = {"operator_average", "host_self", "host_self", "the operators' time", "operator",
                   NULL, NULL, FALSE},
    [KERNEL_TYPES] = {"op_statistic", "total", "total", "the kernels' time", "type", NULL, NULL,
                      FALSE},
    [FUNCTIONS_SAMPLED] = {"function", "self", "self", "the processor time", "function",
                           "source=cpu_sample", time_columns, FALSE},
    [FUNCTIONS_CALLED] = {"function", "self", "self", "the time of Python calls", "function",
                          "source=python_call", time_columns, FALSE},
    [FUNCTIONS_ALLOCATING] = {"function", "self_bytes", "self_bytes", "the allocated bytes",
                              "function", "source=heap.block", byte_columns, FALSE},
    [KERNELS] = {"device_task", NULL, NULL, "the devices' time", "task", NULL, quantities, TRUE},
    [RANGES] = {"marker", NULL, NULL, "the time in marked ranges", "range", NULL, quantities, TRUE},
};

struct StrobeOverview {
    StrobeRows *rows[N_PARTS]; /* NULL: the part was not read */
    StrobeGroups *groups[N_PARTS];
    StrobeWhere *where[N_PARTS];
    StrobeVerdict *verdict;
};

static void add_part(StrobeOverview *overview, guint index, guint limit,
                     StrobeShowConsumer *consumer)
{
    static const char *const by[] = {"name", NULL};
    const Part *part = &parts[index];
    StrobeRowsRequest request = {.kind = part->kind,
                                 .sort = part->sort,
                                 .columns = part->columns,
                                 .limit = limit,
                                 .is_scaled = TRUE,
                                 .measure = part->measure};

    if (part->where) {
        char *const conditions[] = {(char *)part->where, NULL};
        char *misuse = NULL;
        request.where = overview->where[index] = strobe_where_new(conditions, &misuse);
        g_assert_null(misuse);
    }
    if (part->is_grouped)
        request.group_by = by;
    overview->rows[index] = strobe_rows_new(&request);
    if (part->is_grouped)
        overview->groups[index] = strobe_groups_new(overview->rows[index]);
    strobe_show_consumer_add(consumer, part->is_grouped
                                           ? strobe_groups_table(overview->groups[index])
                                           : strobe_rows_table(overview->rows[index]));
}

static gboolean has_rows(const StrobeOverview *overview, guint part)
{
    return overview->rows[part] && overview->rows[part]->n_rows > 0;
}

/* Chooses the parts that a second run reads, and sets their entries in `wanted`. FALSE: no second
 * run is needed. */
static guint choose_more(const StrobeOverview *overview, gboolean *wanted)
{
    const gboolean has_tasks = strobe_verdict_tasks(overview->verdict) > 0;

    wanted[KERNELS] = has_tasks && !has_rows(overview, KERNEL_TYPES);
    if (!has_rows(overview, OPERATORS))
        for (guint i = FUNCTIONS_SAMPLED; i <= FUNCTIONS_ALLOCATING; i++)
            wanted[i] = TRUE;
    wanted[RANGES] = !has_rows(overview, OPERATORS) && !has_tasks;
    return wanted[KERNELS] || wanted[FUNCTIONS_SAMPLED];
}

StrobeOverview *strobe_overview_read(StrobeRegistry *registry, const StrobeResult *result,
                                     const GPtrArray *passes, guint limit, GError **error)
{
    StrobeOverview *overview = g_new0(StrobeOverview, 1);
    StrobeShowConsumer *first = strobe_show_consumer_new("show"),
                       *second = strobe_show_consumer_new("show");
    gboolean wanted[N_PARTS] = {FALSE};

    overview->verdict = strobe_verdict_new();
    strobe_verdict_watch(overview->verdict, first);
    for (guint i = 0; i < N_FIRST; i++)
        add_part(overview, i, limit, first);
    gboolean good = strobe_show_consumer_run(first, registry, result, passes, TRUE, error);
    if (good && choose_more(overview, wanted)) {
        for (guint i = N_FIRST; i < N_PARTS; i++)
            if (wanted[i])
                add_part(overview, i, limit, second);
        good = strobe_show_consumer_run(second, registry, result, passes, TRUE, error);
    }
    strobe_show_consumer_free(first);
    strobe_show_consumer_free(second);
    if (!good)
        g_clear_pointer(&overview, strobe_overview_free);
    return overview;
}

void strobe_overview_free(StrobeOverview *overview)
{
    if (!overview)
        return;
    for (guint i = 0; i < N_PARTS; i++) {
        strobe_rows_free(overview->rows[i]);
        strobe_groups_free(overview->groups[i]);
        strobe_where_free(overview->where[i]);
    }
    strobe_verdict_free(overview->verdict);
    g_free(overview);
}

/* Whether the part is shown. The ranges are shown only if no other part has rows. */
static gboolean is_shown(const StrobeOverview *overview, guint part)
{
    if (part == RANGES)
        for (guint i = 0; i < RANGES; i++)
            if (has_rows(overview, i))
                return FALSE;
    return has_rows(overview, part);
}

gboolean strobe_overview_has_rows(const StrobeOverview *overview)
{
    for (guint i = 0; i < N_PARTS; i++)
        if (is_shown(overview, i))
            return TRUE;
    return FALSE;
}

static void add_sentence(GString *verdict, char *text)
{
    if (text)
        g_string_append_printf(verdict, "%s%s", verdict->len ? "; " : "", text);
    g_free(text);
}

/* Returns the line above the table of a part; above the first table, it also describes the steps.
 * Free it. */
static char *make_verdict(const StrobeOverview *overview, guint part, gboolean is_first)
{
    GString *verdict = g_string_new(NULL);

    if (is_first)
        add_sentence(verdict, strobe_verdict_steps(overview->verdict));
    if (part == KERNELS || part == KERNEL_TYPES)
        add_sentence(verdict, strobe_verdict_devices(overview->verdict));
    add_sentence(verdict,
                 strobe_verdict_shares(overview->rows[part], parts[part].of, parts[part].noun));
    return g_string_free(verdict, FALSE);
}

void strobe_overview_print(const StrobeOverview *overview)
{
    gboolean is_first = TRUE;

    for (guint i = 0; i < N_PARTS; i++) {
        if (!is_shown(overview, i))
            continue;
        g_autofree char *verdict = make_verdict(overview, i, is_first);
        printf("%s%s%s%s\n\n", is_first ? "" : "\n", strobe_style(STROBE_STYLE_VERDICT), verdict,
               strobe_style(STROBE_STYLE_END));
        strobe_rows_print(overview->rows[i]);
        is_first = FALSE;
    }
}
