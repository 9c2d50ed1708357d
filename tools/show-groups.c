/* SPDX-License-Identifier: Apache-2.0 */
#include "show-groups.h"

#include <math.h>
#include <string.h>
#include <strobe/helpers/keyed-hash.h>
#include <strobe/helpers/number.h>

#include "group-columns.h"
#include "group-values.h"
#include "show-scale.h"

/* A group of records: the values that its records share (with copies of the texts) and the number
 * of its records. */
typedef struct Group {
    StrobeRowsCell by[STROBE_GROUP_BY_MAX];
    guint64 n;
    guint index;
    gboolean is_incomplete;
} Group;

struct StrobeGroups {
    StrobeRows *rows;
    const StrobeShowSource *source;
    StrobeGroupColumns columns;
    const StrobeKindView *kind; /* kind to which the offsets belong */
    guint32 by_offsets[STROBE_GROUP_BY_MAX];
    guint32 offsets[STROBE_TABLE_COLUMNS_MAX];
    GHashTable *by_key; /* key (a text) -> Group */
    GPtrArray *groups;  /* the groups in the order of their first records */
    StrobeGroupValues *values;
    StrobeCell cell;
    GString *key;
};

static void free_group(gpointer data)
{
    Group *group = data;

    for (guint i = 0; i < STROBE_GROUP_BY_MAX; i++)
        g_free(group->by[i].text);
    g_free(group);
}

StrobeGroups *strobe_groups_new(StrobeRows *rows)
{
    StrobeGroups *groups = g_new0(StrobeGroups, 1);

    groups->rows = rows;
    return groups;
}

void strobe_groups_free(StrobeGroups *groups)
{
    g_free(groups);
}

static void groups_open(void *table, const StrobeShowSource *source)
{
    StrobeGroups *groups = table;

    groups->rows->base_ns = source->host->metadata(source->self)->window_begin_ns;
    groups->source = source;
    strobe_group_columns_init(&groups->columns, groups->rows);
    groups->by_key = g_hash_table_new_full(strobe_hash_of_text, g_str_equal, g_free, NULL);
    groups->groups = g_ptr_array_new_with_free_func(free_group);
    groups->values = strobe_group_values_new(source->host->storage(source->self));
    groups->key = g_string_new(NULL);
}

static void groups_close(void *table)
{
    StrobeGroups *groups = table;

    strobe_group_columns_clear(&groups->columns);
    g_hash_table_unref(groups->by_key);
    g_ptr_array_unref(groups->groups);
    strobe_group_values_free(groups->values);
    strobe_cell_clear(&groups->cell);
    g_string_free(groups->key, TRUE);
}

/* ---- records ---- */

static StrobeStatus fail_table(const StrobeGroups *groups, StrobeStatus status, const char *text)
{
    const StrobeShowSource *source = groups->source;

    return source->host->fail(source->self, status, __FILE__, __LINE__, "%s", text);
}

static void bind_kind(StrobeGroups *groups, const StrobeKindView *kind)
{
    const StrobeTable by = {NULL, kind->name, groups->columns.by, groups->columns.n_by};

    groups->kind = kind;
    strobe_table_bind(&by, kind, groups->by_offsets);
    for (guint i = 0; i < groups->columns.quantities->len; i++) {
        const StrobeColumn *column =
            &g_array_index(groups->columns.quantities, StrobeQuantity, i).column;
        const StrobeTable table = {NULL, kind->name, column, 1};
        strobe_table_bind(&table, kind, &groups->offsets[i]);
    }
}

static gboolean read_cell(StrobeGroups *groups, guint by, const StrobeView *record)
{
    return strobe_table_cell(groups->source->host, groups->source->self, &groups->columns.by[by],
                             groups->by_offsets[by], record, &groups->cell) == 0;
}

/* Writes the key of a record's group into groups->key. The key contains each text with its length,
 * so that different groups have different keys. FALSE: no memory. */
