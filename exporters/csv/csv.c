/* SPDX-License-Identifier: Apache-2.0 */
/* Records to CSV files: mapped kinds by mappings.c, any other kind as a table of all its fields. */
#include "csv.h"

#include <glib.h>
#include <string.h>

#include <ascend.h>

#include "csv-file.h"
#include "mappings.h"

#define GENERIC_FILES_MAX 200
#define FILE_STEM_MAX 200

/* A kind and the file that its records go to. */
typedef struct CsvKind {
    const StrobeKindView *view;
    const StrobeFieldView *view_fields; /* with n and id: is it the same kind still? */
    guint32 view_n_fields;
    StrobeKindId view_id;
    CsvFile *file; /* NULL: not written */
    const CsvMapping *mapping;
    CsvMapping *made; /* a mapping of the Ascend formats, NULL: none */
    StrobeTable table;
    StrobeColumn *columns; /* of a kind without a mapping of ours */
    guint32 *places;
} CsvKind;

typedef struct Csv {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    char **only, **also; /* kinds, as the options name them */
    GHashTable *kinds;   /* const StrobeKindView * -> CsvKind */
    CsvKind *last_kind;
    GHashTable *files; /* name -> CsvFile */
    guint n_generic;
    guint n_skipped;
    StrobeCell cell;
} Csv;

static void free_kind(gpointer user)
{
    CsvKind *kind = user;

    g_free(kind->columns);
    g_free(kind->made);
    g_free(kind->places);
    g_free(kind);
}

static StrobeStatus csv_open(const StrobeConsumerHost *host, StrobeInstance *self, void **state)
{
    Csv *csv = g_new0(Csv, 1);

    csv->host = host;
    csv->self = self;
    csv->only = g_strsplit(host->option_text(self, "kinds"), "+", -1);
    csv->also = g_strsplit(host->option_text(self, "also"), "+", -1);
    csv->kinds = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, free_kind);
    csv->files =
        g_hash_table_new_full(g_str_hash, g_str_equal, NULL, (GDestroyNotify)(void *)csv_file_free);
    *state = csv;
    return STROBE_OK;
}

static gboolean is_wanted(const Csv *csv, const char *kind)
{
    if (g_strv_contains((const char *const *)csv->also, kind))
        return TRUE;
    if (csv->only[0] && *csv->only[0])
        return g_strv_contains((const char *const *)csv->only, kind);
    return !g_strv_contains(csv_kinds_on_request, kind);
}

/* A kind's name is from outside: only harmless characters make it into a file name. */
static char *file_name(Csv *csv, const char *kind)
{
    g_autofree char *stem = g_strndup(kind, FILE_STEM_MAX);
    char *name;

    g_strcanon(stem,
               "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
               "0123456789_.-",
               '_');
    if (*stem == '.' || !*stem) {
        g_autofree char *visible = g_strconcat("_", stem, NULL);

        g_free(stem);
        stem = g_steal_pointer(&visible);
    }
    name = g_strconcat(stem, ".csv", NULL);
    /* Another declaration of this name has other columns: a file of its own. */
    for (guint i = 2; g_hash_table_contains(csv->files, name); i++) {
        g_free(name);
        name = g_strdup_printf("%s_%u.csv", stem, i);
    }
    return name;
}

static CsvFile *new_file(Csv *csv, const char *name, gboolean sorted)
{
    CsvFile *file = csv_file_new(csv->host->facts(csv->self)->directory, name, sorted);

    g_hash_table_insert(csv->files, (gpointer)csv_file_name(file), file);
    return file;
}

/* "host_self(ns)"; the name and times of a generic table have their unit already. */
static void write_header_cell(const CsvKind *kind, CsvFile *file, const StrobeColumn *column)
{
    const char *unit = "";

    for (guint32 i = 0; !kind->mapping && i < kind->view_n_fields; i++)
        if (column->field == kind->view_fields[i].name && kind->view_fields[i].unit)
            unit = kind->view_fields[i].unit;
    if (*unit) {
        g_autofree char *title = g_strdup_printf("%s(%s)", column->title, unit);

        csv_file_cell(file, title, strlen(title));
    } else {
        csv_file_cell(file, column->title, strlen(column->title));
    }
}

static void write_header(const CsvKind *kind, CsvFile *file)
{
    for (guint32 i = 0; i < kind->table.n_columns; i++)
        write_header_cell(kind, file, &kind->table.columns[i]);
    csv_file_end_row(file, 0);
}

static void bind_mapping(Csv *csv, CsvKind *kind, const CsvMapping *mapping)
{
    kind->mapping = mapping;
    kind->table = mapping->table;
    kind->file = g_hash_table_lookup(csv->files, mapping->table.file);
    if (!kind->file) {
        kind->file = new_file(csv, mapping->table.file, mapping->by_begin);
        write_header(kind, kind->file);
    }
}

static void bind_generic(Csv *csv, CsvKind *kind)
{
    g_autofree char *name = NULL;

    if (csv->n_generic == GENERIC_FILES_MAX) {
        csv->n_skipped++;
        return;
    }
    csv->n_generic++;
    name = file_name(csv, kind->view->name);
    kind->columns = g_new0(StrobeColumn, STROBE_TABLE_COLUMNS_MAX);
    kind->table.kind = kind->view->name;
    kind->table.columns = kind->columns;
    kind->table.n_columns = strobe_table_generic(kind->view, kind->columns);
    for (guint32 i = 0; i < kind->table.n_columns; i++)
        if (!strcmp(kind->columns[i].field, STROBE_COLUMN_BEGIN))
            kind->columns[i].cell = STROBE_CELL_US_TAB;
    kind->file = new_file(csv, name, FALSE);
    write_header(kind, kind->file);
}

