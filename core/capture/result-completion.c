/* SPDX-License-Identifier: Apache-2.0 */
#include "result-completion.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strobe/helpers/safe-file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "json-text.h"

StrobeResultEnd strobe_result_end(const StrobeClockPair *pair)
{
    return (StrobeResultEnd){pair->realtime_ns, strobe_clock_raw_ns(pair)};
}

JsonObject *strobe_result_end_info(const StrobeResultEnd *end)
{
    JsonObject *out = json_object_new();

    json_object_set_int_member(out, "collectionTimeEnd", end->realtime_ns);
    json_object_set_int_member(out, "MonotonicTimeEnd", end->raw_ns);
    return out;
}

char *strobe_result_log_name(const char *stamp, long pid)
{
    return g_strdup_printf("profiler_%.14s_%ld_Strobe.log", stamp, pid);
}

static gboolean write_whole(int folder, const char *name, const char *bytes, gsize n)
{
    StrobeSafeFile *file = strobe_safe_file_create(folder, name);

    if (!file)
        return FALSE;
    strobe_safe_file_write(file, bytes, n);
    return strobe_safe_file_finish(file) == 0;
}

static void add_end_info(int folder, const char *name, const StrobeClockPair *pair)
{
    g_autoptr(JsonNode) root = strobe_json_read_file(folder, name);
    const StrobeResultEnd end = strobe_result_end(pair);

    if (!root || json_object_has_member(json_node_get_object(root), "end_info"))
        return;
    json_object_set_object_member(json_node_get_object(root), "end_info",
                                  strobe_result_end_info(&end));
    g_autofree char *whole = strobe_json_to_text(root, STROBE_JSON_INDENTED);
    write_whole(folder, name, whole, strlen(whole));
}

static void complete_info(int folder, const StrobeClockPair *end)
{
    int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *names = copy >= 0 ? fdopendir(copy) : NULL;
    struct dirent *entry;

    if (!names) {
        if (copy >= 0)
            close(copy);
        return;
    }
    while ((entry = readdir(names)))
        if (g_str_has_prefix(entry->d_name, "profiler_info") &&
            g_str_has_suffix(entry->d_name, ".json"))
            add_end_info(folder, entry->d_name, end);
    closedir(names);
}

static void complete_log(int folder, const char *name, const char *log, gsize n)
{
    int logs = openat(folder, "logs", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (logs < 0)
        return;
    if (faccessat(logs, name, F_OK, AT_SYMLINK_NOFOLLOW) != 0)
        write_whole(logs, name, log, n);
    close(logs);
}

/* Returns the name of the log for the result directory {worker}_{pid}_{stamp}_ascend_pt, NULL if
 * the directory's name has another form. */
static char *log_of_directory(const char *directory)
{
    g_autofree char *base = g_path_get_basename(directory);
    g_autoptr(GRegex) form =
        g_regex_new("_([0-9]{1,10})_([0-9]{17})_ascend_pt$", G_REGEX_DEFAULT, 0, NULL);
    g_autoptr(GMatchInfo) match = NULL;

    if (!g_regex_match(form, base, 0, &match))
        return NULL;
    g_autofree char *pid = g_match_info_fetch(match, 1), *stamp = g_match_info_fetch(match, 2);
    return strobe_result_log_name(stamp, strtol(pid, NULL, 10));
}

void strobe_result_complete(int capture, const StrobeClockPair *end, const char *log,
                            gsize log_bytes)
{
    g_autofree char *link = g_strdup_printf("/proc/self/fd/%d", capture);
    g_autofree char *path = g_file_read_link(link, NULL);
    g_autofree char *framework = path ? g_path_get_dirname(path) : NULL;
    g_autofree char *directory = framework ? g_path_get_dirname(framework) : NULL;
    g_autofree char *name = directory ? log_of_directory(directory) : NULL;
    int folder = name ? open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;

    if (folder < 0)
        return;
    complete_info(folder, end);
    complete_log(folder, name, log, log_bytes);
    close(folder);
}
