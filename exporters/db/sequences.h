/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs the forward operators with their backward operators by sequence number. If several forward
 * operators or several backward operators have the same number, the last one is used. The memory is
 * bounded: if there are very many numbers, the older half of the pairs is output early, because it
 * is very probably complete. */
#ifndef STROBE_DB_SEQUENCES_H
#define STROBE_DB_SEQUENCES_H

#include <glib.h>

typedef struct Sequences Sequences;

/* Called with each pair. `n` is the number of pairs before it, in the order in which the pairs
 * first appeared. */
typedef void (*SequencePair)(gpointer user, gint64 n, guint32 forward, guint32 backward);

Sequences *sequences_new(SequencePair pair, gpointer user);
void sequences_free(Sequences *sequences);

void sequences_add(Sequences *sequences, gint64 number, gboolean is_backward, guint32 op);
/* Outputs the remaining pairs. Must be called after the last operator. */
void sequences_end(Sequences *sequences);

#endif
