/* SPDX-License-Identifier: Apache-2.0 */
#include "raw-files.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <external-folder.h>
#include <prof-start.h>

const char *const raw_file_names[RAW_FILES] = {
    "torch.op_range",           "torch.op_mark",
    "torch.memory_usage",       "torch.python_tracer_func",
    "torch.python_tracer_hash", "torch.param_tensor_info",
    "torch.gc_record",
};

/* ---- the devices' part ---- */

const char *const device_source_words[] = {
    [DEVICE_NONE] = "none",
    [DEVICE_PROF_DB] = "msprof database",
    [DEVICE_PROF_TEXT] = "msprof text",
    [DEVICE_OUTPUT_DB] = "profiler database",
};

/* Returns the last name with this prefix and suffix, which is the latest export; NULL: there is
 * none. */
static char *last_name(int folder, const char *prefix, const char *suffix)
{
    g_autoptr(GPtrArray) names = external_folder_names(folder);

    for (guint i = names->len; i-- > 0;) {
        const char *name = g_ptr_array_index(names, i);
        int fd = g_str_has_prefix(name, prefix) && g_str_has_suffix(name, suffix)
                     ? external_folder_open_file(folder, name)
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

static gboolean has_prof_text(int prof)
{
    int text = prof >= 0 ? external_folder_open(prof, DEVICE_TEXT_FOLDER) : -1;
    gboolean has = has_file(text, "msprof", ".json");

    if (text >= 0)
        close(text);
    return has;
}

const char *device_source_prefix(DeviceSource source)
{
    return source == DEVICE_PROF_DB ? "msprof_" : "ascend_pytorch_profiler";
}

/* Returns whether CANN has exported the data of this PROF_* directory. */
static gboolean is_exported(int prof)
{
    return has_file(prof, device_source_prefix(DEVICE_PROF_DB), ".db") || has_prof_text(prof);
}

DeviceSource raw_files_find_device(const RawFiles *files, DeviceSource from)
{
    if (from <= DEVICE_PROF_DB &&
        has_file(files->prof, device_source_prefix(DEVICE_PROF_DB), ".db"))
        return DEVICE_PROF_DB;
    if (from <= DEVICE_PROF_TEXT && has_prof_text(files->prof))
        return DEVICE_PROF_TEXT;
    if (from <= DEVICE_OUTPUT_DB &&
        has_file(files->output, device_source_prefix(DEVICE_OUTPUT_DB), ".db"))
        return DEVICE_OUTPUT_DB;
    return DEVICE_NONE;
}

char *raw_files_find_database(const RawFiles *files, DeviceSource source, int *folder)
{
    *folder = source == DEVICE_PROF_DB ? files->prof : files->output;
    return last_name(*folder, device_source_prefix(source), ".db");
}

gboolean raw_files_have_trace(const RawFiles *files)
{
    return has_file(files->output, "trace_view", ".json");
}

/* ---- finding the files ---- */

/* Opens a file if the begin of its name shows that it is a raw file. Only the first file of each
 * type is used. */
static gboolean take_file(RawFiles *files, const char *name)
{
    for (guint i = 0; i < RAW_FILES; i++) {
        RawFile *file = &files->files[i];
        struct stat st;
        int fd;

        if (!g_str_has_prefix(name, raw_file_names[i]) || file->name)
            continue;
        fd = external_folder_open_file(files->framework, name);
        if (fd < 0)
            return FALSE;
        file->name = g_strdup(name);
        file->fd = fd;
        file->size = fstat(fd, &st) == 0 && st.st_size > 0 ? (guint64)st.st_size : 0;
        files->size += file->size;
        return TRUE;
    }
    return FALSE;
}

static gboolean take_framework(RawFiles *files)
{
    g_autoptr(GPtrArray) names = external_folder_names(files->framework);
    gboolean found = FALSE;

    for (guint i = 0; i < names->len; i++) {
        const char *name = g_ptr_array_index(names, i);

        if (take_file(files, name))
            found = TRUE;
        else
            g_ptr_array_add(files->unknown, g_strdup(name));
    }
    return found;
}

/* States of a directory PROF_*, from the worst to the best. */
enum { PROF_EMPTY, PROF_HAS_FILES, PROF_HAS_CLOCK, PROF_IS_EXPORTED };

static gint worth_of(int prof)
{
    g_autoptr(GPtrArray) names = external_folder_names(prof);
    gint64 offset;

    if (is_exported(prof))
        return PROF_IS_EXPORTED;
    if (prof_start_of_host(prof, &offset))
        return PROF_HAS_CLOCK;
    return names->len ? PROF_HAS_FILES : PROF_EMPTY;
}

/* Finds the best directory PROF_*. The first one may be wrong: if a collection is begun and then
 * dropped, its directory remains. */
static void find_prof(RawFiles *files)
{
    g_autoptr(GPtrArray) names = external_folder_names(files->top);
    gint best = -1;

    for (guint i = 0; i < names->len; i++) {
        const char *name = g_ptr_array_index(names, i);
        int fd = prof_is_name(name) ? external_folder_open(files->top, name) : -1;
        gint worth = fd >= 0 ? worth_of(fd) : -1;

        if (fd < 0)
            continue;
        if (worth <= best) {
            close(fd);
            if (worth > PROF_EMPTY)
                g_ptr_array_add(files->others, g_strdup(name));
            continue;
        }
        if (best > PROF_EMPTY)
            g_ptr_array_add(files->others, g_steal_pointer(&files->prof_name));
        g_free(files->prof_name);
        if (files->prof >= 0)
            close(files->prof);
        files->prof = fd;
        files->prof_name = g_strdup(name);
        best = worth;
    }
}

static int open_same(int folder)
{
    return openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

gboolean raw_files_open(RawFiles *files, const StrobeSource *source)
{
    memset(files, 0, sizeof *files);
    files->top = files->framework = files->prof = files->output = -1;
    files->unknown = g_ptr_array_new_with_free_func(g_free);
    files->others = g_ptr_array_new_with_free_func(g_free);
    if (!source->is_folder)
        return FALSE;
    files->framework = external_folder_open(source->descriptor, "FRAMEWORK");
    if (files->framework >= 0) {
        files->top = open_same(source->descriptor);
    } else {
        files->framework = open_same(source->descriptor);
        files->top = openat(source->descriptor, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    if (files->framework < 0 || files->top < 0 || !take_framework(files))
        return FALSE;
    find_prof(files);
    files->output = external_folder_open(files->top, "ASCEND_PROFILER_OUTPUT");
    return TRUE;
}

static void close_folder(int fd)
{
    if (fd >= 0)
        close(fd);
}

void raw_files_clear(RawFiles *files)
{
    for (guint i = 0; i < RAW_FILES; i++) {
        if (files->files[i].name)
            close(files->files[i].fd);
        g_free(files->files[i].name);
    }
    close_folder(files->top);
    close_folder(files->framework);
    close_folder(files->prof);
    close_folder(files->output);
    g_free(files->prof_name);
    g_ptr_array_unref(files->unknown);
    g_ptr_array_unref(files->others);
}
