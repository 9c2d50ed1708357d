/* SPDX-License-Identifier: Apache-2.0 */
#include "show-where.h"

#include <math.h>
#include <string.h>

typedef struct Condition {
    char *field, *value;
    double number;         /* NaN: the value is not a number */
    GPatternSpec *pattern; /* NULL: the value has no wildcards */
    StrobeColumn column;
    guint32 offset; /* offset of the field in records of the kind `where->kind` */
} Condition;

struct StrobeWhere {
    GArray *conditions; /* of Condition */
    const StrobeKindView *kind;
    StrobeCell cell;
};

static void clear_condition(gpointer data)
{
    Condition *condition = data;

    g_free(condition->field);
    g_free(condition->value);
    if (condition->pattern)
        g_pattern_spec_free(condition->pattern);
}

static double parse_number(const char *text)
{
    char *end;
    double number = g_ascii_strtod(text, &end);

    return *text && !*end ? number : NAN;
}

static gboolean add_condition(StrobeWhere *where, const char *text, char **misuse)
{
    const char *equals = strchr(text, '=');
    Condition condition = {0};

    if (!equals || equals == text) {
        *misuse = g_strdup_printf("--where=%s %s, expected FIELD=VALUE", text,
                                  equals ? "names no field" : "has no \"=\"");
        return FALSE;
    }
    condition.field = g_strndup(text, (gsize)(equals - text));
    condition.value = g_strdup(equals + 1);
    condition.number = parse_number(condition.value);
    if (strpbrk(condition.value, "*?"))
        condition.pattern = g_pattern_spec_new(condition.value);
    g_array_append_val(where->conditions, condition);
    return TRUE;
}

StrobeWhere *strobe_where_new(char *const *texts, char **misuse)
{
    StrobeWhere *where = g_new0(StrobeWhere, 1);

    where->conditions = g_array_new(FALSE, TRUE, sizeof(Condition));
    g_array_set_clear_func(where->conditions, clear_condition);
    for (; *texts; texts++)
        if (!add_condition(where, *texts, misuse)) {
            strobe_where_free(where);
            return NULL;
        }
    return where;
}

void strobe_where_free(StrobeWhere *where)
{
    if (!where)
        return;
    g_array_unref(where->conditions);
    strobe_cell_clear(&where->cell);
    g_free(where);
}

gboolean strobe_where_bind(StrobeWhere *where, const StrobeColumnChoice *choice, char **misuse)
{
    where->kind = NULL;
    for (guint i = 0; i < where->conditions->len; i++) {
        Condition *condition = &g_array_index(where->conditions, Condition, i);
        const StrobeColumn *column = strobe_choice_find(choice, condition->field, misuse);
        if (!column)
            return FALSE;
        condition->column = *column;
        condition->column.cell = STROBE_CELL_AUTO;
        condition->column.absent = NULL;
    }
    return TRUE;
}

static void bind_kind(StrobeWhere *where, const StrobeKindView *kind)
{
    where->kind = kind;
    for (guint i = 0; i < where->conditions->len; i++) {
        Condition *condition = &g_array_index(where->conditions, Condition, i);
        const StrobeTable table = {NULL, kind->name, &condition->column, 1};
        strobe_table_bind(&table, kind, &condition->offset);
    }
}

static gboolean is_met(const Condition *condition, const StrobeCell *cell)
{
    if (cell->is_empty)
        return !*condition->value;
    if (cell->is_number && !isnan(condition->number))
        return g_ascii_strtod(cell->bytes, NULL) == condition->number;
    return strcmp(cell->bytes, condition->value) == 0 ||
           (condition->pattern && g_pattern_spec_match_string(condition->pattern, cell->bytes));
}

static gboolean is_same_field(const Condition *a, const Condition *b)
{
    return strcmp(a->column.field, b->column.field) == 0;
}

/* Whether the record meets the condition number `index`, or another condition on the same field. */
static gboolean holds_of_field(StrobeWhere *where, guint index, const StrobeShowSource *source,
                               const StrobeView *record)
{
    const Condition *first = &g_array_index(where->conditions, Condition, index);

    if (strobe_table_cell(source->host, source->self, &first->column, first->offset, record,
                          &where->cell) != 0)
        g_error("failed to allocate %" G_GSIZE_FORMAT " bytes", where->cell.size);
    for (guint i = 0; i < where->conditions->len; i++) {
        const Condition *condition = &g_array_index(where->conditions, Condition, i);
        if (is_same_field(condition, first) && is_met(condition, &where->cell))
            return TRUE;
    }
    return FALSE;
}

gboolean strobe_where_holds(StrobeWhere *where, const StrobeShowSource *source,
                            const StrobeView *record)
{
    if (record->kind != where->kind)
        bind_kind(where, record->kind);
    for (guint i = 0; i < where->conditions->len; i++)
        if (!holds_of_field(where, i, source, record))
            return FALSE;
    return TRUE;
}

char *strobe_where_text(const StrobeWhere *where)
{
    GString *text = g_string_new(NULL);

    for (guint i = 0; i < where->conditions->len; i++) {
        const Condition *condition = &g_array_index(where->conditions, Condition, i);
        g_string_append_printf(text, "%s%s=%s", i ? ", " : "", condition->field, condition->value);
    }
    return g_string_free(text, FALSE);
}