static gboolean make_key(StrobeGroups *groups, const StrobeView *record)
{
    g_string_truncate(groups->key, 0);
    for (guint i = 0; i < groups->columns.n_by; i++) {
        if (!read_cell(groups, i, record))
            return FALSE;
        g_string_append_printf(groups->key, "%" G_GSIZE_FORMAT "%c", groups->cell.length,
                               groups->cell.is_empty ? '-' : ':');
        g_string_append_len(groups->key, groups->cell.bytes, (gssize)groups->cell.length);
    }
    return TRUE;
}

static Group *make_group(StrobeGroups *groups, const StrobeView *record)
{
    Group *group = g_new0(Group, 1);

    group->index = groups->groups->len;
    g_ptr_array_add(groups->groups, group);
    for (guint i = 0; i < groups->columns.n_by; i++) {
        if (!read_cell(groups, i, record))
            return NULL;
        group->by[i] = (StrobeRowsCell){
            .text = g_strndup(groups->cell.bytes, groups->cell.length),
            .length = groups->cell.length,
            .is_number = groups->cell.is_number != 0,
            .is_empty = groups->cell.is_empty != 0,
        };
    }
    g_hash_table_insert(groups->by_key, g_strdup(groups->key->str), group);
    return group;
}

static int add_values(StrobeGroups *groups, const Group *group, const StrobeView *record)
{
    const StrobeShowSource *source = groups->source;
    const guint n = groups->columns.quantities->len;
    int error = 0;

    for (guint i = 0; i < n && !error; i++) {
        const StrobeQuantity *quantity =
            &g_array_index(groups->columns.quantities, StrobeQuantity, i);
        double number;
        if (strobe_table_double(source->host, source->self, &quantity->column, groups->offsets[i],
                                record, &number) &&
            !isnan(number))
            error = strobe_group_values_add(groups->values, (guint64)group->index * n + i, number);
    }
    return error;
}

static StrobeStatus groups_add(void *table, const StrobeView *record)
{
    StrobeGroups *groups = table;
    StrobeRows *rows = groups->rows;

    if (!groups->columns.choice.columns) {
        strobe_choice_see(&groups->columns.choice, groups->source, record, rows->request.raw);
        if (!strobe_group_columns_choose(&groups->columns))
            return fail_table(groups, STROBE_ERROR_ARGUMENT, rows->misuse);
    }
    if (rows->request.where && !strobe_where_holds(rows->request.where, groups->source, record)) {
        rows->n_left_out++;
        return STROBE_OK;
    }
    if (record->kind != groups->kind)
        bind_kind(groups, record->kind);
    if (!make_key(groups, record))
        return fail_table(groups, STROBE_ERROR_MEMORY, "Out of memory");
    Group *group = g_hash_table_lookup(groups->by_key, groups->key->str);
    if (!group && !(group = make_group(groups, record)))
        return fail_table(groups, STROBE_ERROR_MEMORY, "Out of memory");
    group->n++;
    group->is_incomplete |= (record->flags & STROBE_VIEW_INCOMPLETE) != 0;
    int error = add_values(groups, group, record);
    return error ? strobe_storage_fail(groups->source->host, groups->source->self,
                                       "the values of the groups", error)
                 : STROBE_OK;
}

/* ---- rows ---- */

static const StrobeGroupValue *value_of(const StrobeGroups *groups, const Group *group,
                                        guint quantity)
{
    return strobe_group_values_get(
        groups->values, (guint64)group->index * groups->columns.quantities->len + quantity);
}

/* Returns the sum of the group's first quantity; 0: there are no quantities. */
static double first_sum(const StrobeGroups *groups, const Group *group)
{
    const StrobeGroupValue *value =
        groups->columns.quantities->len ? value_of(groups, group, 0) : NULL;

    return value ? value->of[STROBE_GROUP_SUM] : 0;
}

/* Returns the number by which the group is sorted; -infinity: the group has no such number. */
static double sorted_number(const StrobeGroups *groups, const Group *group)
{
    const guint first = groups->columns.n_by + STROBE_GROUP_COUNT_WIDTH;

    if (groups->columns.sort < groups->columns.n_by)
        return group->by[groups->columns.sort].is_number
                   ? g_ascii_strtod(group->by[groups->columns.sort].text, NULL)
                   : -INFINITY;
    if (groups->columns.sort < first)
        return (double)group->n;
    const StrobeGroupValue *value =
        value_of(groups, group, (groups->columns.sort - first) / STROBE_GROUP_STATISTICS);
    return value ? value->of[(groups->columns.sort - first) % STROBE_GROUP_STATISTICS] : -INFINITY;
}

