/* SPDX-License-Identifier: Apache-2.0 */
#include "source-files.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel-table.h"

#define HEAD_BYTES 4096u
#define FILES_MAX 1000u
#define OUTPUT_NAME "ASCEND_PROFILER_OUTPUT"
#define MSPROF_OUTPUT_NAME "mindstudio_profiler_output"

static gboolean has_word(const char *head, gsize n, const char *word)
{
    return g_strstr_len(head, (gssize)n, word) != NULL;
}

/* Replaces titles of op_summary.csv by titles of kernel_details.csv. Apart from their titles, the
 * columns of the two files are the same. */
static void rename_titles(char **titles)
{
    if (!g_strv_contains((const char *const *)titles, SUMMARY_TITLE))
        return;
    for (; *titles; titles++) {
        char *old = *titles;

        *titles = g_strdup(kernel_table_title(old));
        g_free(old);
    }
}

/* Returns whether most titles, without those of metrics, are columns of the file. */
static gboolean is_header_of(const AscendFile *file, char **titles)
{
    guint known = 0, n = 0;

    for (; titles[n] && !kernel_table_begins_metrics(titles[n]); n++)
        known += ascend_file_column(file, titles[n], strlen(titles[n])) != NULL;
    return known >= 3 && known * 2 > MIN(n, file->n_columns);
}

static const AscendFile *find_table(const char *head, gsize n)
{
    const char *end = memchr(head, '\n', n);
    const AscendFile *best = NULL;
    guint most = 0;

    if (!end)
        return NULL;
    g_autofree char *line = g_strndup(head, (gsize)(end - head));
    g_auto(GStrv) titles = g_strsplit(g_strchomp(line), ",", 200);
    rename_titles(titles);
    for (guint32 i = 0; i < n_ascend_files; i++) {
        guint known = 0;

        for (char **title = titles; *title; title++)
            known += ascend_file_column(&ascend_files[i], *title, strlen(*title)) != NULL;
        if (known > most && is_header_of(&ascend_files[i], titles)) {
            best = &ascend_files[i];
            most = known;
        }
    }
    return best;
}

/* Returns the type of a text file whose first line matches no known table. */
static gint type_of_text(const char *head, gsize n)
{
    const char *end = memchr(head, '\n', n);
    gsize length = end ? (gsize)(end - head) : 0;

    if (g_str_has_prefix(head, "Name,Begin(us)"))
        return SOURCE_OWN;
    if (!memchr(head, ',', length) || !g_utf8_validate(head, (gssize)length, NULL))
        return SOURCE_UNKNOWN;
    for (gsize i = 0; i < length; i++)
        if ((guchar)head[i] < 0x20 && head[i] != '\r' && head[i] != '\t')
            return SOURCE_UNKNOWN;
    return SOURCE_CSV;
}

gint source_file_type(const char *head, gsize n, const AscendFile **table)
{
    gsize at = 0;

    *table = NULL;
    while (at < n && strchr(" \t\r\n", head[at]) && head[at])
        at++;
    if (at == n)
        return SOURCE_UNKNOWN;
    if (head[at] == '[')
        return has_word(head, n, "\"ph\"") ? SOURCE_TRACE : SOURCE_UNKNOWN;
    if (head[at] == '{') {
        if (has_word(head, n, "\"start_info\"") || has_word(head, n, "\"common_config\"") ||
            has_word(head, n, "\"ENV_VARIABLES\"") ||
            has_word(head, n, "\"parallel_group_info\"") || has_word(head, n, "\"trace_id\""))
            return SOURCE_INFO;
        return has_word(head, n, "\"p2p\"") && has_word(head, n, "\"collective\"")
                   ? SOURCE_DERIVED_JSON
                   : SOURCE_UNKNOWN;
    }
    *table = find_table(head, n);
    if (!*table)
        return type_of_text(head, n);
    return strcmp((*table)->file, "kernel_details.csv") ? SOURCE_TABLE : SOURCE_KERNELS;
}

gboolean source_file_is_trace(const char *head, gsize n)
{
    static const char *const words[] = {"\"cpu_op\"", "\"python_function\"", "\"Ascend Hardware\"",
                                        "\"CANN\"", "\"Physic Stream Id\""};
    g_autoptr(GRegex) time =
        g_regex_new("\"ts\"\\s*:\\s*\"[0-9]+\\.[0-9]{3}\"", G_REGEX_RAW, 0, NULL);
    const AscendFile *table;
    gboolean is_known = FALSE;

    for (guint i = 0; i < G_N_ELEMENTS(words); i++)
        is_known |= has_word(head, n, words[i]);
    return is_known && source_file_type(head, n, &table) == SOURCE_TRACE &&
           g_regex_match_full(time, head, (gssize)n, 0, 0, NULL, NULL);
}

