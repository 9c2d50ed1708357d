/* SPDX-License-Identifier: Apache-2.0 */
#include "log.h"

#include <stdio.h>
#include <string.h>
#include <strobe/helpers/environment.h>
#include <unistd.h>
#include "signal-guard.h"

static StrobeLogSink current_sink;

static gint32 threshold(void)
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

void strobe_log(gint32 level, const char *format, ...)
{
    StrobeLogSink sink = g_atomic_pointer_get(&current_sink);
    va_list args;

    if (!sink && level > threshold())
        return;
    va_start(args, format);
    g_autofree char *text = g_strdup_vprintf(format, args);
    va_end(args);
    if (sink)
        sink(level, text);
    if (level > threshold())
        return;
    /* One write: lines of several processes on one terminal stay whole. */
    g_autofree char *line = g_strdup_printf("strobe: %s%s\n", level_name(level), text);
    StrobeSignalGuard guard;
    strobe_signal_guard_hold(&guard);
    ssize_t done = write(STDERR_FILENO, line, strlen(line));
    strobe_signal_guard_release(&guard);
    (void)done; /* nobody to tell */
}

void strobe_log_set_sink(StrobeLogSink sink)
{
    g_atomic_pointer_set(&current_sink, sink);
}
