/* SPDX-License-Identifier: Apache-2.0 */
#include "derived-log.h"

#include <pthread.h>
#include <string.h>
#include "error.h"

struct StrobeDerivedLog {
    gint refs; /* atomic */
    StrobeRecordLog *records;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    gboolean has_ended, is_whole;
};

StrobeDerivedLog *strobe_derived_log_new(StrobeStorage *storage)
{
    StrobeDerivedLog *log = g_new0(StrobeDerivedLog, 1);

    log->refs = 1;
    log->records = strobe_record_log_new(storage);
    pthread_mutex_init(&log->lock, NULL);
    pthread_cond_init(&log->ended, NULL);
    return log;
}

StrobeDerivedLog *strobe_derived_log_ref(StrobeDerivedLog *log)
{
    g_atomic_int_inc(&log->refs);
    return log;
}

void strobe_derived_log_unref(StrobeDerivedLog *log)
{
    if (!log || !g_atomic_int_dec_and_test(&log->refs))
        return;
    strobe_record_log_free(log->records);
    pthread_mutex_destroy(&log->lock);
    pthread_cond_destroy(&log->ended);
    g_free(log);
}

StrobeDerived *strobe_derived_log_add(StrobeDerivedLog *log, const StrobeDerived *record)
{
    StrobeDerived *copy =
        strobe_record_log_reserve(log->records, sizeof *copy + record->field_bytes);

    if (!copy)
        return NULL;
    *copy = *record;
    memset(copy + 1, 0, record->field_bytes);
    return copy;
}

int strobe_derived_log_error(const StrobeDerivedLog *log)
{
    return strobe_record_log_error(log->records);
}

void strobe_derived_log_end(StrobeDerivedLog *log, gboolean is_whole)
{
    strobe_record_log_mark(log->records); /* after this call, readers do not change the log */
    pthread_mutex_lock(&log->lock);
    log->has_ended = TRUE;
    log->is_whole = is_whole && !strobe_record_log_error(log->records);
    pthread_cond_broadcast(&log->ended);
    pthread_mutex_unlock(&log->lock);
}

StrobeRecordLogReader *strobe_derived_log_read(StrobeDerivedLog *log)
{
    pthread_mutex_lock(&log->lock);
    while (!log->has_ended)
        pthread_cond_wait(&log->ended, &log->lock);
    pthread_mutex_unlock(&log->lock);
    return log->is_whole ? strobe_record_log_read(log->records) : NULL;
}

const StrobeDerived *strobe_derived_log_next(StrobeRecordLogReader *reader, GError **error)
{
    size_t length;
    const StrobeDerived *record = strobe_record_log_next(reader, &length);

    if (!record && strobe_record_log_reader_error(reader))
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO,
                    "Cannot read derived records in the folder for temporary files: %s",
                    g_strerror(strobe_record_log_reader_error(reader)));
    return record;
}
