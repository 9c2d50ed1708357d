/* SPDX-License-Identifier: Apache-2.0 */
/* Converts a result directory with trace_view.json and CSV files to records. */
#include "ascend_text.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <prof-start.h>
#include "communicators.h"
#include "ascend-text-metadata.h"
#include "ascend-text-memory.h"
#include "modes.h"
#include "source-files.h"
#include "stored-json.h"
#include "tables.h"
#include "trace.h"

#define FILE_BYTES_MAX (1u << 20)

/* Files that are read together with others, or at a certain time. */
#define RECORDS "memory_record.csv"
#define BLOCKS "operator_memory.csv"
#define TASKS "task_time.csv"

typedef struct Run {
    Import import;
    SourceFiles *files;
    Metadata metadata;
    Kernels *kernels;
    int kernels_fd; /* stays open, because its rows are read repeatedly */
} Run;

/* Accepts a single file only if it is a trace. A table needs the other files of its folder. */
static void probe_file(const StrobeSource *source, StrobeSourceProbe *answer)
{
    if (source_file_is_trace((const char *)source->head, source->n_head)) {
        answer->format = "Ascend PyTorch Profiler, trace";
        answer->score = 85;
    } else {
        answer->reason = "a single file that is not a trace: give the path of its folder";
    }
}

static void ascend_text_probe(const StrobeSource *source, StrobeSourceProbe *answer)
{
    SourceFiles *files;
    gboolean has_trace, has_kernels, has_table;

    if (!source->is_folder) {
        probe_file(source, answer);
        return;
    }
    files = source_files_new(source);
    has_trace = source_files_find(files, SOURCE_TRACE) != NULL;
    has_kernels = source_files_find(files, SOURCE_KERNELS) != NULL;
    has_table = source_files_find(files, SOURCE_TABLE) != NULL;
    source_files_free(files);
    answer->format = "Ascend PyTorch Profiler, text";
    answer->score = has_trace ? 90 : has_kernels ? 70 : has_table ? 60 : 0;
    if (!answer->score)
        answer->reason = "it has neither a trace nor a table of the profiler";
}

/* Reports that a file is not read at all. */
static void report_dropped(const Run *run, const SourceFile *file, const char *reason)
{
    run->import.host->damage(run->import.self, file->name, reason);
    run->import.host->found(run->import.self, file->name, 0);
}

/* Opens a file. Returns -1 if `file` is NULL, or if the file cannot be opened, which is then
 * reported. */
static int open_file(Run *run, const SourceFile *file)
{
    int fd = file ? source_file_open(file) : -1;

    if (file && fd < 0)
        report_dropped(run, file, g_strerror(errno));
    return fd;
}

/* Reports a table whose last row has no line break. It is incomplete, because the profiler ends
 * every row with a line break. */
static void check_end(const Run *run, const SourceFile *file, int fd)
{
    off_t size = lseek(fd, 0, SEEK_END);
    char last = '\n';

    lseek(fd, 0, SEEK_SET);
    if (size > 0 && pread(fd, &last, 1, size - 1) == 1 && last != '\n')
        import_damage(&run->import, file->name, "offset", (guint64)size,
                      "the last row has no line break: it may be incomplete");
}

static int open_table(Run *run, const SourceFile *file)
{
    int fd = open_file(run, file);

    if (fd >= 0)
        check_end(run, file, fd);
    return fd;
}

/* ---- side files ---- */

/* Passes a side file unchanged to the host, and reads its metadata. */
static void take_info(Run *run, const SourceFile *file)
{
    const Import *import = &run->import;
    int fd = open_file(run, file);
    g_autofree char *bytes = g_malloc(FILE_BYTES_MAX + 1);
    gssize n = fd >= 0 ? pread(fd, bytes, FILE_BYTES_MAX + 1, 0) : -1;

    if (fd < 0)
        return;
    close(fd);
    if (n < 0 || n > (gssize)FILE_BYTES_MAX ||
        import->host->file(import->self, file->name, bytes, (gsize)n)) {
        report_dropped(run, file, n < 0 ? g_strerror(errno) : "too large");
        return;
    }
    metadata_take(&run->metadata, file->name, bytes, (gsize)n);
    import->host->found(import->self, file->name, 1);
}

