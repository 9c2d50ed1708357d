/* SPDX-License-Identifier: Apache-2.0 */
#include "tables.h"

#include <ascend-db.h>
#include <string.h>
#include <strobe/helpers/cell-number.h>

typedef struct Target {
    const StrobeColumn *column; /* NULL: the column is unknown and is stored as text */
    /* offset and type of the kind's field; type 0: the column has no field */
    guint32 offset, type;
} Target;

/* The time and track of a row. */
typedef struct Instant {
    gint64 begin_ns, end_ns;
    StrobeTrackId track;
    StrobeStringId name;
    gint32 device;
} Instant;

typedef struct Table {
    Import *import;
    const char *name;
    const AscendFile *file;
    const StrobeKind *kind; /* the standard kind */
    Kernels *kernels;
    StrobeCsvScanner *scanner;
    GArray *targets; /* elements of type Target, indexed by column */
    guint64 n_rows;
    gint name_at, begin_at, end_at, exact_at, stream_at, task_at, device_at;
    /* offsets of these fields; 0: the kind has no such field */
    guint32 device_offset, component_offset, exact_offset;
} Table;

static void report_damage(const Table *t, const char *reason)
{
    import_damage(t->import, t->name, "row", strobe_csv_scanner_row(t->scanner), reason);
}

/* ---- columns and fields ---- */

static void remember_place(Table *t, const char *field, gint at)
{
    const struct {
        const char *field;
        gint *at;
    } places[] = {
        {STROBE_COLUMN_NAME, &t->name_at}, {STROBE_COLUMN_BEGIN, &t->begin_at},
        {STROBE_COLUMN_END, &t->end_at},   {STROBE_COLUMN_EXACT, &t->exact_at},
        {"stream", &t->stream_at},         {"task_id", &t->task_at},
        {"device", &t->device_at},         {STROBE_COLUMN_DEVICE, &t->device_at},
        {"release_time", &t->end_at},
    };

    for (guint i = 0; i < G_N_ELEMENTS(places); i++)
        if (!strcmp(places[i].field, field))
            *places[i].at = at;
    /* a block's record ends at its release, because GE's rows are in the order of releases */
    if (t->kind == &strobe_kind_memory_block && !strcmp(field, "release_time"))
        t->end_at = at;
}

static void bind_field(Target *target, const StrobeKind *kind, const char *field)
{
    for (guint32 i = 0; i < kind->n_fields; i++)
        if (!strcmp(kind->fields[i].name, field)) {
            target->offset = strobe_kind_offset(kind, i);
            target->type = kind->fields[i].type;
        }
}

static StrobeField unknown_field(Import *import, const char *title)
{
    g_autofree char *name = import_field_name(title);
    g_autofree char *full = g_strconcat("ascend_text.", name, NULL);

    return (StrobeField){g_string_chunk_insert(import->names, full), STROBE_FIELD_STRING, 0, "",
                         g_string_chunk_insert(import->names, title)};
}

static gboolean is_among(const GArray *fields, const char *name)
{
    for (guint i = 0; i < fields->len; i++)
        if (!strcmp(g_array_index(fields, StrobeField, i).name, name))
            return TRUE;
    return FALSE;
}

static gboolean has_field(const StrobeKind *kind, const char *name)
{
    for (guint32 i = 0; i < kind->n_fields; i++)
        if (!strcmp(kind->fields[i].name, name))
            return TRUE;
    return FALSE;
}

/* Adds a field for each unknown column, unless the kind is already in use. A file that several
 * entries describe is read once for each entry, so the field may already exist. */
static void extend_kind(Table *t, const StrobeCsvCell *cells, gsize n)
{
    g_autoptr(GArray) fields = g_array_new(FALSE, FALSE, sizeof(StrobeField));
    const StrobeKind *known = import_extended(t->import, t->kind);
    guint room = STROBE_KIND_FIELDS_MAX - MIN(t->kind->n_fields, STROBE_KIND_FIELDS_MAX);

    for (gsize i = 0; i < n; i++) {
        const StrobeField field = unknown_field(t->import, cells[i].bytes);

        if (ascend_file_column(t->file, cells[i].bytes, cells[i].length))
            continue;
        t->import->host->unknown(t->import->self, t->name, cells[i].bytes, 0);
        if (fields->len < room && !is_among(fields, field.name) && !has_field(known, field.name))
            g_array_append_val(fields, field);
    }
    if (fields->len)
        import_extend(t->import, t->kind, (const StrobeField *)(gpointer)fields->data, fields->len);
}

