/* SPDX-License-Identifier: Apache-2.0 */
/* Converts a database of the Ascend PyTorch Profiler to records. */
#include "ascend_db.h"

#include <string.h>

#include <prof-start.h>
#include "ascend-db-communication.h"
#include "ascend-db-metadata.h"
#include "ascend-db-framework.h"
#include "ascend-db-generic-table.h"
#include "ascend-db-markers.h"
#include "ascend-db-memory.h"
#include "plain-table.h"
#include "ascend-db-pmu.h"
#include "sources.h"
#include "standard-table.h"
#include "ascend-db-tasks.h"
#include "ascend-db-texts.h"

static void ascend_db_probe(const StrobeSource *source, StrobeSourceProbe *answer)
{
    static const char magic[] = "SQLite format 3";
    Sources sources = {0};

    if (!source->is_folder &&
        (source->n_head < sizeof magic || memcmp(source->head, magic, sizeof magic)))
        return;
    sources_open(&sources, source);
    answer->format = "Ascend PyTorch Profiler, database";
    if (sources.profiler)
        answer->score = !source->is_folder ? 100 : sources.has_text ? 80 : 95;
    else if (sources.analysis)
        answer->reason = "only derived data, no database of the profiler";
    else if (!source->is_folder)
        answer->reason = "a database that is not of a profiler, or whose schema is damaged";
    else
        answer->reason = "no database of the profiler in it";
    sources_clear(&sources);
}

static void free_kind(gpointer data)
{
    StrobeKind *kind = data;

    g_free((StrobeField *)kind->fields);
    g_free(kind);
}

static void read_all(Import *import)
{
    tasks_import(import);
    if (!import->is_full)
        pmu_import(import);
    if (!import->is_full)
        communication_import(import);
    if (!import->is_full)
        framework_import(import);
    if (!import->is_full)
        memory_import(import);
    if (!import->is_full)
        markers_import(import);
    if (!import->is_full)
        plain_tables_import(import);
    if (!import->is_full)
        derived_tables_import(import);
    if (!import->is_full)
        standard_tables_import(import);
    if (!import->is_full)
        generic_tables_import(import, import->file);
    if (!import->is_full && import->analysis)
        generic_tables_import(import, import->analysis);
}

static StrobeStatus read_profiler(Import *import)
{
    if (import->file->left_out)
        db_file_damage(import->file, NULL, G_MININT64, NULL, import->file->left_out);
    metadata_find(import);
    import->texts = texts_new(import);
    metadata_import(import);
    read_all(import);
    texts_free(import->texts);
    if (import->is_full)
        return import->host->fail(import->self, STROBE_ERROR_IO, __FILE__, __LINE__,
                                  "The capture has no room");
    return STROBE_OK;
}

StrobeStatus ascend_db_read(const StrobeImporterHost *host, StrobeInstance *self, DbFile *file,
                            DbFile *analysis, gint rank)
{
    Import import = {
        .host = host, .self = self, .file = file, .analysis = analysis, .device = -1, .rank = rank};
    StrobeStatus status;

    import.wants_derived = host->request(self)->stored_derived != 0;
    import.own_kinds = g_ptr_array_new_with_free_func(free_kind);
    import.kind_ids = g_hash_table_new(NULL, NULL);
    import.names = g_string_chunk_new(4096);
    status = read_profiler(&import);
    g_hash_table_unref(import.kind_ids);
    g_ptr_array_unref(import.own_kinds);
    g_string_chunk_free(import.names);
    return status;
}

static StrobeStatus ascend_db_import(const StrobeImporterHost *host, StrobeInstance *self,
                                     const StrobeSource *source)
{
    Sources sources = {.host = host, .self = self};
    StrobeStatus status;

    gint64 offset;

    if (source->is_folder && prof_start_of_host(source->descriptor, &offset))
        host->metadata_int(self, "raw_clock_offset_ns", offset);
    sources_open(&sources, source);
    if (!sources.profiler)
        status = host->fail(self, STROBE_ERROR_INPUT, __FILE__, __LINE__,
                            "%s has no database of a profiler that can be read%s%s", source->path,
                            sources.refused->len ? ": " : "", sources.refused->str);
    else
        status = ascend_db_read(host, self, sources.profiler, sources.analysis,
                                rank_in_name(sources.profiler_name));
    sources_clear(&sources);
    return status;
}

const StrobeImporterOps ascend_db_ops = {
    .struct_size = sizeof(StrobeImporterOps),
    .probe = ascend_db_probe,
    .import = ascend_db_import,
};
