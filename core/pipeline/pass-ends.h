/* SPDX-License-Identifier: Apache-2.0 */
/* The ends of a run's passes: several at once where there are threads; what they derive is handed
 * on in their order. */
#ifndef STROBE_CORE_PASS_ENDS_H
#define STROBE_CORE_PASS_ENDS_H

#include "consumer.h"

typedef struct StrobePassEnds StrobePassEnds;

/* Passes (StrobeConsumer, lent until the end), each behind those whose records it wants. So many
 * end in threads of their own at once, one more while the caller's waits; 0: in the caller's. */
StrobePassEnds *strobe_pass_ends_new(const GPtrArray *passes, guint n_threads);
void strobe_pass_ends_free(StrobePassEnds *ends);

/* As many as may begin to end before any other has: the caller has something else to do. */
void strobe_pass_ends_begin(StrobePassEnds *ends);

/* Pass `index` ends, those before it have; all that it derived, from the first record on, is given
 * to `take` by the caller's thread. Meanwhile others may have begun to end, which want no records
 * that are still to come. */
void strobe_pass_ends_end(StrobePassEnds *ends, guint index, StrobeSpoolTake take, gpointer user);

#endif
