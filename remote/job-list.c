/* SPDX-License-Identifier: Apache-2.0 */
#include "job-list.h"

#include <string.h>

#include "error.h"
#include "remote-error.h"
#include "remote-flow.h"

#define NAME_MAX_BYTES 255
#define TEXT_MAX (32u << 20)
/* number of fields before the name: mode, links, user, group, size, and three for the date */
#define FIELDS 8

static void free_file(gpointer data)
{
    StrobeJobFile *file = data;

    g_free(file->name);
    g_free(file);
}

static void init_list(StrobeJobList *list)
{
    list->files = g_ptr_array_new_with_free_func(free_file);
    list->refused = g_ptr_array_new_with_free_func(g_free);
    list->n_bytes = 0;
}

void strobe_job_list_clear(StrobeJobList *list)
{
    g_clear_pointer(&list->files, g_ptr_array_unref);
    g_clear_pointer(&list->refused, g_ptr_array_unref);
}

gboolean strobe_job_name_is_good(const char *name)
{
    const gsize length = strlen(name);

    if (length == 0 || length > NAME_MAX_BYTES || strchr(name, '/') || strcmp(name, ".") == 0 ||
        strcmp(name, "..") == 0 || !g_utf8_validate(name, (gssize)length, NULL))
        return FALSE;
    for (const char *c = name; *c; c = g_utf8_next_char(c))
        if (g_unichar_iscntrl(g_utf8_get_char(c)))
            return FALSE;
    return TRUE;
}

/* ---- the text of ls -lanR ---- */

typedef struct Parse {
    StrobeJobList *list;
    /* path of the current folder with a '/' at its end, or "" for the JOB itself; NULL: the folder
     * is refused */
    char *folder;
} Parse;

static void refuse_name(const Parse *parse, const char *name, const char *why)
{
    g_autofree char *shown = strobe_remote_excerpt(name, strlen(name));

    if (parse->list->refused->len < STROBE_JOB_FILES_MAX)
        g_ptr_array_add(parse->list->refused, g_strdup_printf("%s: %s", shown, why));
}

/* Parses a line such as "./data:", which begins the list of a folder. */
static void take_folder(Parse *parse, char *line)
{
    const gsize length = strlen(line);

    g_clear_pointer(&parse->folder, g_free);
    line[length - 1] = '\0';
    if (strcmp(line, ".") == 0) {
        parse->folder = g_strdup("");
        return;
    }
    g_auto(GStrv) parts = g_strsplit(g_str_has_prefix(line, "./") ? line + 2 : line, "/", -1);
    for (char **part = parts; *part; part++)
        if (!strobe_job_name_is_good(*part)) {
            refuse_name(parse, line, "a bad name of a folder");
            return;
        }
    parse->folder = g_strconcat(g_str_has_prefix(line, "./") ? line + 2 : line, "/", NULL);
}

/* Returns the begin of the name in a line, and sets *size to the begin of the size. NULL: the line
 * describes no entry. */
static char *find_name(char *line, char **size)
{
    char *at = line;

    for (int i = 0; i < FIELDS; i++) {
        if (i == 4)
            *size = at;
        at += strcspn(at, " ");
        if (!*at)
            return NULL;
        /* There is exactly one blank before the name; a further blank belongs to the name. */
        at += i == FIELDS - 1 ? 1 : strspn(at, " ");
    }
    return at;
}

static void add_file(Parse *parse, const char *name, const char *size)
{
    StrobeJobFile *file = g_new0(StrobeJobFile, 1);

    file->name = g_strconcat(parse->folder, name, NULL);
    file->n_bytes = g_ascii_strtoull(size, NULL, 10);
    g_ptr_array_add(parse->list->files, file);
    if (__builtin_add_overflow(parse->list->n_bytes, file->n_bytes, &parse->list->n_bytes))
        parse->list->n_bytes = G_MAXUINT64;
}

static void take_entry(Parse *parse, char *line)
{
    char *size = NULL, *name = line[0] == '-' || line[0] == 'd' ? find_name(line, &size) : NULL;

    if (!parse->folder)
        return;
    if (line[0] == 'd' && name)
        return; /* ls lists the entries of each folder separately */
    if (!name)
        refuse_name(parse, line, "no regular file");
    else if (!strobe_job_name_is_good(name))
        refuse_name(parse, name, "a bad name");
    else
        add_file(parse, name, size);
}

static gboolean is_entry(const char *line)
{
    return strchr("-dlbcpsD", line[0]) && strlen(line) > 10 && strspn(line + 1, "-rwxsStT") == 9 &&
           strchr(" .+@", line[10]);
}

void strobe_job_list_parse(StrobeJobList *list, const char *text)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    Parse parse = {.list = list};

    init_list(list);
    for (char **line = lines; *line; line++) {
        const gsize length = strlen(*line);

        if (length == 0 || g_str_has_prefix(*line, "total "))
            continue;
        if (is_entry(*line))
            take_entry(&parse, *line);
        else if ((*line)[length - 1] == ':' && (*line)[0] == '.')
            take_folder(&parse, *line);
        else
            refuse_name(&parse, *line,
                        g_str_has_prefix(*line, "ls: ") ? "cannot be read" : "a bad name");
    }
    g_free(parse.folder);
}

/* ---- from the board ---- */

GPtrArray *strobe_job_list_find(StrobeRemote *remote, const char *const *folders, GError **error)
{
    g_autoptr(GString) command = g_string_new("export LC_ALL=C\n");
    g_autoptr(GString) answer = g_string_new(NULL);
    g_autoptr(GPtrArray) jobs = g_ptr_array_new_with_free_func(g_free);

    for (guint i = 0; folders[i]; i++) {
        g_autofree char *quoted = g_shell_quote(folders[i]);
        g_string_append_printf(command,
                               "cd %s 2>/dev/null && for j in JOB*; do\n"
                               "[ -L \"$j\" ] || [ ! -d \"$j\" ] || echo \"%u $j\"; done\n",
                               quoted, i);
    }
    g_string_append(command, "exit 0");
    if (!strobe_flow_text(remote, "cannot look for JOB directories", command->str, NULL, answer,
                          TEXT_MAX, error))
        return NULL;
    const guint n_folders = g_strv_length((char **)(uintptr_t)folders);
    g_auto(GStrv) lines = g_strsplit(answer->str, "\n", -1);
    for (char **line = lines; *line; line++) {
        char *name = NULL;
        const guint64 folder = g_ascii_strtoull(*line, &name, 10);

        if (*name == ' ' && folder < n_folders && strobe_job_name_is_good(name + 1) &&
            g_str_has_prefix(name + 1, "JOB"))
            g_ptr_array_add(jobs, g_strdup_printf("%s/%s", folders[folder], name + 1));
    }
    return g_steal_pointer(&jobs);
}

gboolean strobe_job_list_read(StrobeRemote *remote, const char *job, StrobeJobList *list,
                              GError **error)
{
    g_autofree char *quoted = g_shell_quote(job);
    g_autofree char *command =
        g_strdup_printf("cd %s || exit 73\nLC_ALL=C ls -lanR . 2>&1\nexit 0", quoted);
    g_autoptr(GString) answer = g_string_new(NULL);

    if (!strobe_flow_text(remote, "cannot list a JOB directory", command, NULL, answer, TEXT_MAX,
                          error))
        return FALSE;
    strobe_job_list_parse(list, answer->str);
    if (list->files->len <= STROBE_JOB_FILES_MAX)
        return TRUE;
    strobe_job_list_clear(list);
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_INPUT, "%s: %s has more than 100000 files",
                remote->name, job);
    return FALSE;
}