static guint32 offset_of(const Table *t, const char *field, guint32 type)
{
    Target target = {0};

    bind_field(&target, t->kind, field);
    return target.type == type ? target.offset : 0;
}

static void take_header(Table *t, const StrobeCsvCell *cells, gsize n)
{
    const StrobeKind *kind;

    extend_kind(t, cells, n);
    kind = import_extended(t->import, t->kind);
    for (gsize i = 0; i < n; i++) {
        const AscendColumn *row = ascend_file_column(t->file, cells[i].bytes, cells[i].length);
        Target target = {.column = row ? &row->column : NULL};

        if (row) {
            remember_place(t, row->column.field, (gint)i);
            bind_field(&target, kind, row->column.field);
        } else {
            bind_field(&target, kind, unknown_field(t->import, cells[i].bytes).name);
        }
        g_array_append_val(t->targets, target);
    }
    t->device_offset = offset_of(t, "device", STROBE_FIELD_I32);
    t->component_offset = offset_of(t, "component", STROBE_FIELD_STRING);
    t->exact_offset = offset_of(t, "exact_us", STROBE_FIELD_F64);
}

/* ---- cells ---- */

static const Target *target_at(const Table *t, gint at)
{
    return &g_array_index(t->targets, Target, at);
}

static gint64 read_number(const Table *t, const StrobeCsvCell *cells, gint at, gint64 otherwise)
{
    StrobeCellValue value;

    if (at < 0 ||
        strobe_cell_read(target_at(t, at)->column, cells[at].bytes, cells[at].length, &value) ||
        value.type != STROBE_CELL_WHOLE)
        return otherwise;
    return value.whole;
}

static gboolean read_time(const StrobeCsvCell *cells, gint at, gint64 *ns)
{
    return at >= 0 && strobe_read_us(cells[at].bytes, cells[at].length, ns, NULL) == 0;
}

/* Sets `begin` and `end` to the times of the kernel to which the row belongs. */
static gboolean find_kernel(const Table *t, const StrobeCsvCell *cells, gint64 *begin, gint64 *end)
{
    gint64 stream = read_number(t, cells, t->stream_at, -1);
    gint64 task = read_number(t, cells, t->task_at, -1);

    return t->kernels && stream >= 0 && task >= 0 && stream <= G_MAXUINT32 && task <= G_MAXUINT32 &&
           kernels_find(t->kernels, (guint32)stream, (guint32)task, begin, end);
}

/* Finds the times of a row. If the table has no column with a time, the row gets the times of its
 * kernel. At level 0, where kernels have no numbers, the row gets the begin of the session. Returns
 * FALSE if the row's time is invalid. */
static gboolean find_times(const Table *t, const StrobeCsvCell *cells, gint64 *begin, gint64 *end)
{

    if (t->begin_at >= 0) {
        if (!read_time(cells, t->begin_at, begin))
            return FALSE;
        if (!read_time(cells, t->end_at, end)) {
            *end = *begin;
        } else if (*end < *begin) {
            report_damage(t, "ends before it begins");
            *end = *begin;
        }
        return TRUE;
    }
    if (!find_kernel(t, cells, begin, end))
        *begin = *end = import_instant(t->import);
    return TRUE;
}

/* Returns the text of a list without the line breaks after each semicolon. */
static char *without_breaks(const StrobeCsvCell *cell)
{
    g_autoptr(GString) text = g_string_new_len(cell->bytes, (gssize)cell->length);

    g_string_replace(text, ";\r\n", ";", 0);
    g_string_replace(text, ";\n", ";", 0);
    return g_string_free(g_steal_pointer(&text), FALSE);
}

