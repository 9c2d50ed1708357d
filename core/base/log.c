/* SPDX-License-Identifier: Apache-2.0 */
#include "log.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <strobe/helpers/environment.h>
#include <strobe/helpers/keyed-hash.h>
#include <strobe/strobe.h>
#include <unistd.h>
#include "signal-guard.h"

#define WRITTEN_MAX 64u

static StrobeLogSink current_sink;

/* Hashes of the last warnings that were written; 0: an unused entry. There is no lock, because a
 * forked child could inherit it locked. */
static _Atomic guint written[WRITTEN_MAX];
static _Atomic guint n_written;

static gint32 get_threshold(void)
{
    static gsize level;

    if (g_once_init_enter(&level)) {
        const char *text = strobe_environment_get("STROBE_LOG");
        gsize value = STROBE_LOG_WARNING;
        if (g_strcmp0(text, "error") == 0)
            value = STROBE_LOG_ERROR;
        else if (g_strcmp0(text, "info") == 0)
            value = STROBE_LOG_INFO;
        else if (g_strcmp0(text, "debug") == 0)
            value = STROBE_LOG_DEBUG;
        g_once_init_leave(&level, value);
    }
    return (gint32)level;
}

static const char *level_name(gint32 level)
{
    switch (level) {
    case STROBE_LOG_ERROR:
        return "error: ";
    case STROBE_LOG_WARNING:
        return "warning: ";
    case STROBE_LOG_DEBUG:
        return "debug: ";
    default:
        return "";
    }
}

static void note_written(const char *text)
{
    atomic_store(&written[atomic_fetch_add(&n_written, 1) % WRITTEN_MAX],
                 strobe_hash_of_text(text));
}

int strobe_warning_was_written(const char *text)
{
    const guint hash = text ? strobe_hash_of_text(text) : 0;

    for (guint i = 0; i < WRITTEN_MAX; i++)
        if (hash && atomic_load(&written[i]) == hash)
            return 1;
    return 0;
}

void strobe_log(gint32 level, const char *format, ...)
{
    StrobeLogSink sink = g_atomic_pointer_get(&current_sink);
    va_list args;

    if (!sink && level > get_threshold())
        return;
    va_start(args, format);
    g_autofree char *text = g_strdup_vprintf(format, args);
    va_end(args);
    if (sink)
        sink(level, text);
    if (level > get_threshold())
        return;
    if (level == STROBE_LOG_WARNING)
        note_written(text);
    /* The line is written with one call, so that lines of several processes on one terminal do not
     * mix. */
    g_autofree char *line = g_strdup_printf("strobe: %s%s\n", level_name(level), text);
    StrobeSignalGuard guard;
    strobe_signal_guard_hold(&guard);
    ssize_t done = write(STDERR_FILENO, line, strlen(line));
    strobe_signal_guard_release(&guard);
    (void)done; /* an error of this write cannot be reported anywhere */
}

StrobeLogSink strobe_log_set_sink(StrobeLogSink sink)
{
    StrobeLogSink before = g_atomic_pointer_get(&current_sink);

    g_atomic_pointer_set(&current_sink, sink);
    return before;
}
