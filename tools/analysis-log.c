/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis-log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <strobe/helpers/file-part.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "log.h"

#define LOGS_DIR "logs"
#define NAMES_MAX 100u
/* The limit of logs of the Ascend PyTorch Profiler. Lines above the limit are only counted. */
#define LOG_MAX_BYTES (10u << 20)

struct StrobeAnalysisLog {
    GString *text;
    guint64 n_left_out;
    gint64 begin_us;
    char *file_name;
};

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static StrobeAnalysisLog *current_log; /* protected by log_lock */
/* the log sink that was set before keep_message, which passes each message on to it; set only
 * once */
static StrobeLogSink next_sink;

static void add_line(StrobeAnalysisLog *log, gint32 level, const char *text)
{
    static const char *const names[] = {"INFO", "ERROR", "WARNING", "INFO", "DEBUG"};
    g_autoptr(GDateTime) now = g_date_time_new_now_local();
    g_autofree char *time = g_date_time_format(now, "%Y-%m-%d-%H:%M:%S");

    if (log->text->len >= LOG_MAX_BYTES) {
        log->n_left_out++;
        return;
    }
    g_string_append_printf(log->text, "[%s.%03d] [%s] [analyse] %s\n", time,
                           g_date_time_get_microsecond(now) / 1000, names[CLAMP(level, 0, 4)],
                           text);
}

static void keep_message(gint32 level, const char *text)
{
    pthread_mutex_lock(&log_lock);
    if (current_log && level <= STROBE_LOG_INFO)
        add_line(current_log, level, text);
    pthread_mutex_unlock(&log_lock);
    if (next_sink)
        next_sink(level, text);
}

/* Installs keep_message. It stays installed until the process ends, because the progress bar's sink
 * may call it. */
static void install_sink(void)
{
    static gsize is_done;

    if (!g_once_init_enter(&is_done))
        return;
    next_sink = strobe_log_set_sink(keep_message);
    g_once_init_leave(&is_done, 1);
}

static char *make_file_name(void)
{
    g_autoptr(GDateTime) now = g_date_time_new_now_local();
    g_autofree char *time = g_date_time_format(now, "%Y%m%d%H%M%S");

    return g_strdup_printf("profiler_%s_%ld_Analyse.log", time, (long)getpid());
}

StrobeAnalysisLog *strobe_analysis_log_begin(const char *name)
{
    StrobeAnalysisLog *log = g_new0(StrobeAnalysisLog, 1);
    g_autofree char *line = g_strdup_printf("Start parsing profiling data at: %s", name);

    log->text = g_string_new(NULL);
    log->begin_us = g_get_monotonic_time();
    log->file_name = make_file_name();
    add_line(log, STROBE_LOG_INFO, line);
    install_sink();
    pthread_mutex_lock(&log_lock);
    current_log = log;
    pthread_mutex_unlock(&log_lock);
    return log;
}

static void add_outcome(StrobeAnalysisLog *log, guint64 n_records, const GPtrArray *missing,
                        const GError *error)
{
    const gint64 passed_us = g_get_monotonic_time() - log->begin_us;
    g_autofree char *records = g_strdup_printf("%" G_GUINT64_FORMAT " records", n_records);
    g_autofree char *total = g_strdup_printf(
        "All profiling data parsed in a total time of %" G_GINT64_FORMAT ":%02d:%02d.%06d",
        passed_us / 3600000000, (int)(passed_us / 60000000 % 60), (int)(passed_us / 1000000 % 60),
        (int)(passed_us % 1000000));

    add_line(log, STROBE_LOG_INFO, records);
    for (guint i = 0; missing && i < missing->len; i++)
        add_line(log, STROBE_LOG_WARNING, g_ptr_array_index(missing, i));
    if (error)
        add_line(log, STROBE_LOG_ERROR, error->message);
    add_line(log, STROBE_LOG_INFO, total);
    if (log->n_left_out)
        g_string_append_printf(log->text, "%" G_GUINT64_FORMAT " more lines\n", log->n_left_out);
}

/* Opens the folder `logs` of the result directory. Makes it if it is missing, as in a result of
 * another profiler. */
static int open_logs(int folder)
{
    if (mkdirat(folder, LOGS_DIR, 0750) != 0 && errno != EEXIST)
        return -1;
    return openat(folder, LOGS_DIR, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static int create_file(int folder, const char *name)
{
    return openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0640);
}

static void replace_name(char **name, const char *first, guint number)
{
    g_free(*name);
    *name = g_strdup_printf("%s.%u", first, number);
}

/* Writes the log into a new file with its final name. A StrobeSafeFile would first write a hidden
 * file, which nothing removes if the command is killed. Returns 0 or an errno value. */
static int write_text(const StrobeAnalysisLog *log, int logs)
{
    g_autofree char *name = g_strdup(log->file_name);
    int file, failed;

    /* A second analysis of the result in the same second has the same name. */
    for (guint i = 1; (file = create_file(logs, name)) < 0 && errno == EEXIST && i < NAMES_MAX; i++)
        replace_name(&name, log->file_name, i);
    if (file < 0)
        return errno;
    failed = strobe_file_part_write(file, 0, log->text->str, log->text->len);
    if (failed)
        unlinkat(logs, name, 0);
    close(file);
    return failed;
}

/* Writes the log into the folder `logs` of the result directory. Returns 0 or an errno value. */
static int write_file(const StrobeAnalysisLog *log, int folder)
{
    const int logs = open_logs(folder);
    const int failed = logs >= 0 ? write_text(log, logs) : errno;

    if (logs >= 0)
        close(logs);
    return failed;
}

void strobe_analysis_log_write(StrobeAnalysisLog *log, int folder, guint64 n_records,
                               const GPtrArray *missing, const GError *error)
{
    pthread_mutex_lock(&log_lock);
    add_outcome(log, n_records, missing, error);
    int failed = write_file(log, folder);
    pthread_mutex_unlock(&log_lock);
    if (failed)
        strobe_complain("Cannot write " LOGS_DIR "/%s: %s", log->file_name, g_strerror(failed));
}

void strobe_analysis_log_end(StrobeAnalysisLog *log)
{
    if (!log)
        return;
    pthread_mutex_lock(&log_lock);
    current_log = NULL;
    pthread_mutex_unlock(&log_lock);
    g_string_free(log->text, TRUE);
    g_free(log->file_name);
    g_free(log);
}
