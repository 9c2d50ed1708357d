/* SPDX-License-Identifier: Apache-2.0 */
#include "memory-shortage.h"

#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "command.h"
#include "interruption.h"

#define ALLOCATE "failed to allocate " /* GLib's words: FILE:LINE: failed to allocate N bytes */
#define LINE_BYTES 512

/* A limit of the system's and what counts against it, as "ulimit" and /proc name them. */
static const struct {
    const char *name, *flag;
    int which;
    int column; /* of /proc/self/statm, in pages */
} limits[] = {{"address space", "-v", RLIMIT_AS, 0}, {"data", "-d", RLIMIT_DATA, 5}};

/* Bytes; 0: not known. Without the heap, of which there is no more. */
static guint64 in_use(int column)
{
    char text[256], *at = text;
    FILE *file = fopen("/proc/self/statm", "re");
    guint64 pages = 0;

    if (!file)
        return 0;
    setvbuf(file, NULL, _IONBF, 0);
    size_t n = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[n] = '\0';
    for (int i = 0; i <= column; i++)
        pages = g_ascii_strtoull(at, &at, 10);
    return pages * (guint64)sysconf(_SC_PAGESIZE);
}

/* The limit that leaves no room for as many bytes; -1: none, the system has no more. */
static int find_limit(guint64 wanted, guint64 *used, guint64 *most)
{
    for (guint i = 0; i < G_N_ELEMENTS(limits); i++) {
        struct rlimit limit;
        if (getrlimit(limits[i].which, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
            continue;
        *used = in_use(limits[i].column);
        *most = limit.rlim_cur;
        if (*used + wanted > *most || *most - *used < *most / 16)
            return (int)i;
    }
    return -1;
}

static void say(guint64 wanted)
{
    char line[LINE_BYTES];
    guint64 used, most;
    int limit = find_limit(wanted, &used, &most), n;

    if (limit < 0)
        n = snprintf(line, sizeof line,
                     "strobe: Out of memory: the system has no %" G_GUINT64_FORMAT
                     " KB more for this process\n",
                     (wanted + 1023) / 1024);
    else
        n = snprintf(line, sizeof line,
                     "strobe: Out of memory: %" G_GUINT64_FORMAT
                     " KB more do not fit into the limit of the %s (%.0f of %.0f MB are in use; "
                     "\"ulimit %s\"). What --max-mem keeps out of memory lies in a temporary file, "
                     "which that limit may count too: raise it\n",
                     (wanted + 1023) / 1024, limits[limit].name, (double)used / 1048576,
                     (double)most / 1048576, limits[limit].flag);
    if (write(STDERR_FILENO, line, (size_t)MIN(n, LINE_BYTES - 1)) < 0)
        return; /* nobody to tell */
}

static void on_message(const char *domain, GLogLevelFlags level, const char *message, gpointer user)
{
    const char *size = level & G_LOG_LEVEL_ERROR ? strstr(message, ALLOCATE) : NULL;

    if (!size) {
        g_log_default_handler(domain, level, message, user);
        return;
    }
    say(g_ascii_strtoull(size + strlen(ALLOCATE), NULL, 10));
    strobe_interruption_abandon();
    _exit(STROBE_EXIT_FAILED);
}

void strobe_memory_shortage_begin(void)
{
    g_log_set_default_handler(on_message, NULL);
}
