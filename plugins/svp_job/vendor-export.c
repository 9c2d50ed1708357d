/* SPDX-License-Identifier: Apache-2.0 */
/* Lets the vendor's tool write timelines and tables into a copy of a JOB, because only this tool
 * can read the data. Does not change the JOB itself. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strobe/helpers/storage.h>
#include <sys/stat.h>
#include <unistd.h>

#include <external-folder.h>
#include <vendor-tool.h>
#include "svp_job.h"

#define OPTION "msprof"
#define PYTHON "python3.7"
#define TOOL_PLACE "toolkit/tools/profiler/profiler_tool/analysis/msprof/msprof.pyc"
#define COPY_NAME "JOBCOPY"
#define DEPTH_MAX 8

static void set_unread(Job *job, const char *form, ...) G_GNUC_PRINTF(2, 3);
static void set_unread(Job *job, const char *form, ...)
{
    va_list values;

    if (job->unread)
        return;
    va_start(values, form);
    job->unread = g_strdup_vprintf(form, values);
    va_end(values);
}

/* ---- the copy ---- */

static gboolean copy_bytes(int from, int to)
{
    g_autofree char *bytes = g_malloc(65536);
    gssize n;

    while ((n = read(from, bytes, 65536)) > 0)
        if (write(to, bytes, (gsize)n) != n)
            return FALSE;
    return n == 0;
}

static gboolean copy_file(int from, int to, const char *name)
{
    int source = external_folder_open_file(from, name);
    int copy;
    gboolean good;

    if (source < 0)
        /* not a regular file, so it is not copied; this is no error */
        return errno == ELOOP || errno == EINVAL;
    copy = openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    good = copy >= 0 && copy_bytes(source, copy);
    if (copy >= 0 && close(copy) != 0)
        good = FALSE;
    close(source);
    return good;
}

static int make_folder(int at, const char *name)
{
    if (mkdirat(at, name, 0700) != 0)
        return -1;
    return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Copies the files of a folder whose names begin with `prefix`. */
static gboolean copy_files(int from, int to, const char *prefix)
{
    g_autoptr(GPtrArray) names = external_folder_names(from);

    for (guint i = 0; i < names->len; i++) {
        const char *name = g_ptr_array_index(names, i);

        if (g_str_has_prefix(name, prefix) && !copy_file(from, to, name))
            return FALSE;
    }
    return TRUE;
}

static gboolean copy_data(const Job *job, int copy)
{
    int from = external_folder_open(job->folder, "data");
    int to = from >= 0 ? make_folder(copy, "data") : -1;
    gboolean good = to >= 0 && copy_files(from, to, "");

    if (to >= 0)
        close(to);
    if (from >= 0)
        close(from);
    return good;
}

/* Copies the JOB into the folder `around`. Returns the folder of the copy; -1 with errno: it
 * failed. */
static int make_copy(const Job *job, const char *around)
{
    g_autofree char *path = g_build_filename(around, COPY_NAME, NULL);
    int copy = make_folder(AT_FDCWD, path);

    if (copy >= 0 && (!copy_files(job->folder, copy, SVP_INFO_PREFIX) || !copy_data(job, copy))) {
        const int number = errno;

        close(copy);
        errno = number;
        return -1;
    }
    return copy;
}

/* Removes the folder and all files in it, including those that the tool made. */
static void remove_tree(int at, const char *name, guint depth)
{
    int folder = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *entries = folder >= 0 ? fdopendir(folder) : NULL;
    struct dirent *entry;

    while (entries && (entry = readdir(entries)))
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") &&
            unlinkat(folder, entry->d_name, 0) != 0 && depth < DEPTH_MAX)
            remove_tree(folder, entry->d_name, depth + 1);
    if (entries)
        closedir(entries);
    else if (folder >= 0)
        close(folder);
    unlinkat(at, name, AT_REMOVEDIR);
}

/* ---- the tool ---- */

typedef struct Tool {
    char *python; /* interpreter that runs the tool; NULL: the tool is a program */
    char *path;
} Tool;

static void clear_tool(Tool *tool)
{
    g_free(tool->python);
    g_free(tool->path);
}

static char *find_default(GString *refused)
{
    const char *home = g_getenv("ASCEND_HOME_PATH");

    if (!home || home[0] != '/')
        return NULL;
    g_autofree char *path = g_build_filename(home, TOOL_PLACE, NULL);
    return vendor_tool_vet(path, refused);
}

