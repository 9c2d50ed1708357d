/* SPDX-License-Identifier: Apache-2.0 */
/* Writes records to CSV files: kinds of the Ascend formats to the tables of these formats; any
 * other kind to a file of its own, with all its fields. */
#include "csv.h"

#include <glib.h>
#include <string.h>
#include <strobe/helpers/keyed-hash.h>

#include "csv-rows.h"

#define GENERIC_FILES_MAX 200
#define FILE_STEM_MAX 200
#define RECENT_KINDS 64u

/* Kinds that are written only if an option names them. */
static const char *const on_request[] = {
    "cpu_op", /* operator_details.csv contains every operator */
    "collector_call", "diagnostic", "metadata", NULL,
};

/* A kind, with the objects that write the rows of its records. */
typedef struct CsvKind {
    const StrobeKindView *view;
    /* view_fields, view_n_fields and view_id show whether another view is of the same kind */
    const StrobeFieldView *view_fields;
    guint32 view_n_fields;
    StrobeKindId view_id;
    GPtrArray *rows; /* elements of type CsvRows; empty: the kind is not written */
} CsvKind;

/* A file of the Ascend formats. If its entries are fallbacks, its rows are written only if the main
 * file with the same name has none. */
typedef struct AscendOutput {
    CsvFile *file;
    const CsvFile *unless; /* for fallbacks: the main file */
    gboolean has_columns;
} AscendOutput;

typedef struct Csv {
    CsvContext context;
    /* every kind is written with all its fields, none to a table of the Ascend formats */
    gboolean has_all_fields;
    char **only, **also;           /* names of kinds that the options contain */
    GHashTable *kinds;             /* const StrobeKindView * -> CsvKind */
    CsvKind *recent[RECENT_KINDS]; /* the last kinds; a kind is in the slot of its id */
    GPtrArray *files;              /* all files; of CsvFile */
    GHashTable *names;             /* names of generic files and of the tables' files */
    AscendOutput *ascend;          /* the output of each entry of ascend_files */
    guint n_generic;
    guint n_skipped;
} Csv;

static void free_kind(gpointer user)
{
    CsvKind *kind = user;

    g_ptr_array_unref(kind->rows);
    g_free(kind);
}

static StrobeStatus csv_open(const StrobeConsumerHost *host, StrobeInstance *self, void **state)
{
    const StrobeMetadata *metadata = host->metadata(self);
    Csv *csv = g_new0(Csv, 1);

    csv->context =
        (CsvContext){.host = host,
                     .self = self,
                     .generation = metadata->generation,
                     .level = metadata->level,
                     .keeps_formulas = !strcmp(host->option_text(self, "formulas"), "keep"),
                     .cache = cell_cache_new(host, self)};
    csv->has_all_fields = host->option_bool(self, "all_fields");
    csv->only = g_strsplit(host->option_text(self, "kinds"), "+", -1);
    csv->also = g_strsplit(host->option_text(self, "also"), "+", -1);
    csv->kinds = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, free_kind);
    csv->names = g_hash_table_new(strobe_hash_of_text, g_str_equal);
    csv->files = g_ptr_array_new_with_free_func((GDestroyNotify)(void *)csv_file_free);
    csv->ascend = g_new0(AscendOutput, n_ascend_files);
    *state = csv;
    return STROBE_OK;
}

static gboolean is_wanted(const Csv *csv, const char *kind)
{
    if (g_strv_contains((const char *const *)csv->also, kind))
        return TRUE;
    if (csv->only[0] && *csv->only[0])
        return g_strv_contains((const char *const *)csv->only, kind);
    return !g_strv_contains(on_request, kind);
}

static CsvFile *new_file(Csv *csv, const char *name)
{
    CsvFile *file = csv_file_new(csv->context.host, csv->context.self, name);

    g_ptr_array_add(csv->files, file);
    g_hash_table_add(csv->names, (gpointer)csv_file_name(file));
    return file;
}

/* ---- files of the tables ---- */

static gboolean is_among(guint32 mask, guint32 bit)
{
    return mask == 0 || (mask & bit) != 0;
}

