/* SPDX-License-Identifier: Apache-2.0 */
/* A result directory with trace_view.json and CSV files into records. */
#include "ascend_text.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "raw-table.h"
#include "source-files.h"
#include "trace.h"

#define FILE_BYTES_MAX (1u << 20)

typedef struct Import {
    const StrobeImporterHost *host;
    StrobeInstance *self;
    SourceFiles *files;
    int kernels_fd; /* its rows are read again and again */
    Kernels *kernels;
    TraceFacts facts;
} Import;

static void ascend_text_probe(const StrobeSource *source, StrobeSourceProbe *answer)
{
    SourceFiles *files;
    gboolean has_trace, has_kernels;

    if (!source->is_folder) {
        answer->reason = "a single file: name the folder that it is in";
        return;
    }
    files = source_files_new(source);
    has_trace = source_files_find(files, SOURCE_TRACE) != NULL;
    has_kernels = source_files_find(files, SOURCE_KERNELS) != NULL;
    source_files_free(files);
    answer->format = "Ascend PyTorch Profiler, text";
    answer->score = has_trace ? 90 : has_kernels ? 70 : 0;
    if (!answer->score)
        answer->reason = "neither a trace nor a table of kernels in it";
}

/* Side files go over as they are. */
static void take_info(Import *import, const SourceFile *file)
{
    int fd = source_file_open(file);
    g_autofree char *bytes = g_malloc(FILE_BYTES_MAX + 1);
    gssize n = fd >= 0 ? pread(fd, bytes, FILE_BYTES_MAX + 1, 0) : -1;

    if (fd >= 0)
        close(fd);
    if (n < 0 || import->host->file(import->self, file->name, bytes, (gsize)n))
        import->host->damage(import->self, file->name, n < 0 ? g_strerror(errno) : "too large");
    else
        import->host->found(import->self, file->name, 1);
}

static const StrobeKind *kind_of(const AscendFile *table)
{
    for (guint i = 0; i < ASCEND_TEXT_KINDS; i++)
        if (!strcmp(ascend_text_kinds[i]->name, table->kind))
            return ascend_text_kinds[i];
    return NULL;
}

static StrobeStatus take_table(Import *import, const SourceFile *file)
{
    const StrobeKind *kind = kind_of(file->table);
    StrobeStatus status;
    int fd;

    if (!kind || (file->table->flags & ASCEND_FILE_DERIVED))
        return STROBE_OK;
    fd = source_file_open(file);
    if (fd < 0) {
        import->host->damage(import->self, file->name, g_strerror(errno));
        return STROBE_OK;
    }
    status = raw_table_import(import->host, import->self, fd, file->table, kind,
                              (guint64)import->facts.pid, import->facts.device, import->kernels);
    close(fd);
    return status;
}

static void open_kernels(Import *import)
{
    const SourceFile *file = source_files_find(import->files, SOURCE_KERNELS);

    import->kernels_fd = file ? source_file_open(file) : -1;
    if (import->kernels_fd >= 0)
        import->kernels = kernels_new(import->host, import->self, import->kernels_fd);
    if (import->kernels)
        import->host->found(import->self, file->name, kernels_n_rows(import->kernels));
}

static StrobeStatus take_trace(Import *import)
{
    const SourceFile *file = source_files_find(import->files, SOURCE_TRACE);
    StrobeStatus status = STROBE_OK;
    int fd = file ? source_file_open(file) : -1;

    import->facts.device = -1;
    if (fd >= 0)
        status = trace_import(import->host, import->self, fd, import->kernels, &import->facts);
    else if (file)
        import->host->damage(import->self, file->name, g_strerror(errno));
    if (fd >= 0)
        close(fd);
    return status;
}

static StrobeStatus take_others(Import *import)
{
    for (guint i = 0; i < import->files->files->len; i++) {
        const SourceFile *file = g_ptr_array_index(import->files->files, i);
        StrobeStatus status = STROBE_OK;

        if (file->type == SOURCE_INFO)
            take_info(import, file);
        else if (file->type == SOURCE_TABLE)
            status = take_table(import, file);
        else if (file->type == SOURCE_UNKNOWN)
            import->host->unknown(import->self, "files", file->name, 1);
        if (status)
            return status;
    }
    return STROBE_OK;
}

static void tell_facts(const Import *import)
{
    gint generation = import->facts.generation;
    gint level = import->facts.level;

    if (import->kernels) {
        generation = MAX(generation, kernels_generation(import->kernels));
        level = MAX(level, kernels_level(import->kernels));
    }
    if (import->facts.pid)
        import->host->fact_int(import->self, "pid", import->facts.pid);
    import->host->fact_int(import->self, "generation", generation ? generation : 1);
    import->host->fact_int(import->self, "level", level);
    import->host->fact_int(import->self, "device", import->facts.device);
}

static StrobeStatus ascend_text_import(const StrobeImporterHost *host, StrobeInstance *self,
                                       const StrobeSource *source)
{
    Import import = {.host = host, .self = self};
    StrobeStatus status;

    import.files = source_files_new(source);
    open_kernels(&import);
    status = take_trace(&import);
    if (!status)
        status = take_others(&import);
    if (!status)
        tell_facts(&import);
    kernels_free(import.kernels);
    if (import.kernels_fd >= 0)
        close(import.kernels_fd);
    source_files_free(import.files);
    return status;
}

const StrobeImporterOps ascend_text_ops = {
    .struct_size = sizeof(StrobeImporterOps),
    .probe = ascend_text_probe,
    .import = ascend_text_import,
};