static StrobeStackId intern_frames(const Import *import, const char *text)
{
    g_auto(GStrv) frames = g_strsplit(text, ";", -1);
    guint n = g_strv_length(frames);
    g_autofree StrobeStringId *ids = g_new(StrobeStringId, n + 1);

    for (guint i = 0; i < n; i++)
        ids[i] = import->host->intern(import->self, frames[i], strlen(frames[i]));
    return n ? import->host->stack(import->self, ids, n) : 0;
}

static guint32 intern_cell(const Table *t, const Target *target, const StrobeCsvCell *cell)
{
    const Import *import = t->import;
    g_autofree char *list = NULL;

    if (!cell->length ||
        (target->column && target->column->absent && !strcmp(cell->bytes, target->column->absent)))
        return 0;
    if (!target->column || target->column->cell != STROBE_CELL_LIST)
        return import->host->intern(import->self, cell->bytes, cell->length);
    list = without_breaks(cell);
    return target->type == STROBE_FIELD_STACK
               ? intern_frames(import, list)
               : import->host->intern(import->self, list, strlen(list));
}

static void take_cell(const Table *t, const Target *target, const StrobeCsvCell *cell, char *fields)
{
    StrobeCellValue value;

    if (target->type == STROBE_FIELD_STRING || target->type == STROBE_FIELD_STACK) {
        guint32 id = intern_cell(t, target, cell);

        memcpy(fields + target->offset, &id, sizeof id);
    } else if (strobe_cell_read(target->column, cell->bytes, cell->length, &value) ||
               strobe_cell_store(&value, target->type, fields + target->offset)) {
        report_damage(t, target->column->title);
    }
}

/* ---- rows ---- */

static StrobeStringId name_of(const Table *t, const StrobeCsvCell *cells)
{
    const StrobeCsvCell *cell = t->name_at >= 0 ? &cells[t->name_at] : NULL;
    const char *prefix = t->file->name_prefix;
    const char *absent = cell ? target_at(t, t->name_at)->column->absent : NULL;

    if (!cell || (absent && !strcmp(absent, cell->bytes)))
        return 0;
    if (prefix && g_str_has_prefix(cell->bytes, prefix))
        return text_import_intern(t->import, cell->bytes + strlen(prefix));
    return t->import->host->intern(t->import->self, cell->bytes, cell->length);
}

static StrobeTrackId track_of(const Table *t, const StrobeCsvCell *cells, gint32 device)
{
    guint64 stream = (guint64)read_number(t, cells, t->stream_at, 0);

    if (t->stream_at >= 0 && t->task_at >= 0)
        return text_import_stream(t->import, device, stream);
    return text_import_counter(t->import, device, t->file->kind);
}

/* Sets fields for which the table has no column. */
static void fill_others(Table *t, gint32 device, const StrobeCsvCell *cells, char *fields)
{
    StrobeStringId component =
        t->file->only_text ? text_import_intern(t->import, t->file->only_text) : 0;
    gint64 ns;
    double rest;

    if (t->device_offset && t->device_at < 0)
        memcpy(fields + t->device_offset, &device, sizeof device);
    if (t->component_offset && component)
        memcpy(fields + t->component_offset, &component, sizeof component);
    if (t->exact_offset && t->exact_at >= 0 &&
        !strobe_read_us(cells[t->exact_at].bytes, cells[t->exact_at].length, &ns, &rest) &&
        rest != 0) {
        double exact = g_ascii_strtod(cells[t->exact_at].bytes, NULL);

        memcpy(fields + t->exact_offset, &exact, sizeof exact);
    }
}

/* Completes a task that is a kernel by its row in kernel_details.csv. */
static void finish_task(Table *t, const char *name, const Instant *at,
                        struct strobe_device_task *task)
{
    Import *import = t->import;
    struct strobe_device_pmu pmu, *fields;

    task->task = import->host->link_ids(import->self, 1);
    if (!kernels_fill(t->kernels, name, at->begin_ns, task, &pmu) || !pmu.metrics)
        return;
    fields = text_import_emit(import, &strobe_kind_device_pmu, at->track, at->name, at->begin_ns,
                              at->end_ns);
    if (fields)
        *fields = pmu;
}

