/* SPDX-License-Identifier: Apache-2.0 */
#include "row-log.h"

#include <errno.h>
#include <strobe/helpers/safe-file.h>

#define PART 2048u /* rows written and read at once */

struct RowLog {
    int directory;
    StrobeSafeFile *file; /* NULL: all are here */
    guint n;
    LoggedRow rows[PART];
};

RowLog *row_log_new(int directory)
{
    RowLog *log = g_new0(RowLog, 1);

    log->directory = directory;
    return log;
}

void row_log_free(RowLog *log)
{
    if (!log)
        return;
    strobe_safe_file_discard(log->file);
    g_free(log);
}

static int write_rows(RowLog *log)
{
    gsize bytes = log->n * sizeof *log->rows;

    if (!log->file)
        log->file = strobe_safe_file_scratch(log->directory);
    log->n = 0;
    return log->file ? strobe_safe_file_write(log->file, (const char *)log->rows, bytes) : errno;
}

int row_log_add(RowLog *log, const LoggedRow *row)
{
    log->rows[log->n++] = *row;
    return G_UNLIKELY(log->n == PART) ? write_rows(log) : 0;
}

int row_log_each(RowLog *log, int (*call)(void *user, const LoggedRow *row), void *user)
{
    guint64 end;
    int error = log->n ? write_rows(log) : 0;

    if (error || !log->file)
        return error;
    end = strobe_safe_file_size(log->file);
    for (guint64 at = 0; at < end && !error; at += sizeof log->rows) {
        gsize bytes = MIN(end - at, sizeof log->rows);

        error = strobe_safe_file_read(log->file, at, (char *)log->rows, bytes);
        for (gsize i = 0; i < bytes / sizeof *log->rows && !error; i++)
            error = call(user, &log->rows[i]);
    }
    return error;
}
