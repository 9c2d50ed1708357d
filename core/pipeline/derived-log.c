/* SPDX-License-Identifier: Apache-2.0 */
#include "derived-log.h"

#include <pthread.h>

struct StrobeDerivedLog {
    gint refs; /* atomic */
    StrobeSpool *spool;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    gboolean has_ended, is_whole;
};

StrobeDerivedLog *strobe_derived_log_new(void)
{
    StrobeDerivedLog *log = g_new0(StrobeDerivedLog, 1);

    log->refs = 1;
    log->spool = strobe_spool_new();
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
    strobe_spool_free(log->spool);
    pthread_mutex_destroy(&log->lock);
    pthread_cond_destroy(&log->ended);
    g_free(log);
}

struct StrobeSpooled *strobe_derived_log_add(StrobeDerivedLog *log,
                                             const struct StrobeSpooled *record)
{
    return strobe_spool_add(log->spool, record);
}

void strobe_derived_log_end(StrobeDerivedLog *log, gboolean is_whole)
{
    pthread_mutex_lock(&log->lock);
    log->has_ended = TRUE;
    log->is_whole = is_whole;
    pthread_cond_broadcast(&log->ended);
    pthread_mutex_unlock(&log->lock);
}

StrobeSpoolReader *strobe_derived_log_read(StrobeDerivedLog *log)
{
    pthread_mutex_lock(&log->lock);
    while (!log->has_ended)
        pthread_cond_wait(&log->ended, &log->lock);
    pthread_mutex_unlock(&log->lock);
    return log->is_whole ? strobe_spool_read(log->spool) : NULL;
}