static void set_module(const Table *t, const char *name, struct strobe_module_memory *fields)
{
    /* databases use "AMP" as the name of the module "AML" */
    const char *known = strcmp(name, "AML") ? name : "AMP";
    gint32 id = ascend_db_enum_id("MODULE", known, t->import->generation);

    if (id >= 0)
        fields->module = (guint32)id;
}

static void fill_row(Table *t, const StrobeCsvCell *cells, const Instant *at)
{
    char *fields =
        text_import_emit(t->import, t->kind, at->track, at->name, at->begin_ns, at->end_ns);

    for (guint i = 0; fields && i < t->targets->len; i++) {
        const Target *target = target_at(t, (gint)i);

        if (target->type)
            take_cell(t, target, &cells[i], fields);
    }
    if (!fields)
        return;
    fill_others(t, at->device, cells, fields);
    if (t->kind == &strobe_kind_module_memory && t->name_at >= 0)
        set_module(t, cells[t->name_at].bytes, (gpointer)fields);
    if (t->kind == &strobe_kind_device_task)
        finish_task(t, t->name_at >= 0 ? cells[t->name_at].bytes : "", at, (gpointer)fields);
}

static void take_row(Table *t, const StrobeCsvCell *cells, gsize n)
{
    Instant at = {0};

    if (n != t->targets->len) {
        report_damage(t, "another number of cells than the header has");
        return;
    }
    if (!find_times(t, cells, &at.begin_ns, &at.end_ns)) {
        report_damage(t, "no time");
        return;
    }
    at.device =
        (gint32)CLAMP(read_number(t, cells, t->device_at, t->import->device), -1, G_MAXINT32);
    at.track = track_of(t, cells, at.device);
    at.name = name_of(t, cells);
    fill_row(t, cells, &at);
    t->n_rows++;
}

/* Returns whether t->file, which is one entry of formats/ for the file, describes the row. Another
 * entry may describe it. */
static gboolean is_ours(const Table *t, const StrobeCsvCell *cells, gsize n)
{
    const char *name = t->name_at >= 0 && (gsize)t->name_at < n ? cells[t->name_at].bytes : "";

    if (!t->file->only_field)
        return TRUE;
    return t->file->name_prefix ? g_str_has_prefix(name, t->file->name_prefix)
                                : !g_str_has_prefix(name, "cann::");
}

static void read_rows(Table *t)
{
    const StrobeCsvCell *cells;
    gsize n;
    int status;

    if (strobe_csv_scanner_next(t->scanner, &cells, &n) != STROBE_CSV_ROW) {
        report_damage(t, "no header");
        return;
    }
    take_header(t, cells, n);
    while (!t->import->is_full && (status = strobe_csv_scanner_next(t->scanner, &cells, &n))) {
        if (status == STROBE_CSV_ROW && is_ours(t, cells, n))
            take_row(t, cells, n);
        else if (status == STROBE_CSV_DAMAGED)
            report_damage(t, strobe_csv_scanner_error(t->scanner));
        else if (status == STROBE_CSV_IO)
            break;
    }
}

void table_import(Import *import, int descriptor, const char *name, const AscendFile *file,
                  Kernels *kernels)
{
    Table t = {.import = import,
               .name = name,
               .file = file,
               .kind = import_kind(file->kind),
               .kernels = kernels,
               .name_at = -1,
               .begin_at = -1,
               .end_at = -1,
               .exact_at = -1,
               .stream_at = -1,
               .task_at = -1,
               .device_at = -1};

    if (kernels)
        kernels_begin_table(kernels);
    t.scanner = strobe_csv_scanner_new(descriptor);
    t.targets = g_array_new(FALSE, FALSE, sizeof(Target));
    read_rows(&t);
    /* the profiler writes this file only at level 2 */
    if (t.n_rows && file->levels == ASCEND_L2)
        import->level = MAX(import->level, 2);
    if (t.kind != &strobe_kind_memory_block && t.kind != &strobe_kind_memory_total)
        /* the importers of memory tables count these two kinds */
        import->host->found(import->self, name, t.n_rows);
    strobe_csv_scanner_free(t.scanner);
    g_array_unref(t.targets);
}
