/* SPDX-License-Identifier: Apache-2.0 */
/* A bounded queue of batches: one thread pushes, and one thread pops. */
#ifndef STROBE_CORE_BATCH_QUEUE_H
#define STROBE_CORE_BATCH_QUEUE_H

#include "batch.h"

typedef struct StrobeBatchQueue StrobeBatchQueue;

/* Makes a queue that holds a few batches: one of any size, or several with at most `bytes_max`
 * bytes together. */
StrobeBatchQueue *strobe_batch_queue_new(gsize bytes_max);
void strobe_batch_queue_free(StrobeBatchQueue *queue);

/* Waits for room and appends the batch. The queue takes a reference of its own. */
void strobe_batch_queue_push(StrobeBatchQueue *queue, StrobeBatch *batch);
/* Ends the queue; call it when no more batches follow. */
void strobe_batch_queue_end(StrobeBatchQueue *queue);
/* Waits for a batch and passes its reference to the caller. NULL: the queue has ended and is
 * empty. */
StrobeBatch *strobe_batch_queue_pop(StrobeBatchQueue *queue);

#endif