static int compare_groups(gconstpointer a, gconstpointer b, gpointer user)
{
    const Group *first = *(Group *const *)a, *second = *(Group *const *)b;
    const StrobeGroups *groups = user;
    double x = sorted_number(groups, first), y = sorted_number(groups, second);
    int order = (x > y) - (x < y);

    if (order == 0 && groups->columns.sort < groups->columns.n_by)
        order = strcmp(first->by[groups->columns.sort].text, second->by[groups->columns.sort].text);
    if (order != 0)
        return groups->columns.largest_first ? -order : order;
    return first->index < second->index ? -1 : first->index > second->index;
}

static void append_cell(StrobeRows *rows, char *text, gboolean is_number)
{
    StrobeRowsCell cell = {.text = text ? text : g_strdup(""),
                           .length = text ? strlen(text) : 0,
                           .is_number = is_number,
                           .is_empty = !text};

    g_array_append_val(rows->cells, cell);
}

static void append_number(StrobeRows *rows, const StrobeQuantity *quantity, double number)
{
    char text[STROBE_NUMBER_MAX];
    char *scaled = rows->request.raw ? NULL : strobe_scale_text(number, quantity->unit);

    if (scaled)
        append_cell(rows, scaled, TRUE);
    else if (!rows->request.raw)
        append_cell(rows, g_strdup_printf("%.6g", number), TRUE);
    else {
        if (quantity->is_integer && number == floor(number) && fabs(number) < 9e18)
            strobe_format_int(text, (gint64)number);
        else
            strobe_format_double(text, number);
        append_cell(rows, g_strdup(text), TRUE);
    }
}

static void append_group(StrobeGroups *groups, const Group *group)
{
    StrobeRows *rows = groups->rows;

    for (guint i = 0; i < groups->columns.n_by; i++)
        append_cell(rows, group->by[i].is_empty ? NULL : g_strdup(group->by[i].text),
                    group->by[i].is_number);
    append_cell(rows, g_strdup_printf("%" G_GUINT64_FORMAT, group->n), TRUE);
    for (guint q = 0; q < groups->columns.quantities->len; q++) {
        const StrobeGroupValue *value = value_of(groups, group, q);
        for (guint s = 0; s < STROBE_GROUP_STATISTICS; s++)
            if (value)
                append_number(rows, &g_array_index(groups->columns.quantities, StrobeQuantity, q),
                              value->of[s]);
            else
                append_cell(rows, NULL, TRUE);
    }
    const double measure = first_sum(groups, group);
    g_array_append_val(rows->measures, measure);
    rows->n_incomplete += group->is_incomplete;
}

static StrobeStatus groups_end(void *table)
{
    StrobeGroups *groups = table;
    StrobeRows *rows = groups->rows;
    int error = strobe_group_values_finish(groups->values);

    if (error)
        return strobe_storage_fail(groups->source->host, groups->source->self,
                                   "the values of the groups", error);
    if (!groups->columns.choice.columns &&
        strobe_choice_see_kind(&groups->columns.choice, groups->source, rows->request.raw))
        strobe_group_columns_choose(&groups->columns);
    g_ptr_array_sort_with_data(groups->groups, compare_groups, groups);
    rows->n_seen = groups->groups->len;
    rows->n_rows = MIN(groups->groups->len, rows->request.limit);
    for (guint i = 0; i < groups->groups->len; i++)
        rows->measure_total += first_sum(groups, g_ptr_array_index(groups->groups, i));
    for (guint i = 0; i < rows->n_rows; i++)
        append_group(groups, g_ptr_array_index(groups->groups, i));
    strobe_rows_drop_empty(rows);
    return STROBE_OK;
}

StrobeShowTable strobe_groups_table(StrobeGroups *groups)
{
    return (StrobeShowTable){.kind = groups->rows->request.kind,
                             .table = groups,
                             .open = groups_open,
                             .add = groups_add,
                             .end = groups_end,
                             .close = groups_close};
}
