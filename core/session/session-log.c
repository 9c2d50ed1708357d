/* SPDX-License-Identifier: Apache-2.0 */
#include "session-log.h"

#include <pthread.h>
#include "log.h"
#include "recorder.h"

#define LOG_MAX_BYTES (1u << 20) /* a collector with many messages must not fill the memory */

/* Not a lock of GLib, because ThreadSanitizer does not see GLib's locks. */
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static GString *log_text;

static void keep_line(gint32 level, const char *text)
{
    static const char *const names[] = {"", "ERROR", "WARNING", "INFO", "DEBUG"};
    g_autoptr(GDateTime) now = g_date_time_new_now_local();
    g_autofree char *time = g_date_time_format(now, "%Y-%m-%d %H:%M:%S");

    pthread_mutex_lock(&log_lock);
    if (log_text && log_text->len < LOG_MAX_BYTES) {
        gsize before = log_text->len;
        g_string_append_printf(log_text, "[%s.%03d] [%s] %s\n", time,
                               g_date_time_get_microsecond(now) / 1000, names[CLAMP(level, 0, 4)],
                               text);
        strobe_recorder_log(log_text->str + before, log_text->len - before);
    }
    pthread_mutex_unlock(&log_lock);
}

void strobe_session_log_begin(void)
{
    pthread_mutex_lock(&log_lock);
    if (!log_text)
        log_text = g_string_new(NULL);
    g_string_truncate(log_text, 0);
    pthread_mutex_unlock(&log_lock);
    strobe_log_set_sink(keep_line);
}

void strobe_session_log_end(void)
{
    strobe_log_set_sink(NULL);
}

char *strobe_session_log_take(void)
{
    pthread_mutex_lock(&log_lock);
    char *text = g_strdup(log_text ? log_text->str : "");
    if (log_text) {
        g_string_truncate(log_text, 0);
        strobe_recorder_forget_log();
    }
    pthread_mutex_unlock(&log_lock);
    return text;
}

void strobe_session_log_note(void)
{
    pthread_mutex_lock(&log_lock);
    strobe_recorder_forget_log();
    if (log_text)
        strobe_recorder_log(log_text->str, log_text->len);
    pthread_mutex_unlock(&log_lock);
}

void strobe_session_log_reset(void)
{
    strobe_log_set_sink(NULL);
    /* a thread of the parent may have held the lock during the fork */
    pthread_mutex_init(&log_lock, NULL);
}
