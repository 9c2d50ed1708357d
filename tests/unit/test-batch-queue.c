/* SPDX-License-Identifier: Apache-2.0 */
#include "batch-queue.h"

#define MANY 1000u
#define BYTES 100u /* bytes of a batch */

/* Makes a batch of which only those members are set that the queue uses. */
static StrobeBatch *new_batch(guint n, gsize bytes)
{
    StrobeBatch *batch = g_new0(StrobeBatch, 1);

    batch->refs = 1;
    batch->n = n;
    batch->bytes = bytes;
    return batch;
}

static void push_batch(StrobeBatchQueue *queue, guint n, gsize bytes)
{
    StrobeBatch *batch = new_batch(n, bytes);

    strobe_batch_queue_push(queue, batch);
    strobe_batch_unref(batch);
}

static gpointer push_many(gpointer queue)
{
    for (guint i = 0; i < MANY; i++)
        push_batch(queue, i, BYTES);
    strobe_batch_queue_end(queue);
    return NULL;
}

static void test_order(void)
{
    StrobeBatchQueue *queue = strobe_batch_queue_new(G_MAXSIZE);
    GThread *thread = g_thread_new("push", push_many, queue);
    StrobeBatch *batch;
    guint n = 0;

    while ((batch = strobe_batch_queue_pop(queue))) {
        g_assert_cmpuint(batch->n, ==, n++);
        strobe_batch_unref(batch);
    }
    g_assert_cmpuint(n, ==, MANY);
    g_assert_null(strobe_batch_queue_pop(queue));
    g_thread_join(thread);
    strobe_batch_queue_free(queue);
}

typedef struct Pushing {
    StrobeBatchQueue *queue;
    gint n_pushed; /* atomic */
} Pushing;

static gpointer push_and_count(gpointer user)
{
    Pushing *pushing = user;

    for (guint i = 0; i < MANY; i++) {
        push_batch(pushing->queue, i, BYTES);
        g_atomic_int_inc(&pushing->n_pushed);
    }
    strobe_batch_queue_end(pushing->queue);
    return NULL;
}

/* A thread that pushes is never ahead by more batches than the bound of the queue allows, which is
 * three of these batches. */
static void test_bound(void)
{
    Pushing pushing = {.queue = strobe_batch_queue_new(3 * BYTES + BYTES / 2)};
    GThread *thread = g_thread_new("push", push_and_count, &pushing);
    StrobeBatch *batch;
    gint n_popped = 0;

    while ((batch = strobe_batch_queue_pop(pushing.queue))) {
        g_assert_cmpint(g_atomic_int_get(&pushing.n_pushed), <=, ++n_popped + 3);
        strobe_batch_unref(batch);
    }
    g_assert_cmpint(n_popped, ==, MANY);
    g_thread_join(thread);
    strobe_batch_queue_free(pushing.queue);
}

/* A batch that is larger than the bound can be in the queue alone. Batches in the queue are freed
 * with it. */
static void test_large(void)
{
    StrobeBatchQueue *queue = strobe_batch_queue_new(10);
    StrobeBatch *batch = new_batch(7, 1000), *popped;

    strobe_batch_queue_push(queue, batch);
    popped = strobe_batch_queue_pop(queue);
    g_assert_true(popped == batch);
    g_assert_cmpint(popped->refs, ==, 2);
    strobe_batch_unref(popped);
    strobe_batch_queue_push(queue, batch);
    strobe_batch_queue_free(queue);
    g_assert_cmpint(batch->refs, ==, 1);
    strobe_batch_unref(batch);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/batch-queue/order", test_order);
    g_test_add_func("/batch-queue/bound", test_bound);
    g_test_add_func("/batch-queue/large", test_large);
    return g_test_run();
}
