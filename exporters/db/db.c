/* SPDX-License-Identifier: Apache-2.0 */
#include "db.h"

#include <strobe/helpers/keyed-hash.h>

#include "db-framework.h"
#include "kind-takes.h"

static char *file_name(const StrobeMetadata *metadata)
{
    return metadata->rank >= 0 ? g_strdup_printf("ascend_pytorch_profiler_%d.db", metadata->rank)
                               : g_strdup("ascend_pytorch_profiler.db");
}

static StrobeStatus db_open(const StrobeConsumerHost *host, StrobeInstance *self, void **state)
{
    const StrobeMetadata *metadata = host->metadata(self);
    g_autofree char *name = file_name(metadata);
    const char *const names[OUT_FILES] = {name, "analysis.db"};
    Db *db = g_new0(Db, 1);

    db->host = host;
    db->self = self;
    db->generation = metadata->generation;
    db->level = metadata->level;
    db->also = g_strsplit(host->option_text(self, "also"), "+", -1);
    db->out = out_db_new(metadata->directory, host->storage(self), names);
    db->tables = g_new0(OutTable *, n_ascend_db_tables);
    db->kinds = g_hash_table_new_full(NULL, NULL, NULL, db_kind_free);
    db->names = g_hash_table_new_full(strobe_hash_of_text, g_str_equal, g_free, NULL);
    db->merging = g_ptr_array_new();
    db->enums = enum_ids_new(db->generation);
    db->strings = string_ids_new(host, self, db_table_named(db, "STRING_IDS"));
    db->framework = framework_new(db);
    db->communication = communication_new(db);
    db_reserve_names(db);
    *state = db;
    return STROBE_OK;
}

static StrobeStatus report_error(Db *db)
{
    return db->host->fail(db->self, STROBE_ERROR_IO, __FILE__, __LINE__,
                          "Cannot write a database: folder=\"%s\", or its data in the "
                          "folder for temporary files: %s: %s",
                          db->host->metadata(db->self)->directory_path,
                          db->host->storage(db->self)->place, out_db_error(db->out));
}

static StrobeStatus db_batch(void *state, const StrobeView *records, size_t n)
{
    Db *db = state;

    for (size_t i = 0; i < n; i++)
        db_take_record(db, &records[i]);
    return out_db_error(db->out) ? report_error(db) : STROBE_OK;
}

static void tell_what_is_missing(Db *db)
{
    if (db->n_skipped)
        db->host->log(db->self, STROBE_LOG_WARNING,
                      "%u kinds have no table, because there would be too many", db->n_skipped);
    if (db->n_dropped_names)
        db->host->log(db->self, STROBE_LOG_WARNING,
                      "%" G_GUINT64_FORMAT " values have no number in their enumeration, because "
                      "there would be too many",
                      db->n_dropped_names);
    if (out_db_n_moved(db->out))
        db->host->log(db->self, STROBE_LOG_INFO,
                      "%" G_GUINT64_FORMAT
                      " rows have a new key: they had none, or the key of another row",
                      out_db_n_moved(db->out));
}

static StrobeStatus db_end(void *state)
{
    Db *db = state;

    db_kinds_end(db);
    framework_end(db->framework);
    communication_end(db->communication);
    metadata_end(db);
    for (guint32 i = 0; i < n_ascend_db_indexes; i++)
        db_make_index(db, ascend_db_indexes[i].table);
    if (!out_db_finish(db->out))
        return report_error(db);
    tell_what_is_missing(db);
    return STROBE_OK;
}

static void db_close(void *state)
{
    Db *db = state;

    framework_free(db->framework);
    communication_free(db->communication);
    out_db_free(db->out);
    string_ids_free(db->strings);
    enum_ids_free(db->enums);
    g_hash_table_unref(db->kinds);
    g_ptr_array_unref(db->merging);
    g_hash_table_unref(db->names);
    g_strfreev(db->also);
    g_free(db->tables);
    if (db->environment)
        g_string_free(db->environment, TRUE);
    g_free(db);
}

const StrobeConsumerOps db_ops = {
    .struct_size = sizeof(StrobeConsumerOps),
    .open = db_open,
    .batch = db_batch,
    .end = db_end,
    .close = db_close,
};
