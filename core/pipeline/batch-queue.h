/* SPDX-License-Identifier: Apache-2.0 */
/* A bounded queue of batches: one thread pushes, one pops. */
#ifndef STROBE_CORE_BATCH_QUEUE_H
#define STROBE_CORE_BATCH_QUEUE_H

#include "batch.h"

typedef struct StrobeBatchQueue StrobeBatchQueue;

/* Of a few batches, with so many bytes at most if there is more than one. */
StrobeBatchQueue *strobe_batch_queue_new(gsize bytes_max);
void strobe_batch_queue_free(StrobeBatchQueue *queue);

/* Waits for room; takes a reference of its own. */
void strobe_batch_queue_push(StrobeBatchQueue *queue, StrobeBatch *batch);
/* No more batches are pushed. */
void strobe_batch_queue_end(StrobeBatchQueue *queue);
/* Waits for a batch, whose reference is the caller's. NULL: no more come. */
StrobeBatch *strobe_batch_queue_pop(StrobeBatchQueue *queue);

#endif
