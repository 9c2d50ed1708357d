/* SPDX-License-Identifier: Apache-2.0 */
#include "system-memory.h"

#include <string.h>
#include <sys/resource.h>

/* a number from which on a group has no limit; version 1 writes nearly 2^63 for none */
#define GROUP_MOST ((guint64)1 << 60)

static void apply_limit(StrobeMemoryBound *bound, guint64 limit, guint64 share, const char *name)
{
    if (share >= bound->share)
        return;
    bound->limit = limit;
    bound->share = share;
    g_strlcpy(bound->name, name, sizeof bound->name);
}

/* Applies the limits of the shell on the address space and on data. Only a quarter of the limit of
 * the address space is for --max-mem, because programs, stacks and mapped temporary files use
 * address space as well. */
static void take_limits(StrobeMemoryBound *bound)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        apply_limit(bound, limit.rlim_cur, limit.rlim_cur / 4, "the limit of the address space");
    if (getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        apply_limit(bound, limit.rlim_cur, limit.rlim_cur / 2, "the limit of data");
}

/* Applies the limit of a control group in the file `path`. The group has no limit if the file has
 * the text "max" or cannot be read. */
static void take_group_file(StrobeMemoryBound *bound, const char *path)
{
    g_autofree char *text = NULL;
    char *end;

    if (!g_file_get_contents(path, &text, NULL, NULL))
        return;
    guint64 limit = g_ascii_strtoull(text, &end, 10);
    if (end > text && limit < GROUP_MOST)
        apply_limit(bound, limit, limit / 4 * 3, "the control group");
}

/* Applies the limits of the control group `group` and of all groups around it. */
static void take_groups(StrobeMemoryBound *bound, const char *tree, const char *group,
                        const char *file)
{
    g_autofree char *at = g_strdup(group);

    while (TRUE) {
        g_autofree char *path = g_build_filename(tree, at, file, NULL);
        take_group_file(bound, path);
        if (strlen(at) <= 1)
            return;
        char *parent = g_path_get_dirname(at);
        g_free(at);
        at = parent;
    }
}

/* Applies the memory limits of the control group in a line "NUMBER:CONTROLLERS:/GROUP" of
 * /proc/self/cgroup. In version 2 the list of controllers is empty. */
static void take_group_line(StrobeMemoryBound *bound, const char *root, const char *line)
{
    g_auto(GStrv) parts = g_strsplit(line, ":", 3);

    if (g_strv_length(parts) < 3 || parts[2][0] != '/')
        return;
    g_auto(GStrv) controllers = g_strsplit(parts[1], ",", -1);
    if (!*parts[1]) {
        g_autofree char *tree = g_build_filename(root, "/sys/fs/cgroup", NULL);
        take_groups(bound, tree, parts[2], "memory.max");
    } else if (g_strv_contains((const char *const *)controllers, "memory")) {
        g_autofree char *tree = g_build_filename(root, "/sys/fs/cgroup/memory", NULL);
        take_groups(bound, tree, parts[2], "memory.limit_in_bytes");
    }
}

gboolean strobe_memory_bound_find(const char *root, StrobeMemoryBound *bound)
{
    g_autofree char *path = g_build_filename(root, "/proc/self/cgroup", NULL);
    g_autofree char *text = NULL;

    *bound = (StrobeMemoryBound){.share = G_MAXUINT64};
    take_limits(bound);
    if (g_file_get_contents(path, &text, NULL, NULL)) {
        g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
        for (char **line = lines; *line; line++)
            take_group_line(bound, root, *line);
    }
    return bound->share != G_MAXUINT64;
}
