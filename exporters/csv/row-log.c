/* SPDX-License-Identifier: Apache-2.0 */
#include "row-log.h"

#include <errno.h>
#include <string.h>
#include <strobe/helpers/safe-file.h>

#define PART (32u * 1024) /* bytes written and read at once */
#define ROW_MAX (sizeof(Short) + sizeof(LoggedRow))

/* A row that is as the one before but for its time and length, which most are. Another one follows
 * as it is a Short with ANOTHER. */
typedef struct Short {
    guint32 later, length; /* than the one before, in the key's minor part */
} Short;

#define ANOTHER G_MAXUINT32

struct RowLog {
    int directory;
    StrobeSafeFile *file; /* NULL: all are here */
    LoggedRow last;       /* zeros before the first one */
    gsize used;
    char bytes[PART];
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
    gsize used = log->used;

    if (!log->file)
        log->file = strobe_safe_file_scratch(log->directory);
    log->used = 0;
    return log->file ? strobe_safe_file_write(log->file, log->bytes, used) : errno;
}

static void put(RowLog *log, gconstpointer bytes, gsize length)
{
    memcpy(log->bytes + log->used, bytes, length);
    log->used += length;
}

int row_log_add(RowLog *log, const LoggedRow *row)
{
    const guint64 later = (guint64)row->key.minor - (guint64)log->last.key.minor;
    Short brief = {ANOTHER, row->length};
    const gboolean is_brief = row->key.major == log->last.key.major &&
                              row->n_cells == log->last.n_cells && later < ANOTHER;

    if (is_brief)
        brief.later = (guint32)later;
    put(log, &brief, sizeof brief);
    if (!is_brief)
        put(log, row, sizeof *row);
    log->last = *row;
    return G_UNLIKELY(log->used + ROW_MAX > PART) ? write_rows(log) : 0;
}

/* The row at the place, behind `row`; returns its bytes there. */
static gsize take(const char *at, LoggedRow *row)
{
    Short brief;

    memcpy(&brief, at, sizeof brief);
    if (brief.later == ANOTHER) {
        memcpy(row, at + sizeof brief, sizeof *row);
        return ROW_MAX;
    }
    row->key.minor = (gint64)((guint64)row->key.minor + brief.later);
    row->length = brief.length;
    return sizeof brief;
}

int row_log_each(RowLog *log, int (*call)(void *user, const LoggedRow *row), void *user)
{
    LoggedRow row = {.n_cells = 0};
    guint64 end;
    int error = log->used ? write_rows(log) : 0;

    if (error || !log->file)
        return error;
    end = strobe_safe_file_size(log->file);
    for (guint64 at = 0; at < end && !error;) {
        gsize bytes = MIN(end - at, PART), used = 0;

        error = strobe_safe_file_read(log->file, at, log->bytes, bytes);
        while (!error && used < bytes && (bytes - used >= ROW_MAX || at + bytes == end)) {
            used += take(log->bytes + used, &row);
            error = call(user, &row);
        }
        at += used;
    }
    return error;
}
