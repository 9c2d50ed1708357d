/* SPDX-License-Identifier: Apache-2.0 */
#include "group-columns.h"

#include <string.h>

#include "error.h"
#include "group-values.h"
#include "show-scale.h"

static const char *const statistics[] = {"sum", "mean", "p50", "p95", "max"};

void strobe_group_columns_init(StrobeGroupColumns *columns, StrobeRows *rows)
{
    *columns = (StrobeGroupColumns){.rows = rows};
    strobe_choice_init(&columns->choice, rows->request.kind);
    columns->quantities = g_array_new(FALSE, FALSE, sizeof(StrobeQuantity));
}

void strobe_group_columns_clear(StrobeGroupColumns *columns)
{
    strobe_choice_clear(&columns->choice);
    g_array_unref(columns->quantities);
}

static gboolean has_by(const StrobeGroupColumns *columns, const char *name)
{
    for (guint i = 0; i < columns->n_by; i++)
        if (strcmp(strobe_column_name(&columns->by[i]), name) == 0)
            return TRUE;
    return FALSE;
}

/* Returns the title of the column with the number of records: "count", or another word if the kind
 * has a field "count". */
static const char *count_name(const StrobeGroupColumns *columns)
{
    return has_by(columns, "count") ? "records" : "count";
}

static gboolean choose_by(StrobeGroupColumns *columns)
{
    StrobeRows *rows = columns->rows;

    for (const char *const *name = rows->request.group_by; *name; name++) {
        const StrobeColumn *column = strobe_choice_find(&columns->choice, *name, &rows->misuse);
        if (!column)
            return FALSE;
        if (has_by(columns, strobe_column_name(column))) {
            rows->misuse = g_strdup_printf("--group-by names \"%s\" twice", *name);
            return FALSE;
        }
        if (columns->n_by == STROBE_GROUP_BY_MAX) {
            rows->misuse =
                g_strdup_printf("--group-by names more than %d columns", STROBE_GROUP_BY_MAX);
            return FALSE;
        }
        columns->by[columns->n_by] = *column;
        columns->by[columns->n_by].cell = STROBE_CELL_AUTO;
        columns->by[columns->n_by++].absent = NULL;
    }
    return TRUE;
}

static gboolean is_number(const StrobeFieldView *field)
{
    return field->type != STROBE_FIELD_STRING && field->type != STROBE_FIELD_STACK &&
           field->type != STROBE_FIELD_TRACK && field->type != STROBE_FIELD_LINK &&
           field->type != STROBE_FIELD_BOOL;
}

static gboolean is_duration(const StrobeColumn *column)
{
    return strcmp(column->field, STROBE_COLUMN_DURATION) == 0;
}

static gboolean is_quantity(const StrobeGroupColumns *columns, const StrobeColumn *column)
{
    const StrobeFieldView *field = strobe_choice_field(&columns->choice, column);

    return is_duration(column) || (field && is_number(field));
}

static void add_quantity(StrobeGroupColumns *columns, const StrobeColumn *column)
{
    const StrobeFieldView *field = strobe_choice_field(&columns->choice, column);
    StrobeQuantity quantity = {.column = *column,
                               .unit = strobe_choice_unit(&columns->choice, column),
                               .is_integer = !field || field->type != STROBE_FIELD_F64};

    quantity.column.cell = STROBE_CELL_AUTO;
    g_array_append_val(columns->quantities, quantity);
}

static gboolean choose_named(StrobeGroupColumns *columns)
{
    StrobeRows *rows = columns->rows;

    for (const char *const *name = rows->request.columns; *name; name++) {
        const StrobeColumn *column = strobe_choice_find(&columns->choice, *name, &rows->misuse);
        if (!column)
            return FALSE;
        if (!is_quantity(columns, column)) {
            rows->misuse = g_strdup_printf(
                "--columns names \"%s\", which is no quantity that groups can have a sum of",
                *name);
            return FALSE;
        }
        add_quantity(columns, column);
    }
    return TRUE;
}

/* Chooses the default quantities: the duration if the kind has spans, and each number with a
 * unit. */
static void choose_declared(StrobeGroupColumns *columns)
{
    const StrobeTable *plain = &columns->choice.tables[2];

    for (guint32 i = 0; i < plain->n_columns; i++) {
        const StrobeColumn *column = &plain->columns[i];
        if (is_quantity(columns, column) && !strobe_column_is_instant(column) &&
            *strobe_choice_unit(&columns->choice, column))
            add_quantity(columns, column);
    }
}

