/* SPDX-License-Identifier: Apache-2.0 */
#include "out-of-memory.h"

#include <fcntl.h>
#include <glib.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "command.h"
#include "component-call.h"
#include "signal-cleanup.h"
#include "registry.h"

/* part of GLib's message: FILE:LINE: failed to allocate N bytes */
#define ALLOCATE "failed to allocate "
#define LINE_BYTES 512
#define THREAD_STACK_BYTES (512u << 10)

/* bound: the RLIMIT_DATA that strobe_memory_shortage_bound has set; bound_limit: --max-mem; 0: not
 * set */
static guint64 bound, bound_limit;

/* The limits of the system that are checked, with the quantity that they limit. */
static const struct {
    const char *name, *flag;
    int which;
    int column; /* column of /proc/self/statm, in pages */
} limits[] = {{"address space", "-v", RLIMIT_AS, 0}, {"data", "-d", RLIMIT_DATA, 5}};

/* Returns the bytes that this process uses according to a column of /proc/self/statm; 0: unknown.
 * Does not use the heap, which is exhausted. */
static guint64 in_use(int column)
{
    char text[256], *at = text;
    const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    guint64 pages = 0;

    if (file < 0)
        return 0;
    const ssize_t n = read(file, text, sizeof text - 1);
    close(file);
    text[MAX(n, 0)] = '\0';
    for (int i = 0; i <= column; i++)
        pages = g_ascii_strtoull(at, &at, 10);
    return pages * (guint64)sysconf(_SC_PAGESIZE);
}

/* Returns the index of the first limit that has no room for `wanted` bytes or is nearly reached.
 * -1: there is none, so the system itself has no more memory. */
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

/* Writes the name of the component that runs in this thread, for example: the pass "operator_tree".
 * Writes "the command" if none does. */
static void name_state(char *name, gsize size)
{
    const StrobeComponentCall *call = strobe_component_call_present();

    if (call)
        g_snprintf(name, size, "the %s \"%s\"", strobe_component_type_name(call->component->type),
                   call->component->name);
    else
        g_strlcpy(name, "the command", size);
}

static int describe_shortage(char *line, guint64 wanted)
{
    const guint64 wanted_kb = (wanted + 1023) / 1024;
    guint64 used, most;
    int limit = find_limit(wanted, &used, &most);
    char state[128];

    if (limit < 0)
        return snprintf(line, LINE_BYTES,
                        "strobe: Out of memory: the system has no %" G_GUINT64_FORMAT
                        " KB more for this process\n",
                        wanted_kb);
    if (limits[limit].which == RLIMIT_DATA && most == bound) {
        name_state(state, sizeof state);
        return snprintf(line, LINE_BYTES,
                        "strobe: Out of memory: %" G_GUINT64_FORMAT
                        " KB more for what %s keeps of this input do not fit into --max-mem of "
                        "%" G_GUINT64_FORMAT " MB: raise it\n",
                        wanted_kb, state, bound_limit >> 20);
    }
    return snprintf(line, LINE_BYTES,
                    "strobe: Out of memory: %" G_GUINT64_FORMAT
                    " KB more do not fit into the limit of the %s (%.0f of %.0f MB are in use; "
                    "\"ulimit %s\"). That limit may count temporary files too: raise it\n",
                    wanted_kb, limits[limit].name, (double)used / 1048576, (double)most / 1048576,
                    limits[limit].flag);
}

static void print_shortage(guint64 wanted)
{
    char line[LINE_BYTES];
    int n = describe_shortage(line, wanted);

    if (write(STDERR_FILENO, line, (size_t)MIN(n, LINE_BYTES - 1)) < 0)
        return; /* stderr may be closed */
}

/* Returns in the first thread that gets no memory. Other threads wait in this function until the
 * first one ends the process. */
static void claim_end(void)
{
    static _Thread_local gboolean is_first;
    static gint has_first; /* atomic */

    if (is_first) /* this thread again got no memory while it was ending the process */
        _exit(STROBE_EXIT_WRITE);
    is_first = g_atomic_int_compare_and_exchange(&has_first, FALSE, TRUE);
    while (!is_first) // NOLINT(bugprone-infinite-loop): until the first thread ends the process
        pause();
}

/* Removes the limit, because other threads continue until the process ends. */
static void lift_bound(void)
{
    struct rlimit limit;

    if (!bound || getrlimit(RLIMIT_DATA, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_DATA, &limit);
}

static void on_message(const char *domain, GLogLevelFlags level, const char *message, gpointer user)
{
    const char *size = level & G_LOG_LEVEL_ERROR ? strstr(message, ALLOCATE) : NULL;

    if (!size) {
        g_log_default_handler(domain, level, message, user);
        return;
    }
    claim_end();
    print_shortage(g_ascii_strtoull(size + strlen(ALLOCATE), NULL, 10));
    lift_bound();
    strobe_signal_cleanup_abandon();
    _exit(STROBE_EXIT_WRITE);
}

void strobe_memory_shortage_begin(void)
{
    g_log_set_default_handler(on_message, NULL);
}

/* Reduces the size of the stacks of new threads, because a whole stack counts as data, not only the
 * used part. */
static void make_stacks_small(void)
{
    pthread_attr_t attributes;

    if (pthread_attr_init(&attributes))
        return;
    if (pthread_attr_setstacksize(&attributes, THREAD_STACK_BYTES) == 0)
        pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
}

void strobe_memory_shortage_bound(guint64 bytes)
{
    struct rlimit limit;

    make_stacks_small();
    /* only one arena, because each arena keeps freed memory and address space */
    mallopt(M_ARENA_MAX, 1);
    if (getrlimit(RLIMIT_DATA, &limit) != 0)
        return;
    const guint64 most = in_use(limits[1].column) + bytes;
    if (limit.rlim_cur <= most)
        return;
    limit.rlim_cur = most;
    if (setrlimit(RLIMIT_DATA, &limit) == 0) {
        bound = most;
        bound_limit = bytes;
    }
}
