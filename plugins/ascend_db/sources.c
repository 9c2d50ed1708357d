/* SPDX-License-Identifier: Apache-2.0 */
#include "sources.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OUTPUT_NAME "ASCEND_PROFILER_OUTPUT"
#define FILE_BYTES_MAX (1u << 20)
#define FILES_MAX 1000u

/* ---- databases ---- */

gint database_type(const DbFile *file)
{
    static const char *const profilers[] = {"TASK",
                                            "CANN_API",
                                            "PYTORCH_API",
                                            "COMPUTE_TASK_INFO",
                                            "COMMUNICATION_OP",
                                            "SESSION_TIME_INFO"};
    static const char *const analyses[] = {"StepTraceTime", "CommAnalyzerTime",
                                           "CommAnalyzerBandwidth", "CommAnalyzerMatrix"};

    for (guint i = 0; i < G_N_ELEMENTS(profilers); i++)
        if (db_file_table(file, profilers[i]))
            return DATABASE_PROFILER;
    /* a database of Strobe's exporter may have none of these tables, but has the tables of
     * metadata */
    if (db_file_table(file, "META_DATA") && db_file_table(file, "HOST_INFO"))
        return DATABASE_PROFILER;
    for (guint i = 0; i < G_N_ELEMENTS(analyses); i++)
        if (db_file_table(file, analyses[i]))
            return DATABASE_ANALYSIS;
    return DATABASE_OTHER;
}

gint rank_in_name(const char *name)
{
    const char *end = g_str_has_suffix(name, ".db") ? name + strlen(name) - 3 : NULL;
    const char *at = end;
    guint64 rank;

    while (at && at > name && g_ascii_isdigit(at[-1]))
        at--;
    if (!at || at == end || at == name || at[-1] != '_' || !strstr(name, "profiler_"))
        return -1;
    g_autofree char *digits = g_strndup(at, (gsize)(end - at));
    return g_ascii_string_to_unsigned(digits, 10, 0, G_MAXINT32, &rank, NULL) ? (gint)rank : -1;
}

static void refuse_file(Sources *s, const char *name, const char *reason)
{
    if (s->host)
        s->host->damage(s->self, name, reason);
    g_string_append_printf(s->refused, "%s%s: %s", s->refused->len ? "; " : "", name, reason);
}

static void take_database(Sources *s, int descriptor, const char *name, gboolean is_asked_for)
{
    g_autofree char *error = NULL;
    DbFile *file = db_file_open(descriptor, name, &error);
    gint type = file ? database_type(file) : DATABASE_NONE;

    if (file) {
        file->host = s->host;
        file->self = s->self;
    } else {
        refuse_file(s, name, error);
    }
    if (type == DATABASE_PROFILER && !s->profiler) {
        s->profiler = g_steal_pointer(&file);
        s->profiler_name = g_strdup(name);
    } else if (type == DATABASE_ANALYSIS && !s->analysis) {
        s->analysis = g_steal_pointer(&file);
    } else if (type == DATABASE_PROFILER) {
        refuse_file(s, name, "a second database of a profiler: import it by itself");
    } else if (type == DATABASE_OTHER && is_asked_for) {
        refuse_file(s, name, "none of its tables is from a profiler");
    }
    db_file_free(file);
}

/* ---- folders ---- */

/* Returns whether a file with these first bytes is profiler_info or profiler_metadata. */
static gboolean is_side_file(const char *head)
{
    static const char *const keys[] = {"\"start_info\"", "\"common_config\"", "\"ENV_VARIABLES\"",
                                       "\"parallel_group_info\"", "\"trace_id\""};
    gboolean found = FALSE;

    while (g_ascii_isspace(*head))
        head++;
    for (guint i = 0; i < G_N_ELEMENTS(keys); i++)
        found |= strstr(head, keys[i]) != NULL;
    return *head == '{' && found;
}

static void take_side_file(Sources *s, int descriptor, const char *name)
{
    g_autofree char *bytes = g_malloc(FILE_BYTES_MAX + 1);
    gssize n = pread(descriptor, bytes, FILE_BYTES_MAX + 1, 0);

    if (!s->host)
        return;
    if (n < 0 || s->host->file(s->self, name, bytes, (gsize)n))
        refuse_file(s, name, n < 0 ? g_strerror(errno) : "too large, or its name cannot be kept");
    else
        s->host->found(s->self, name, 1);
}

static void look_at(Sources *s, int folder, const char *name, gboolean only_beside)
{
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    char head[4097] = "";
    struct stat st;
    gssize n = fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) ? pread(fd, head, 4096, 0) : -1;

    head[MAX(n, 0)] = 0;
    if (n >= 16 && !memcmp(head, "SQLite format 3", 16)) {
        if (!only_beside || !strcmp(name, "analysis.db"))
            take_database(s, fd, name, FALSE);
    } else if (n > 0 && is_side_file(head)) {
        take_side_file(s, fd, name);
    } else if (n > 0 && g_str_has_suffix(name, ".db") && !only_beside) {
        refuse_file(s, name, "no SQLite database");
    } else if (n > 0 && strstr(head, "\"ph\"")) {
        s->has_text = TRUE;
    }
    if (fd >= 0)
        close(fd);
}

static gint compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void look_through(Sources *s, int folder, gboolean only_beside)
{
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    struct dirent *entry;

    while (dir && names->len < FILES_MAX && (entry = readdir(dir)))
        if (entry->d_name[0] != '.')
            g_ptr_array_add(names, g_strdup(entry->d_name));
    if (dir)
        closedir(dir);
    g_ptr_array_sort(names, compare_names);
    for (guint i = 0; i < names->len; i++)
        look_at(s, folder, g_ptr_array_index(names, i), only_beside);
}

static int open_folder(int at, const char *name)
{
    return openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

/* Finds analysis.db and the side files in the folder of a source that is a database. */
static void look_beside(Sources *s, const char *path)
{
    g_autofree char *folder_path = g_path_get_dirname(path);
    g_autofree char *full = g_canonicalize_filename(folder_path, NULL);
    g_autofree char *folder_name = g_path_get_basename(full);
    int folder = open(folder_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int above = -1;

    if (folder < 0)
        return;
    look_through(s, folder, TRUE);
    if (!strcmp(folder_name, OUTPUT_NAME))
        above = openat(folder, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (above >= 0) {
        look_through(s, above, TRUE);
        close(above);
    }
    close(folder);
}

void sources_open(Sources *s, const StrobeSource *source)
{
    g_autofree char *name = g_path_get_basename(source->path);
    int output;

    s->refused = g_string_new(NULL);
    if (!source->is_folder) {
        take_database(s, source->descriptor, name, TRUE);
        if (s->host && s->profiler)
            look_beside(s, source->path);
        return;
    }
    look_through(s, source->descriptor, FALSE);
    output = open_folder(source->descriptor, OUTPUT_NAME);
    if (output >= 0) {
        look_through(s, output, FALSE);
        close(output);
    }
}

void sources_clear(Sources *s)
{
    db_file_free(s->profiler);
    db_file_free(s->analysis);
    g_free(s->profiler_name);
    g_string_free(s->refused, TRUE);
}
