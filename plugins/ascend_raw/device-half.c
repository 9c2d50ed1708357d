/* SPDX-License-Identifier: Apache-2.0 */
#include "device-half.h"

#include <errno.h>
#include <unistd.h>

#include "../ascend_text/ascend_text.h"
#include <external-folder.h>

/* ---- databases ---- */

#ifdef ASCEND_RAW_HAS_DB
#include "../ascend_db/ascend_db.h"
#include "../ascend_db/sources.h"

/* Tables with data of the framework, each with the raw file that has the same data. */
static const struct {
    const char *table;
    RawFileType file;
} framework_tables[] = {
    {"PYTORCH_API", RAW_OP_RANGE},       {"PYTORCH_CALLCHAINS", RAW_OP_RANGE},
    {"CONNECTION_IDS", RAW_OP_RANGE},    {"STEP_TIME", RAW_OP_RANGE},
    {"MEMORY_RECORD", RAW_MEMORY_USAGE}, {"OP_MEMORY", RAW_MEMORY_USAGE},
    {"GC_RECORD", RAW_GC_RECORD},
};

static void take_table_away(const DbFile *file, const char *name)
{
    for (guint i = file->tables->len; i-- > 0;) {
        const DbTable *table = g_ptr_array_index(file->tables, i);

        if (!g_ascii_strcasecmp(table->name, name))
            g_ptr_array_remove_index(file->tables, i);
    }
}

/* Returns the reason why the database is not read; NULL: it is read. A damaged database is read as
 * far as possible, unless another source has the same data. */
static char *reason_against(const Raw *raw, DbFile *file, DeviceSource source)
{
    g_autofree char *flaw = NULL;
    DeviceSource other;

    if (database_type(file) != DATABASE_PROFILER)
        return g_strdup("none of its tables is from a profiler");
    other =
        source < DEVICE_OUTPUT_DB ? raw_files_find_device(&raw->files, source + 1) : DEVICE_NONE;
    flaw = other == DEVICE_NONE ? NULL : db_file_flaw(file);
    return flaw ? g_strdup_printf("%s; the %s is read in its place", flaw,
                                  device_source_words[other])
                : NULL;
}

/* Imports the database of a source. If it cannot be read, reports the reason and returns FALSE. */
static gboolean import_db(Raw *raw, DeviceSource source, gint32 rank, StrobeStatus *status)
{
    int folder;
    g_autofree char *name = raw_files_find_database(&raw->files, source, &folder);
    g_autofree char *error = NULL;
    int fd = name ? external_folder_open_file(folder, name) : -1;
    DbFile *file = fd >= 0 ? db_file_open(fd, name, &error) : NULL;
    gboolean is_good;

    if (fd < 0)
        error = g_strdup(g_strerror(errno));
    else if (file)
        error = reason_against(raw, file, source);
    is_good = file && !error;
    if (!is_good) {
        raw_damage(raw, name ? name : device_source_prefix(source), "%s", error);
    } else {
        file->host = raw->host;
        file->self = raw->self;
        for (guint i = 0; i < G_N_ELEMENTS(framework_tables); i++)
            if (raw->files.files[framework_tables[i].file].name)
                take_table_away(file, framework_tables[i].table);
        *status =
            ascend_db_read(raw->host, raw->self, file, NULL, rank >= 0 ? rank : rank_in_name(name));
    }
    db_file_free(file);
    if (fd >= 0)
        close(fd);
    return is_good;
}

#else

static gboolean import_db(Raw *raw, DeviceSource source, gint32 rank, StrobeStatus *status)
{
    raw_damage(raw, device_source_prefix(source), "this Strobe was built without SQLite");
    return FALSE;
}

#endif

/* ---- text ---- */

static gboolean import_text(Raw *raw, gint32 rank, StrobeStatus *status)
{
    g_autofree char *path = g_build_filename(raw->files.prof_name, DEVICE_TEXT_FOLDER, NULL);
    StrobeSource source = {.struct_size = sizeof source, .path = path, .is_folder = 1};

    source.descriptor = external_folder_open(raw->files.prof, DEVICE_TEXT_FOLDER);
    if (source.descriptor < 0) {
        raw_damage(raw, path, "%s", g_strerror(errno));
        return FALSE;
    }
    *status = ascend_text_read(raw->host, raw->self, &source, (gint64)raw->pid, rank);
    close(source.descriptor);
    return TRUE;
}

/* ---- the whole part ---- */

static gboolean import_one(Raw *raw, DeviceSource source, gint32 rank, StrobeStatus *status)
{
    return source == DEVICE_PROF_TEXT ? import_text(raw, rank, status)
                                      : import_db(raw, source, rank, status);
}

StrobeStatus device_half_import(Raw *raw, gint32 rank, DeviceSource *source)
{
    StrobeStatus status = STROBE_OK;

    while (*source != DEVICE_NONE && !import_one(raw, *source, rank, &status))
        *source = *source < DEVICE_OUTPUT_DB ? raw_files_find_device(&raw->files, *source + 1)
                                             : DEVICE_NONE;
    return status;
}
