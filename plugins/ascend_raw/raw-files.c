/* SPDX-License-Identifier: Apache-2.0 */
#include "raw-files.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../common/foreign-folder.h"
#include "../common/prof-start.h"
#include "device-half.h"

const char *const raw_file_names[RAW_FILES] = {
    "torch.op_range",           "torch.op_mark",
    "torch.memory_usage",       "torch.python_tracer_func",
    "torch.python_tracer_hash", "torch.param_tensor_info",
    "torch.gc_record",
};

/* By the beginning of its name; the first one counts. */
static gboolean take_file(RawFiles *files, const char *name)
{
    for (guint i = 0; i < RAW_FILES; i++) {
        RawFile *file = &files->files[i];
        struct stat st;
        int fd;

        if (!g_str_has_prefix(name, raw_file_names[i]) || file->name)
            continue;
        fd = foreign_folder_open_file(files->framework, name);
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
    g_autoptr(GPtrArray) names = foreign_folder_names(files->framework);
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

/* What a directory PROF_* is good for. */
enum { PROF_EMPTY, PROF_HAS_FILES, PROF_HAS_CLOCK, PROF_IS_EXPORTED };

static gint worth_of(int prof)
{
    g_autoptr(GPtrArray) names = foreign_folder_names(prof);
    gint64 offset;

    if (device_half_is_exported(prof))
        return PROF_IS_EXPORTED;
    if (prof_start_of_host(prof, &offset))
        return PROF_HAS_CLOCK;
    return names->len ? PROF_HAS_FILES : PROF_EMPTY;
}

/* A collection that was begun and dropped leaves its directory, and its name may come first. */
static void find_prof(RawFiles *files)
{
    g_autoptr(GPtrArray) names = foreign_folder_names(files->top);
    gint best = -1;

    for (guint i = 0; i < names->len; i++) {
        const char *name = g_ptr_array_index(names, i);
        int fd = prof_is_name(name) ? foreign_folder_open(files->top, name) : -1;
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
    files->framework = foreign_folder_open(source->descriptor, "FRAMEWORK");
    if (files->framework >= 0) {
        files->top = open_same(source->descriptor);
    } else {
        files->framework = open_same(source->descriptor);
        files->top = openat(source->descriptor, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    if (files->framework < 0 || files->top < 0 || !take_framework(files))
        return FALSE;
    find_prof(files);
    files->output = foreign_folder_open(files->top, "ASCEND_PROFILER_OUTPUT");
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
