/* SPDX-License-Identifier: Apache-2.0 */
#include "batch-queue.h"

#include <pthread.h>

#define BATCHES 8u

struct StrobeBatchQueue {
    pthread_mutex_t lock;
    pthread_cond_t has_room, has_batch;
    StrobeBatch *batches[BATCHES]; /* a ring */
    guint first, n;
    gsize bytes, bytes_max;
    gboolean is_ended;
};

StrobeBatchQueue *strobe_batch_queue_new(gsize bytes_max)
{
    StrobeBatchQueue *queue = g_new0(StrobeBatchQueue, 1);

    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->has_room, NULL);
    pthread_cond_init(&queue->has_batch, NULL);
    queue->bytes_max = bytes_max;
    return queue;
}

void strobe_batch_queue_free(StrobeBatchQueue *queue)
{
    if (!queue)
        return;
    for (guint i = 0; i < queue->n; i++)
        strobe_batch_unref(queue->batches[(queue->first + i) % BATCHES]);
    pthread_mutex_destroy(&queue->lock);
    pthread_cond_destroy(&queue->has_room);
    pthread_cond_destroy(&queue->has_batch);
    g_free(queue);
}

static gboolean has_room(const StrobeBatchQueue *queue, gsize bytes)
{
    return queue->n == 0 || (queue->n < BATCHES && queue->bytes + bytes <= queue->bytes_max);
}

void strobe_batch_queue_push(StrobeBatchQueue *queue, StrobeBatch *batch)
{
    pthread_mutex_lock(&queue->lock);
    while (!has_room(queue, batch->bytes))
        pthread_cond_wait(&queue->has_room, &queue->lock);
    queue->batches[(queue->first + queue->n++) % BATCHES] = strobe_batch_ref(batch);
    queue->bytes += batch->bytes;
    pthread_cond_signal(&queue->has_batch);
    pthread_mutex_unlock(&queue->lock);
}

void strobe_batch_queue_end(StrobeBatchQueue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->is_ended = TRUE;
    pthread_cond_signal(&queue->has_batch);
    pthread_mutex_unlock(&queue->lock);
}

StrobeBatch *strobe_batch_queue_pop(StrobeBatchQueue *queue)
{
    StrobeBatch *batch = NULL;

    pthread_mutex_lock(&queue->lock);
    while (!queue->n && !queue->is_ended)
        pthread_cond_wait(&queue->has_batch, &queue->lock);
    if (queue->n) {
        batch = queue->batches[queue->first];
        queue->first = (queue->first + 1) % BATCHES;
        queue->n--;
        queue->bytes -= batch->bytes;
        pthread_cond_signal(&queue->has_room);
    }
    pthread_mutex_unlock(&queue->lock);
    return batch;
}