static gboolean is_among(guint32 mask, guint32 bit)
{
    return mask == 0 || (mask & bit) != 0;
}

/* The kind's file of the Ascend formats, in the generation and level that are to be written. */
static CsvMapping *find_ascend(Csv *csv, CsvKind *kind)
{
    const StrobeFacts *facts = csv->host->facts(csv->self);

    for (guint32 i = 0; i < n_ascend_files; i++) {
        const AscendFile *file = &ascend_files[i];

        if (strcmp(file->kind, kind->view->name) || file->only_field ||
            !is_among(file->generations, ascend_generation_bit(facts->generation)) ||
            !is_among(file->levels, ascend_level_bit(facts->level)))
            continue;
        kind->columns = g_new0(StrobeColumn, STROBE_TABLE_COLUMNS_MAX);
        kind->made = g_new0(CsvMapping, 1);
        kind->made->table = (StrobeTable){
            file->file, file->kind, kind->columns,
            ascend_file_columns(file, facts->generation, facts->level, kind->columns, NULL)};
        kind->made->by_begin = file->order != ASCEND_ORDER_NONE;
        kind->made->skip_prefix = file->skip_prefix;
        return kind->made;
    }
    return NULL;
}

static CsvKind *new_kind(Csv *csv, const StrobeKindView *view)
{
    CsvKind *kind = g_new0(CsvKind, 1);
    const CsvMapping *mapping = NULL;

    kind->view = view;
    kind->view_fields = view->fields;
    kind->view_n_fields = view->n_fields;
    kind->view_id = view->id;
    if (!is_wanted(csv, view->name))
        return kind;
    for (guint i = 0; i < n_csv_mappings; i++)
        if (!strcmp(csv_mappings[i].table.kind, view->name))
            mapping = &csv_mappings[i];
    if (!mapping)
        mapping = find_ascend(csv, kind);
    if (mapping)
        bind_mapping(csv, kind, mapping);
    else
        bind_generic(csv, kind);
    kind->places = g_new0(guint32, kind->table.n_columns + 1);
    strobe_table_bind(&kind->table, view, kind->places);
    return kind;
}

static CsvKind *find_kind(Csv *csv, const StrobeKindView *view)
{
    CsvKind *kind = csv->last_kind;

    if (!kind || kind->view != view)
        kind = g_hash_table_lookup(csv->kinds, view);
    if (!kind || kind->view_fields != view->fields || kind->view_n_fields != view->n_fields ||
        kind->view_id != view->id) {
        kind = new_kind(csv, view);
        g_hash_table_replace(csv->kinds, (gpointer)view, kind);
    }
    csv->last_kind = kind;
    return kind;
}

static gboolean is_skipped(const Csv *csv, const CsvKind *kind, const StrobeView *record)
{
    StrobeText name;

    if (!kind->mapping || !kind->mapping->skip_prefix)
        return FALSE;
    name = csv->host->string(csv->self, record->name);
    return g_str_has_prefix(name.bytes, kind->mapping->skip_prefix);
}

static StrobeStatus io_error(Csv *csv, const CsvFile *file, int error)
{
    return csv->host->fail(csv->self, STROBE_ERROR_IO, __FILE__, __LINE__,
                           "Cannot write a table: file=\"%s\", folder=\"%s\": %s",
                           csv_file_name(file), csv->host->facts(csv->self)->directory_path,
                           g_strerror(error));
}

static StrobeStatus write_record(Csv *csv, const CsvKind *kind, const StrobeView *record)
{
    int error;

    for (guint32 i = 0; i < kind->table.n_columns; i++) {
        if (strobe_table_cell(csv->host, csv->self, &kind->table.columns[i], kind->places[i],
                              record, &csv->cell))
            return csv->host->fail(csv->self, STROBE_ERROR_MEMORY, __FILE__, __LINE__,
                                   "Cannot write a table: file=\"%s\": out of memory",
                                   csv_file_name(kind->file));
        csv_file_cell(kind->file, csv->cell.bytes, csv->cell.length);
    }
    error = csv_file_end_row(kind->file, record->begin_ns);
    return error ? io_error(csv, kind->file, error) : STROBE_OK;
}

static StrobeStatus csv_batch(void *state, const StrobeView *records, size_t n)
{
    Csv *csv = state;

    for (size_t i = 0; i < n; i++) {
        const CsvKind *kind = find_kind(csv, records[i].kind);
        StrobeStatus status;

        if (!kind->file || is_skipped(csv, kind, &records[i]))
            continue;
        status = write_record(csv, kind, &records[i]);
        if (status)
            return status;
    }
    return STROBE_OK;
}

static StrobeStatus csv_end(void *state)
{
    Csv *csv = state;
    GHashTableIter iter;
    gpointer file;

    g_hash_table_iter_init(&iter, csv->files);
    while (g_hash_table_iter_next(&iter, NULL, &file)) {
        int error = csv_file_finish(file);

        if (error)
            return io_error(csv, file, error);
    }
    if (csv->n_skipped)
        csv->host->log(csv->self, STROBE_LOG_WARNING,
                       "%u kinds beyond the first %d have no table; name the ones you want with "
                       "the option \"kinds\"",
                       csv->n_skipped, GENERIC_FILES_MAX);
    return STROBE_OK;
}

static void csv_close(void *state)
{
    Csv *csv = state;

    g_hash_table_unref(csv->kinds);
    g_hash_table_unref(csv->files);
    g_strfreev(csv->only);
    g_strfreev(csv->also);
    strobe_cell_clear(&csv->cell);
    g_free(csv);
}

const StrobeConsumerOps csv_ops = {
    .struct_size = sizeof(StrobeConsumerOps),
    .open = csv_open,
    .batch = csv_batch,
    .end = csv_end,
    .close = csv_close,
};