static void learn_run(Run *run)
{
    for (guint i = 0; i < run->files->files->len; i++) {
        const SourceFile *file = g_ptr_array_index(run->files->files, i);

        run->import.generation = MAX(run->import.generation, file->generation);
        if (run->import.device < 0)
            run->import.device = file->device;
        if (file->type == SOURCE_INFO)
            take_info(run, file);
    }
    metadata_finish(&run->metadata);
    run->import.has_trace = source_files_find(run->files, SOURCE_TRACE) != NULL;
    if (!run->import.has_trace && !run->import.pid)
        run->import.pid = run->metadata.named_pid;
}

/* ---- the trace, kernels and memory ---- */

static void learn_communicators(Run *run)
{
    for (guint i = 0; i < run->files->files->len; i++) {
        const SourceFile *file = g_ptr_array_index(run->files->files, i);
        int fd = file->type == SOURCE_DERIVED_JSON ? open_file(run, file) : -1;

        if (fd < 0)
            continue;
        communicators_read(&run->import, fd);
        close(fd);
    }
}

static void open_kernels(Run *run)
{
    const SourceFile *file = source_files_find(run->files, SOURCE_KERNELS);
    const Import *import = &run->import;

    run->kernels_fd = open_table(run, file);
    if (run->kernels_fd >= 0)
        run->kernels = kernels_new(&run->import, run->kernels_fd);
    if (run->kernels)
        import->host->found(import->self, file->name, kernels_n_rows(run->kernels));
    else if (run->kernels_fd >= 0)
        report_dropped(run, file, "expected columns Name, Start Time(us) and Duration(us)");
}

static void take_trace(Run *run)
{
    int fd = open_file(run, source_files_find(run->files, SOURCE_TRACE));

    if (fd < 0)
        return;
    trace_import(&run->import, fd, run->kernels);
    close(fd);
}

static void take_memory(Run *run)
{
    const SourceFile *records = source_files_table(run->files, RECORDS);
    const SourceFile *blocks = source_files_table(run->files, BLOCKS);
    int records_fd = open_table(run, records), blocks_fd = open_table(run, blocks);

    text_memory_import(&run->import, records_fd, records ? records->name : NULL, blocks_fd,
                       blocks ? blocks->name : NULL);
    if (records_fd >= 0)
        close(records_fd);
    if (blocks_fd >= 0)
        close(blocks_fd);
}

/* ---- tables ---- */

static void take_table(Run *run, const SourceFile *file, const AscendFile *table)
{
    int fd = open_table(run, file);

    if (fd < 0)
        return;
    table_import(&run->import, fd, file->name, table, run->kernels);
    close(fd);
}

/* Reads task_time.csv, unless there is a trace, which contains all tasks. Must be called before the
 * rows of kernels are emitted, because some tasks are completed from these rows. */
static void take_tasks(Run *run)
{
    const SourceFile *file = source_files_table(run->files, TASKS);

    if (file && !run->import.has_trace)
        take_table(run, file, file->table);
}

/* Reads a derived file. Several entries of formats/ may describe its rows; entries that are used
 * only as fallbacks for writing are skipped. */
static void take_stored(Run *run, const SourceFile *file)
{
    for (guint32 i = 0; i < n_ascend_files; i++)
        if (!strcmp(ascend_files[i].file, file->table->file) &&
            !(ascend_files[i].flags & ASCEND_FILE_FALLBACK))
            take_table(run, file, &ascend_files[i]);
}

static void take_generic(Run *run, const SourceFile *file)
{
    int fd = open_table(run, file);

    if (fd < 0)
        return;
    table_import_generic(&run->import, fd, file->name);
    close(fd);
}