/* Finds the vendor's tool. Returns FALSE if it cannot be used; `unread` then has the reason. */
static gboolean find_tool(Job *job, Tool *tool)
{
    const char *given = job->host->option_text(job->self, OPTION);
    g_autoptr(GString) refused = g_string_new(NULL);

    if (*given && !g_path_is_absolute(given)) {
        set_unread(job, OPTION "=\"%s\" is a relative path, expected an absolute one", given);
        return FALSE;
    }
    tool->path = *given ? g_strdup(given) : find_default(refused);
    if (tool->path && (g_str_has_suffix(tool->path, ".pyc") || g_str_has_suffix(tool->path, ".py")))
        tool->python = vendor_tool_find(PYTHON, NULL, refused);
    else if (tool->path)
        return TRUE;
    if (!tool->path)
        set_unread(job, "there is no " TOOL_PLACE " in ASCEND_HOME_PATH%s%s",
                   refused->len ? ", but " : "", refused->str);
    else if (!tool->python)
        set_unread(job, "%s needs " PYTHON ", which is not on PATH%s%s", tool->path,
                   refused->len ? ": " : "", refused->str);
    return tool->python != NULL;
}

/* Returns the last part of the tool's output. */
static char *read_end(int log)
{
    char text[512];
    const off_t length = lseek(log, 0, SEEK_END);
    const gssize n = pread(log, text, sizeof text, MAX(length - (off_t)sizeof text, 0));

    return g_strstrip(g_utf8_make_valid(text, MAX(n, 0)));
}

/* Runs the tool. Returns FALSE if it fails; `unread` then has the reason. */
static gboolean run_command(Job *job, const Tool *tool, const char *const words[], const char *copy,
                            int folder)
{
    g_autoptr(GPtrArray) arguments = g_ptr_array_new();
    g_autofree char *line = g_strjoinv(" ", (char **)words);
    int log = job->host->storage(job->self)->open_file(job->host->storage(job->self));

    if (tool->python)
        g_ptr_array_add(arguments, tool->python);
    g_ptr_array_add(arguments, tool->path);
    for (; *words; words++)
        g_ptr_array_add(arguments, (gpointer)*words);
    g_ptr_array_add(arguments, (gpointer) "-dir");
    g_ptr_array_add(arguments, (gpointer)copy);
    g_ptr_array_add(arguments, NULL);
    const VendorRun run = vendor_tool_run((char **)arguments->pdata, folder, log,
                                          job->host->option_int(job->self, "export_limit"));
    const gboolean good = !run.error && !run.is_late && !run.is_lost && run.exit_code == 0;
    if (!good) {
        g_autofree char *end = log >= 0 ? read_end(log) : g_strdup("");

        set_unread(job, "%s %s: %s%s%s", tool->path, line,
                   run.error     ? g_strerror(run.error)
                   : run.is_late ? "took longer than export_limit"
                                 : "failed",
                   *end ? ": " : "", end);
    }
    if (log >= 0)
        close(log);
    return good;
}

static gboolean run_tool(Job *job, const Tool *tool, const char *copy, int folder)
{
    static const char *const commands[][3] = {
        {"import", NULL}, {"export", "timeline", NULL}, {"export", "summary", NULL}};

    for (guint i = 0; i < G_N_ELEMENTS(commands); i++)
        if (!run_command(job, tool, commands[i], copy, folder))
            return FALSE;
    return TRUE;
}

/* ---- the export ---- */

/* Makes the copy in the folder `around`, and lets the tool write the tables into the copy. Returns
 * -1 if this fails; `unread` then has the reason. */
static int export_copy(Job *job, const Tool *tool, const char *around)
{
    g_autofree char *path = g_build_filename(around, COPY_NAME, NULL);
    int copy = make_copy(job, around);

    if (copy < 0) {
        set_unread(job, "no copy for %s in %s: %s", tool->path, around, g_strerror(errno));
    } else if (!run_tool(job, tool, path, copy)) {
        close(copy);
        return -1;
    }
    return copy;
}

/* Reads the tables of a copy that the tool has exported. */
static void read_exported(Job *job, const Tool *tool, const char *around,
                          void (*read_tables)(Job *job))
{
    const int own = job->folder, copy = export_copy(job, tool, around);

    if (copy < 0)
        return;
    job->host->log(job->self, STROBE_LOG_INFO, "%s has exported a copy of %s", tool->path,
                   job->path);
    job->folder = copy;
    read_tables(job);
    job->folder = own;
    close(copy);
    if (job->n_vendor == 0)
        set_unread(job, "%s succeeded, but made no tables", tool->path);
}

void job_vendor_export(Job *job, void (*read_tables)(Job *job))
{
    Tool tool = {0};

    if (find_tool(job, &tool)) {
        g_autofree char *around =
            g_build_filename(job->host->storage(job->self)->place, "strobe-job-XXXXXX", NULL);

        if (g_mkdtemp_full(around, 0700)) {
            read_exported(job, &tool, around, read_tables);
            remove_tree(AT_FDCWD, around, 0);
        } else {
            set_unread(job, "%s: %s", around, g_strerror(errno));
        }
    }
    clear_tool(&tool);
}
