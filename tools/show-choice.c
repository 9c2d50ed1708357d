/* SPDX-License-Identifier: Apache-2.0 */
#include "show-choice.h"

#include <string.h>
#include <strobe/helpers/fields.h>
#include <strobe/kinds.h>

#include "error.h"
#include "show-tables.h"

void strobe_choice_init(StrobeColumnChoice *choice, const char *table)
{
    *choice = (StrobeColumnChoice){.table = table};
    choice->fields = g_array_new(FALSE, FALSE, sizeof(StrobeFieldView));
}

void strobe_choice_clear(StrobeColumnChoice *choice)
{
    g_array_unref(choice->fields);
    strobe_columns_free(choice->columns);
    strobe_columns_free(choice->plain);
}

static void add_fields(GArray *fields, const StrobeKindView *kind)
{
    for (guint32 i = 0; i < kind->n_fields; i++) {
        guint known = 0;
        while (known < fields->len && strcmp(g_array_index(fields, StrobeFieldView, known).name,
                                             kind->fields[i].name) != 0)
            known++;
        if (known == fields->len)
            g_array_append_val(fields, kind->fields[i]);
    }
}

/* Collects the fields of all kinds with the table's name in choice->fields. Several kinds may have
 * the name, because plugins extend kinds, and that of the first record may have fewer fields than
 * another. */
static void merge_kinds(StrobeColumnChoice *choice, const StrobeShowSource *source,
                        const StrobeView *record)
{
    const StrobeKindView *kind;

    add_fields(choice->fields, record->kind);
    for (guint32 i = 0; (kind = strobe_pipeline_kind(source->pipeline, i)); i++)
        if (!record->kind->derived && strcmp(kind->name, record->kind->name) == 0)
            add_fields(choice->fields, kind);
    choice->kind = *record->kind;
    choice->kind.fields = (const StrobeFieldView *)(gpointer)choice->fields->data;
    choice->kind.n_fields = choice->fields->len;
}

void strobe_choice_see(StrobeColumnChoice *choice, const StrobeShowSource *source,
                       const StrobeView *record, gboolean raw)
{
    const StrobePresentation *known = raw ? NULL : strobe_presentation_find(choice->table);
    const StrobeKindView *kind = &choice->kind;

    merge_kinds(choice, source, record);
    choice->columns = strobe_columns_new(source->host, source->self, kind, record, raw);
    choice->plain = strobe_columns_new(source->host, source->self, kind, record, TRUE);
    choice->tables[1] = strobe_columns_table(choice->columns, choice->table);
    choice->tables[2] = strobe_columns_table(choice->plain, choice->table);
    choice->tables[0] = known ? known->table : choice->tables[1];
}

/* Returns the kind with this name: that of the capture or, if the capture has none, the standard
 * kind, for which `view` and `fields` are filled. NULL: there is none. */
static const StrobeKindView *known_kind(const StrobePipeline *pipeline, const char *name,
                                        StrobeKindView *view, GArray *fields)
{
    const StrobeKindView *recorded;

    for (guint32 i = 0; (recorded = strobe_pipeline_kind(pipeline, i)); i++)
        if (strcmp(recorded->name, name) == 0)
            return recorded;
    for (const StrobeKind *const *kind = strobe_standard_kinds; *kind; kind++) {
        if (strcmp((*kind)->name, name) != 0)
            continue;
        for (guint32 i = 0; i < (*kind)->n_fields; i++) {
            const StrobeField *field = &(*kind)->fields[i];
            const StrobeFieldView copy = {.name = field->name,
                                          .unit = field->unit,
                                          .summary = field->summary,
                                          .type = field->type,
                                          .offset = i * (guint32)sizeof(guint64)};
            g_array_append_val(fields, copy);
        }
        *view = (StrobeKindView){.name = name,
                                 .fields = (const StrobeFieldView *)(gpointer)fields->data,
                                 .n_fields = fields->len,
                                 .shape = (*kind)->shape};
        return view;
    }
    return NULL;
}

gboolean strobe_choice_see_kind(StrobeColumnChoice *choice, const StrobeShowSource *source,
                                gboolean raw)
{
    g_autoptr(GArray) fields = g_array_new(FALSE, FALSE, sizeof(StrobeFieldView));
    StrobeKindView view;
    const StrobeKindView *kind = known_kind(source->pipeline, choice->table, &view, fields);

    if (!kind)
        return FALSE;
    g_autofree char *nothing = g_malloc0(MAX(strobe_view_field_bytes(kind), 1));
    const StrobeView record = {.kind = kind, .fields = nothing};
    strobe_choice_see(choice, source, &record, raw);
    return TRUE;
}

const StrobeColumn *strobe_choice_find(const StrobeColumnChoice *choice, const char *name,
                                       char **misuse)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();

    for (guint t = 0; t < G_N_ELEMENTS(choice->tables); t++)
        for (guint32 i = 0; i < choice->tables[t].n_columns; i++) {
            const StrobeColumn *column = &choice->tables[t].columns[i];
            if (g_ascii_strcasecmp(strobe_column_name(column), name) == 0 ||
                g_ascii_strcasecmp(column->title, name) == 0)
                return column;
            if (!g_ptr_array_find_with_equal_func(names, strobe_column_name(column), g_str_equal,
                                                  NULL))
                g_ptr_array_add(names, (gpointer)strobe_column_name(column));
        }
    g_ptr_array_add(names, NULL);
    g_autofree char *hint = strobe_nearest_hint(name, (const char *const *)names->pdata);
    g_autofree char *all = g_strjoinv(", ", (char **)names->pdata);
    *misuse = g_strdup_printf("Unknown column \"%s\" of table \"%s\"%s (columns: %s)", name,
                              choice->table, hint, all);
    return NULL;
}

const StrobeFieldView *strobe_choice_field(const StrobeColumnChoice *choice,
                                           const StrobeColumn *column)
{
    for (guint32 i = 0; i < choice->kind.n_fields; i++)
        if (strcmp(choice->kind.fields[i].name, column->field) == 0)
            return &choice->kind.fields[i];
    return NULL;
}

gboolean strobe_choice_is_text(const StrobeColumnChoice *choice, const StrobeColumn *column)
{
    const StrobeFieldView *field = strobe_choice_field(choice, column);

    return strcmp(column->field, STROBE_COLUMN_NAME) == 0 ||
           strcmp(column->field, STROBE_COLUMN_TRACK_NAME) == 0 ||
           (field && field->type == STROBE_FIELD_STRING);
}

const char *strobe_choice_unit(const StrobeColumnChoice *choice, const StrobeColumn *column)
{
    const StrobeFieldView *field = strobe_choice_field(choice, column);

    if (strcmp(column->field, STROBE_COLUMN_DURATION) == 0)
        return "ns";
    return field && field->unit ? field->unit : "";
}