/* Reads a table of sums of samples, unless the trace contains the samples themselves. */
static void take_modes(Run *run, const SourceFile *file)
{
    int fd;

    if (import_is_used(&run->import, import_kind(file->table->kind)))
        return;
    /* the kind has no fields for the minimum and the maximum */
    if (file->table->modes->how != ASCEND_MODE_MEANS) {
        take_generic(run, file);
        return;
    }
    fd = open_table(run, file);
    if (fd < 0)
        return;
    modes_import(&run->import, fd, file->name, file->table);
    close(fd);
}

static void take_stored_json(Run *run, const SourceFile *file)
{
    int fd = run->import.wants_derived ? open_file(run, file) : -1;

    if (fd < 0)
        return;
    stored_json_import(&run->import, fd, file->name);
    close(fd);
}

/* Returns whether the file is not the first one of its type, for types of which only one file is
 * read. */
static gboolean is_second(const Run *run, const SourceFile *file)
{
    static const char *const single[] = {RECORDS, BLOCKS, TASKS};

    if (file->type == SOURCE_TRACE || file->type == SOURCE_KERNELS)
        return source_files_find(run->files, file->type) != file;
    for (guint i = 0; file->table && i < G_N_ELEMENTS(single); i++)
        if (!strcmp(file->table->file, single[i]))
            return source_files_table(run->files, single[i]) != file;
    return FALSE;
}

static void take_other(Run *run, const SourceFile *file)
{
    const Import *import = &run->import;

    if (is_second(run, file)) {
        import->host->unknown(import->self, "files", file->name, 1);
        return;
    }
    switch (file->type) {
    case SOURCE_TABLE:
        if (file->table->n_modes)
            take_modes(run, file);
        else if (!(file->table->flags & ASCEND_FILE_DERIVED))
            take_table(run, file, file->table);
        else if (import->wants_derived && strcmp(file->table->file, TASKS))
            take_stored(run, file);
        break;
    case SOURCE_KERNELS:
        if (import->wants_derived && run->kernels)
            kernels_emit_details(run->kernels);
        break;
    case SOURCE_CSV:
        take_generic(run, file);
        break;
    case SOURCE_DERIVED_JSON:
        take_stored_json(run, file);
        break;
    case SOURCE_OWN:
    case SOURCE_UNKNOWN:
        import->host->unknown(import->self, "files", file->name, 1);
        break;
    default:
        break;
    }
}

static void take_all(Run *run)
{
    learn_run(run);
    learn_communicators(run);
    open_kernels(run);
    take_trace(run);
    if (!run->import.pid)
        run->import.pid = run->metadata.named_pid;
    take_tasks(run);
    if (run->kernels)
        kernels_emit_rest(run->kernels);
    take_memory(run);
    for (guint i = 0; i < run->files->files->len && !run->import.is_full; i++)
        take_other(run, g_ptr_array_index(run->files->files, i));
    metadata_tell(&run->metadata);
}

StrobeStatus ascend_text_read(const StrobeImporterHost *host, StrobeInstance *self,
                              const StrobeSource *source, int64_t pid, int32_t rank)
{
    Run run = {.kernels_fd = -1};
    gboolean is_full;

    import_init(&run.import, host, self);
    run.import.pid = pid;
    run.import.rank = rank;
    metadata_init(&run.metadata, &run.import, source->path);
    run.files = source_files_new(source);
    take_all(&run);
    is_full = run.import.is_full;
    kernels_free(run.kernels);
    if (run.kernels_fd >= 0)
        close(run.kernels_fd);
    source_files_free(run.files);
    metadata_clear(&run.metadata);
    import_clear(&run.import);
    if (is_full)
        return host->fail(self, STROBE_ERROR_IO, __FILE__, __LINE__, "The capture has no room");
    return STROBE_OK;
}

static StrobeStatus ascend_text_import(const StrobeImporterHost *host, StrobeInstance *self,
                                       const StrobeSource *source)
{
    gint64 offset;

    if (source->is_folder && prof_start_of_host(source->descriptor, &offset))
        host->metadata_int(self, "raw_clock_offset_ns", offset);
    return ascend_text_read(host, self, source, 0, -1);
}

const StrobeImporterOps ascend_text_ops = {
    .struct_size = sizeof(StrobeImporterOps),
    .probe = ascend_text_probe,
    .import = ascend_text_import,
};