static gboolean is_here(const Csv *csv, const AscendFile *entry)
{
    return is_among(entry->generations, ascend_generation_bit(csv->context.generation)) &&
           is_among(entry->levels, ascend_level_bit(csv->context.level));
}

/* Returns whether the file contains derived data and the Ascend profiler does not write the file at
 * this level. */
static gboolean is_left_out(const Csv *csv, const AscendFile *entry)
{
    return (entry->flags & ASCEND_FILE_DERIVED) &&
           !is_among(entry->levels, ascend_level_bit(csv->context.level));
}

/* Returns the index of the first entry of the same file that is a fallback (`fallback` is set) or
 * is no fallback (`fallback` is 0). */
static guint32 first_entry(const AscendFile *entry, guint32 fallback)
{
    guint32 i = 0;

    while (strcmp(ascend_files[i].file, entry->file) ||
           (ascend_files[i].flags & ASCEND_FILE_FALLBACK) != fallback)
        i++;
    return i;
}

/* Returns the output of the entry `first`, which is the first entry of its file and type (fallback
 * or not). The first call makes the output. */
static AscendOutput *output_of(Csv *csv, guint32 first)
{
    const AscendFile *entry = &ascend_files[first];
    AscendOutput *output = &csv->ascend[first];

    if (output->file)
        return output;
    output->file = new_file(csv, entry->file);
    if (entry->flags & ASCEND_FILE_FALLBACK)
        output->unless = output_of(csv, first_entry(entry, 0))->file;
    for (guint32 i = first + 1; i < n_ascend_files; i++)
        if (!strcmp(ascend_files[i].file, entry->file) && ascend_files[i].flags == entry->flags)
            /* the rows of each entry come after the rows of the previous entry */
            csv_file_hold(output->file);
    return output;
}

static CsvRows *new_ascend_rows(Csv *csv, const StrobeKindView *view, guint32 at)
{
    const AscendFile *entry = &ascend_files[at];
    const guint32 first = first_entry(entry, entry->flags & ASCEND_FILE_FALLBACK);
    AscendOutput *output = output_of(csv, first);
    gboolean is_first = !output->has_columns;

    output->has_columns = TRUE;
    return csv_rows_new_ascend(&csv->context, entry, output->file, output->unless, at - first,
                               is_first, view);
}

/* Adds the kind to the files of the Ascend tables. Returns FALSE if the kind is in none of them. */
static gboolean bind_ascend(Csv *csv, CsvKind *kind)
{
    gboolean is_known = FALSE;

    for (guint32 i = 0; i < n_ascend_files; i++) {
        if (strcmp(ascend_files[i].kind, kind->view->name))
            continue;
        if (is_here(csv, &ascend_files[i])) {
            g_ptr_array_add(kind->rows, new_ascend_rows(csv, kind->view, i));
            is_known = TRUE;
        }
        /* derived data whose file is omitted is not written to a generic file either */
        is_known |= kind->view->derived || is_left_out(csv, &ascend_files[i]);
    }
    return is_known;
}

/* ---- other kinds ---- */

/* Returns the name of the kind's file. Keeps only harmless characters of the kind's name, because a
 * capture may contain any name. */
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
    /* another kind with the same name has other columns and needs its own file */
    for (guint i = 2; g_hash_table_contains(csv->names, name); i++) {
        g_free(name);
        name = g_strdup_printf("%s_%u.csv", stem, i);
    }
    return name;
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
    g_ptr_array_add(kind->rows, csv_rows_new_generic(&csv->context, new_file(csv, name), kind->view,
                                                     csv->has_all_fields));
}

static CsvKind *new_kind(Csv *csv, const StrobeKindView *view)
{
    CsvKind *kind = g_new0(CsvKind, 1);

    kind->view = view;
    kind->view_fields = view->fields;
    kind->view_n_fields = view->n_fields;
    kind->view_id = view->id;
    kind->rows = g_ptr_array_new_with_free_func((GDestroyNotify)(void *)csv_rows_free);
    if (is_wanted(csv, view->name) && (csv->has_all_fields || !bind_ascend(csv, kind)))
        bind_generic(csv, kind);
    return kind;
}

