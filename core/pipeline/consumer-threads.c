/* SPDX-License-Identifier: Apache-2.0 */
#include "consumer-threads.h"

#include <errno.h>
#include <pthread.h>
#include <strobe/helpers/thread.h>

#include "batch-queue.h"
#include "consumer-host.h"
#include "error.h"
#include "memory-limit.h"

#define MEMORY_PARTS 32u /* fraction of the memory for the batches of a queue */

/* A pass from whose output a consumer wants records. */
typedef struct Input {
    const StrobeConsumer *pass;
    StrobeDerivedLog *log;
} Input;

typedef struct Thread {
    StrobeConsumerThreads *all;
    StrobeConsumer *consumer;
    StrobeBatchQueue *queue;
    GArray *inputs; /* of Input */
    pthread_t id;
    gboolean has_id;
} Thread;

struct StrobeConsumerThreads {
    guint n, n_passes;
    Thread *threads; /* the threads of passes are first */
    const StrobeMetadata *metadata;
    StrobeGaps *gaps;
};

/* ---- the thread of one consumer ---- */

static void take_raw(const Thread *thread)
{
    StrobeBatch *batch;

    while ((batch = strobe_batch_queue_pop(thread->queue))) {
        strobe_consumer_take(thread->consumer, batch);
        strobe_batch_unref(batch);
    }
}

static void take_inputs(const Thread *thread)
{
    for (guint i = 0; i < thread->inputs->len; i++) {
        Input *input = &g_array_index(thread->inputs, Input, i);

        strobe_consumer_take_derived(thread->consumer, input->pass, input->log);
        g_clear_pointer(&input->log, strobe_derived_log_unref);
    }
}

/* Frees the consumer's state before other consumers begin to read its records. */
static void close_consumer(StrobeConsumer *c, gboolean is_whole)
{
    strobe_consumer_close(c);
    if (!c->log)
        return;
    strobe_derived_log_end(c->log, is_whole && !c->failure);
    if (is_whole)
        strobe_consumer_count_incomplete(c);
    g_clear_pointer(&c->log, strobe_derived_log_unref);
}

static void *run_thread(void *user)
{
    const Thread *thread = user;
    const StrobeConsumerThreads *all = thread->all;
    StrobeConsumer *c = thread->consumer;

    take_raw(thread);
    if (all->metadata) {
        strobe_consumer_raw_end(c, all->metadata, all->gaps);
        take_inputs(thread);
        strobe_consumer_end(c);
    }
    close_consumer(c, all->metadata != NULL);
    return NULL;
}

/* ---- all threads ---- */

static gboolean wants_of(const StrobeConsumer *c, const StrobeConsumer *pass)
{
    for (guint32 i = 0; i < pass->component->n_kinds; i++)
        if (g_hash_table_contains(c->wanted, pass->counts[i].kind))
            return TRUE;
    return FALSE;
}

static void init_thread(StrobeConsumerThreads *all, Thread *thread, StrobeConsumer *consumer)
{
    const guint n_before = MIN((guint)(thread - all->threads), all->n_passes);

    thread->all = all;
    thread->consumer = consumer;
    strobe_consumer_keep_messages(consumer);
    thread->queue = strobe_batch_queue_new((gsize)(strobe_memory_limit() / MEMORY_PARTS));
    thread->inputs = g_array_new(FALSE, FALSE, sizeof(Input));
    for (guint i = 0; i < n_before; i++) {
        const StrobeConsumer *pass = all->threads[i].consumer;

        if (wants_of(consumer, pass)) {
            Input input = {pass, strobe_derived_log_ref(pass->log)};
            g_array_append_val(thread->inputs, input);
        }
    }
}

static void start_thread(Thread *thread)
{
    StrobeConsumer *c = thread->consumer;
    int error;

    if (c->is_open) {
        error = strobe_thread_start(&thread->id, run_thread, thread);
        thread->has_id = error == 0;
        if (error)
            g_set_error(&c->failure, STROBE_ERROR, STROBE_ERROR_IO,
                        "%s: cannot start its thread: %s", c->component->name, g_strerror(error));
    }
    if (thread->has_id)
        pthread_setname_np(thread->id, "strobe-consumer");
    else
        close_consumer(c, FALSE);
}

StrobeConsumerThreads *strobe_consumer_threads_start(const GPtrArray *passes,
                                                     const GPtrArray *exporters)
{
    StrobeConsumerThreads *all = g_new0(StrobeConsumerThreads, 1);

    all->n_passes = passes->len;
    all->n = passes->len + exporters->len;
    all->threads = g_new0(Thread, all->n + 1);
    for (guint i = 0; i < all->n; i++)
        init_thread(all, &all->threads[i],
                    i < passes->len ? passes->pdata[i] : exporters->pdata[i - passes->len]);
    for (guint i = 0; i < all->n; i++)
        start_thread(&all->threads[i]);
    return all;
}

static gboolean wants_any(const StrobeConsumer *c, const StrobeBatch *batch)
{
    for (guint i = 0; i < batch->n_kinds; i++)
        if (strobe_consumer_wants(c, batch->kinds[i]))
            return TRUE;
    return FALSE;
}

void strobe_consumer_threads_push(StrobeConsumerThreads *all, StrobeBatch *batch)
{
    for (guint i = 0; i < all->n; i++)
        if (all->threads[i].has_id && wants_any(all->threads[i].consumer, batch))
            strobe_batch_queue_push(all->threads[i].queue, batch);
}

void strobe_consumer_threads_raw_end(StrobeConsumerThreads *all, const StrobeMetadata *metadata,
                                     StrobeGaps *gaps)
{
    all->metadata = metadata;
    all->gaps = gaps;
    for (guint i = 0; i < all->n; i++)
        strobe_batch_queue_end(all->threads[i].queue);
}

static void join_thread(Thread *thread)
{
    if (thread->has_id)
        pthread_join(thread->id, NULL);
    strobe_consumer_print_messages(thread->consumer);
    for (guint i = 0; i < thread->inputs->len; i++)
        strobe_derived_log_unref(g_array_index(thread->inputs, Input, i).log);
    g_array_unref(thread->inputs);
    strobe_batch_queue_free(thread->queue);
}

void strobe_consumer_threads_join(StrobeConsumerThreads *all,
                                  void (*on_pass)(gpointer user, double share), gpointer user)
{
    for (guint i = 0; i < all->n; i++) {
        join_thread(&all->threads[i]);
        if (i < all->n_passes)
            on_pass(user, (double)(i + 1) / all->n_passes);
    }
    g_free(all->threads);
    g_free(all);
}
