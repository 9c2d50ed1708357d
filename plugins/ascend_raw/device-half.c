/* SPDX-License-Identifier: Apache-2.0 */
#include "device-half.h"

#include <errno.h>
#include <unistd.h>

#include "../ascend_text/ascend_text.h"
#include "../common/foreign-folder.h"

#define TEXT_FOLDER "mindstudio_profiler_output"

/* ---- where it is ---- */

/* The last such name: later exports are of later times. NULL: none. */
static char *last_name(int folder, const char *prefix, const char *suffix)
{
    g_autoptr(GPtrArray) names = foreign_folder_names(folder);

    for (guint i = names->len; i-- > 0;) {
        const char *name = g_ptr_array_index(names, i);
        int fd = g_str_has_prefix(name, prefix) && g_str_has_suffix(name, suffix)
                     ? foreign_folder_open_file(folder, name)
                     : -1;

        if (fd < 0)
            continue;
        close(fd);
        return g_strdup(name);
    }
    return NULL;
}

static gboolean has_file(int folder, const char *prefix, const char *suffix)
{
    g_autofree char *name = folder >= 0 ? last_name(folder, prefix, suffix) : NULL;

    return name != NULL;
}

static gboolean has_prof_text(const RawFiles *files)
{
    int text = files->prof >= 0 ? foreign_folder_open(files->prof, TEXT_FOLDER) : -1;
    gboolean has = has_file(text, "msprof", ".json");

    if (text >= 0)
        close(text);
    return has;
}

/* The first that is there, `from` on. */
static DeviceSource find_from(const RawFiles *files, DeviceSource from)
{
    if (from <= DEVICE_PROF_DB && has_file(files->prof, "msprof_", ".db"))
        return DEVICE_PROF_DB;
    if (from <= DEVICE_PROF_TEXT && has_prof_text(files))
        return DEVICE_PROF_TEXT;
    if (from <= DEVICE_OUTPUT_DB && has_file(files->output, "ascend_pytorch_profiler", ".db"))
        return DEVICE_OUTPUT_DB;
    return DEVICE_NONE;
}

DeviceSource device_half_find(const RawFiles *files, gboolean *has_text)
{
    *has_text = has_file(files->output, "trace_view", ".json");
    return find_from(files, DEVICE_PROF_DB);
}

/* ---- databases ---- */

#ifdef ASCEND_RAW_HAS_DB
#include "../ascend_db/ascend_db.h"
#include "../ascend_db/sources.h"

/* Tables with what the framework recorded, by the raw file that has it too. */
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

/* FALSE: it is none that could be read, which is told. */
static gboolean import_db(Raw *raw, int folder, const char *prefix, StrobeStatus *status)
{
    g_autofree char *name = last_name(folder, prefix, ".db");
    g_autofree char *error = NULL;
    int fd = name ? foreign_folder_open_file(folder, name) : -1;
    DbFile *file = fd >= 0 ? db_file_open(fd, name, &error) : NULL;
    gboolean is_good = file && database_type(file) == DATABASE_PROFILER;

    if (!is_good) {
        raw_damage(raw, name ? name : prefix, "%s",
                   error    ? error
                   : fd < 0 ? g_strerror(errno)
                            : "none of its tables is a profiler's");
    } else {
        file->host = raw->host;
        file->self = raw->self;
        for (guint i = 0; i < G_N_ELEMENTS(framework_tables); i++)
            if (raw->files.files[framework_tables[i].file].name)
                take_table_away(file, framework_tables[i].table);
        *status = ascend_db_read(raw->host, raw->self, file, NULL, rank_in_name(name));
    }
    db_file_free(file);
    if (fd >= 0)
        close(fd);
    return is_good;
}

#else

static gboolean import_db(Raw *raw, int folder, const char *prefix, StrobeStatus *status)
{
    (void)folder;
    (void)status;
    raw_damage(raw, prefix, "this Strobe was built without SQLite");
    return FALSE;
}

#endif

/* ---- text ---- */

static gboolean import_text(Raw *raw, StrobeStatus *status)
{
    g_autofree char *path = g_build_filename(raw->files.prof_name, TEXT_FOLDER, NULL);
    StrobeSource source = {.struct_size = sizeof source, .path = path, .is_folder = 1};

    source.descriptor = foreign_folder_open(raw->files.prof, TEXT_FOLDER);
    if (source.descriptor < 0) {
        raw_damage(raw, path, "%s", g_strerror(errno));
        return FALSE;
    }
    *status = ascend_text_read(raw->host, raw->self, &source, (gint64)raw->pid);
    close(source.descriptor);
    return TRUE;
}

/* ---- all ---- */

static gboolean import_one(Raw *raw, DeviceSource source, StrobeStatus *status)
{
    switch (source) {
    case DEVICE_PROF_DB:
        return import_db(raw, raw->files.prof, "msprof_", status);
    case DEVICE_PROF_TEXT:
        return import_text(raw, status);
    default:
        return import_db(raw, raw->files.output, "ascend_pytorch_profiler", status);
    }
}

StrobeStatus device_half_import(Raw *raw, DeviceSource *source)
{
    StrobeStatus status = STROBE_OK;

    while (*source != DEVICE_NONE && !import_one(raw, *source, &status))
        *source = *source < DEVICE_OUTPUT_DB ? find_from(&raw->files, *source + 1) : DEVICE_NONE;
    return status;
}
