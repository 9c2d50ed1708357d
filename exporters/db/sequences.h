/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs forward operators with their backward operators by sequence number; the last one of each
 * is used. Bounded: if there are very many numbers, the older half, which is long complete, is
 * output early. */
#ifndef STROBE_DB_SEQUENCES_H
#define STROBE_DB_SEQUENCES_H

#include <glib.h>

typedef struct Sequences Sequences;

/* A pair: `n` counts the pairs in the order of their first appearance. */
typedef void (*SequencePair)(gpointer user, gint64 n, guint32 forward, guint32 backward);

Sequences *sequences_new(SequencePair pair, gpointer user);
void sequences_free(Sequences *sequences);

void sequences_add(Sequences *sequences, gint64 number, gboolean is_backward, guint32 op);
/* Outputs the remaining pairs. */
void sequences_end(Sequences *sequences);

#endif