static char *by_title(const StrobeGroupColumns *columns, const StrobeColumn *column)
{
    return g_strdup(columns->rows->request.raw ? strobe_column_name(column) : column->title);
}

/* Returns the title of a statistic of a quantity: for JSON, for example, "duration_sum"; for
 * people, for example, "usage(%) sum". */
static char *statistic_title(const StrobeGroupColumns *columns, const StrobeQuantity *quantity,
                             guint statistic)
{
    const char *name = strobe_column_name(&quantity->column);

    if (columns->rows->request.raw)
        return g_strdup_printf("%s_%s", name, statistics[statistic]);
    if (!*quantity->unit || strobe_scale_has_unit(quantity->unit))
        return g_strdup_printf("%s %s", name, statistics[statistic]);
    return g_strdup_printf("%s(%s) %s", name, quantity->unit, statistics[statistic]);
}

static void add_titles(StrobeGroupColumns *columns)
{
    GPtrArray *titles = columns->rows->titles;

    for (guint i = 0; i < columns->n_by; i++)
        g_ptr_array_add(titles, by_title(columns, &columns->by[i]));
    g_ptr_array_add(titles, g_strdup(count_name(columns)));
    for (guint q = 0; q < columns->quantities->len; q++)
        for (guint s = 0; s < STROBE_GROUP_STATISTICS; s++)
            g_ptr_array_add(
                titles, statistic_title(columns,
                                        &g_array_index(columns->quantities, StrobeQuantity, q), s));
}

/* Returns the name by which --sort may name a column, besides the column's title. Free it. */
static char *sort_name(const StrobeGroupColumns *columns, guint column)
{
    const guint first = columns->n_by + STROBE_GROUP_COUNT_WIDTH;

    if (column < columns->n_by)
        return g_strdup(strobe_column_name(&columns->by[column]));
    if (column < first)
        return g_strdup(count_name(columns));
    const StrobeQuantity *quantity = &g_array_index(columns->quantities, StrobeQuantity,
                                                    (column - first) / STROBE_GROUP_STATISTICS);
    return g_strdup_printf("%s_%s", strobe_column_name(&quantity->column),
                           statistics[(column - first) % STROBE_GROUP_STATISTICS]);
}

static gboolean find_sort(StrobeGroupColumns *columns, const char *wanted)
{
    StrobeRows *rows = columns->rows;
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    /* the user may write blanks, for example "duration max" */
    g_autofree char *joined = g_strdelimit(g_strdup(wanted), " ", '_');

    for (guint i = 0; i < rows->titles->len; i++) {
        char *name = sort_name(columns, i);
        g_ptr_array_add(names, name);
        if (g_ascii_strcasecmp(name, joined) == 0 ||
            g_ascii_strcasecmp(g_ptr_array_index(rows->titles, i), wanted) == 0) {
            columns->sort = i;
            return TRUE;
        }
    }
    g_ptr_array_add(names, NULL);
    g_autofree char *hint = strobe_nearest_hint(wanted, (const char *const *)names->pdata);
    g_autofree char *all = g_strjoinv(", ", (char **)names->pdata);
    rows->misuse =
        g_strdup_printf("Unknown column \"%s\" of the groups%s (columns: %s)", wanted, hint, all);
    return FALSE;
}

/* Chooses the column and the direction of the order: those of --sort or, if there is none, the sum
 * of the first quantity, the largest first. FALSE: the column is not known. */
static gboolean choose_order(StrobeGroupColumns *columns)
{
    const StrobeRowsRequest *request = &columns->rows->request;

    columns->sort = columns->n_by + (columns->quantities->len ? STROBE_GROUP_COUNT_WIDTH : 0);
    if (request->sort && !find_sort(columns, request->sort))
        return FALSE;
    gboolean is_text = columns->sort < columns->n_by &&
                       strobe_choice_is_text(&columns->choice, &columns->by[columns->sort]);
    gboolean descends = request->direction ? request->direction < 0 : !is_text;
    columns->largest_first = descends != request->reverse;
    return TRUE;
}

gboolean strobe_group_columns_choose(StrobeGroupColumns *columns)
{
    StrobeRows *rows = columns->rows;

    if (!choose_by(columns))
        return FALSE;
    if (!rows->request.columns)
        choose_declared(columns);
    else if (!choose_named(columns))
        return FALSE;
    add_titles(columns);
    return choose_order(columns) &&
           (!rows->request.where ||
            strobe_where_bind(rows->request.where, &columns->choice, &rows->misuse));
}