static CsvKind *find_kind(Csv *csv, const StrobeKindView *view)
{
    CsvKind **recent = &csv->recent[view->id % RECENT_KINDS], *kind = *recent;

    if (!kind || kind->view != view)
        kind = g_hash_table_lookup(csv->kinds, view);
    if (!kind || kind->view_fields != view->fields || kind->view_n_fields != view->n_fields ||
        kind->view_id != view->id) {
        kind = new_kind(csv, view);
        g_hash_table_replace(csv->kinds, (gpointer)view, kind);
        /* the kind that was replaced may be one of the last kinds */
        memset(csv->recent, 0, sizeof csv->recent);
    }
    *recent = kind;
    return kind;
}

/* ---- running ---- */

static StrobeStatus io_error(Csv *csv, const CsvFile *file, int error)
{
    const StrobeConsumerHost *host = csv->context.host;
    StrobeInstance *self = csv->context.self;

    return host->fail(self, STROBE_ERROR_IO, __FILE__, __LINE__,
                      "Cannot write a table: file=\"%s\", folder=\"%s\", or its data in the "
                      "folder for temporary files: %s: %s",
                      csv_file_name(file), host->metadata(self)->directory_path,
                      host->storage(self)->place, g_strerror(error));
}

static StrobeStatus csv_batch(void *state, const StrobeView *records, size_t n)
{
    Csv *csv = state;

    for (size_t i = 0; i < n; i++) {
        const CsvKind *kind = find_kind(csv, records[i].kind);

        for (guint at = 0; at < kind->rows->len; at++) {
            CsvRows *rows = g_ptr_array_index(kind->rows, at);
            int error = csv_rows_add(rows, &records[i]);

            if (error)
                return io_error(csv, csv_rows_file(rows), error);
        }
    }
    return STROBE_OK;
}

/* Returns whether the file is a fallback for a file that has rows. */
static gboolean is_needless(const Csv *csv, const CsvFile *file)
{
    for (guint32 i = 0; i < n_ascend_files; i++) {
        const AscendOutput *output = &csv->ascend[i];

        if (output->file == file)
            return output->unless && csv_file_n_rows(output->unless);
    }
    return FALSE;
}

static StrobeStatus end_kinds(Csv *csv)
{
    GHashTableIter iter;
    gpointer value;

    g_hash_table_iter_init(&iter, csv->kinds);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        const CsvKind *kind = value;

        for (guint at = 0; at < kind->rows->len; at++) {
            CsvRows *rows = g_ptr_array_index(kind->rows, at);
            int error = csv_rows_end(rows);

            if (error)
                return io_error(csv, csv_rows_file(rows), error);
        }
    }
    return STROBE_OK;
}

static StrobeStatus finish_files(Csv *csv)
{
    for (guint i = 0; i < csv->files->len; i++) {
        CsvFile *file = g_ptr_array_index(csv->files, i);
        int error = is_needless(csv, file) ? 0 : csv_file_finish(file);

        if (error)
            return io_error(csv, file, error);
    }
    return STROBE_OK;
}

static StrobeStatus csv_end(void *state)
{
    Csv *csv = state;
    StrobeStatus status = end_kinds(csv);

    if (!status)
        status = finish_files(csv);
    if (!status && csv->n_skipped)
        csv->context.host->log(csv->context.self, STROBE_LOG_WARNING,
                               "%u kinds beyond the first %d have no table; name the ones you want "
                               "with the option \"kinds\"",
                               csv->n_skipped, GENERIC_FILES_MAX);
    return status;
}

static void csv_close(void *state)
{
    Csv *csv = state;

    g_hash_table_unref(csv->kinds);
    g_hash_table_unref(csv->names);
    g_ptr_array_unref(csv->files);
    g_strfreev(csv->only);
    g_strfreev(csv->also);
    g_free(csv->ascend);
    cell_cache_free(csv->context.cache);
    strobe_cell_clear(&csv->context.cell);
    g_free(csv);
}

const StrobeConsumerOps csv_ops = {
    .struct_size = sizeof(StrobeConsumerOps),
    .open = csv_open,
    .batch = csv_batch,
    .end = csv_end,
    .close = csv_close,
};