/* ---- folders ---- */

static void free_file(gpointer data)
{
    SourceFile *file = data;

    g_free(file->name);
    g_free(file);
}

/* Sets the generation from the titles, and the device from the first rows of a table. */
static void learn_titles(SourceFile *file, const char *head, gsize n)
{
    const char *end = memchr(head, '\n', n);
    const char *device = g_strstr_len(head, (gssize)n, "NPU:");
    g_autofree char *line = end ? g_strndup(head, (gsize)(end - head)) : NULL;

    file->device = -1;
    if (!file->table || !line)
        return;
    g_auto(GStrv) titles = g_strsplit(g_strchomp(line), ",", 200);
    rename_titles(titles);
    for (char **title = titles; *title; title++) {
        const AscendColumn *row = ascend_file_column(file->table, *title, strlen(*title));

        if (row && row->generations == ASCEND_G3)
            file->generation = 3;
        else if (row && row->generations == ASCEND_G23)
            file->generation = MAX(file->generation, 2);
        else if (row)
            file->generation = MAX(file->generation, 1);
    }
    if (device && g_ascii_isdigit(device[4]))
        file->device = (gint)(g_ascii_strtoull(device + 4, NULL, 10) & 0xffff);
}

static void add_file(SourceFiles *files, int folder, const char *name)
{
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    SourceFile *file;
    char head[HEAD_BYTES + 1];
    struct stat st;
    gssize n;

    if (fd < 0 || files->files->len == FILES_MAX || fstat(fd, &st) || !S_ISREG(st.st_mode)) {
        if (fd >= 0)
            close(fd);
        return;
    }
    n = MAX(pread(fd, head, HEAD_BYTES, 0), 0);
    close(fd);
    head[n] = '\0';
    file = g_new0(SourceFile, 1);
    file->name = g_strdup(name);
    file->folder = folder;
    file->type = source_file_type(head, (gsize)n, &file->table);
    learn_titles(file, head, (gsize)n);
    if (file->type == SOURCE_CSV && !g_str_has_suffix(name, ".csv"))
        file->type = SOURCE_UNKNOWN;
    g_ptr_array_add(files->files, file);
}

static void add_folder(SourceFiles *files, int folder)
{
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    struct dirent *entry;

    while (dir && (entry = readdir(dir)))
        if (entry->d_name[0] != '.')
            add_file(files, folder, entry->d_name);
    if (dir)
        closedir(dir);
}

static gint compare_files(gconstpointer a, gconstpointer b)
{
    return strcmp((*(SourceFile *const *)a)->name, (*(SourceFile *const *)b)->name);
}

/* Opens the output folder of the profiler or, in a directory PROF_*, of CANN's msprof. */
static int open_output(int folder)
{
    const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW;
    int output = openat(folder, OUTPUT_NAME, flags);

    return output >= 0 ? output : openat(folder, MSPROF_OUTPUT_NAME, flags);
}

static void add_source(SourceFiles *files, const StrobeSource *source)
{
    SourceFile *file = g_new0(SourceFile, 1);

    file->name = g_path_get_basename(source->path);
    file->folder = file->device = -1;
    file->descriptor = source->descriptor;
    file->type = source_file_type((const char *)source->head, source->n_head, &file->table);
    g_ptr_array_add(files->files, file);
}

SourceFiles *source_files_new(const StrobeSource *source)
{
    SourceFiles *files = g_new0(SourceFiles, 1);

    files->files = g_ptr_array_new_with_free_func(free_file);
    if (!source->is_folder) {
        files->output = -1;
        add_source(files, source);
        return files;
    }
    files->output = open_output(source->descriptor);
    add_folder(files, source->descriptor);
    if (files->output >= 0)
        add_folder(files, files->output);
    g_ptr_array_sort(files->files, compare_files);
    return files;
}

void source_files_free(SourceFiles *files)
{
    g_ptr_array_unref(files->files);
    if (files->output >= 0)
        close(files->output);
    g_free(files);
}

const SourceFile *source_files_find(const SourceFiles *files, gint type)
{
    for (guint i = 0; i < files->files->len; i++) {
        const SourceFile *file = g_ptr_array_index(files->files, i);

        if (file->type == type)
            return file;
    }
    return NULL;
}

const SourceFile *source_files_table(const SourceFiles *files, const char *name)
{
    for (guint i = 0; i < files->files->len; i++) {
        const SourceFile *file = g_ptr_array_index(files->files, i);

        if (file->table && !strcmp(file->table->file, name))
            return file;
    }
    return NULL;
}

int source_file_open(const SourceFile *file)
{
    if (file->folder < 0)
        return fcntl(file->descriptor, F_DUPFD_CLOEXEC, 0);
    return openat(file->folder, file->name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
}
