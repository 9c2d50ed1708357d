/* SPDX-License-Identifier: Apache-2.0 */
/* Forward operators and the backward ones that they caused, by sequence number: of each, the one
 * that came last. Bounded: of very many numbers the older half, long complete, is told early. */
#ifndef STROBE_DB_SEQUENCES_H
#define STROBE_DB_SEQUENCES_H

#include <glib.h>

typedef struct Sequences Sequences;

/* A pair: `n` counts them in the order in which their numbers were first seen. */
typedef void (*SequencePair)(gpointer user, gint64 n, guint32 forward, guint32 backward);

Sequences *sequences_new(SequencePair pair, gpointer user);
void sequences_free(Sequences *sequences);

void sequences_add(Sequences *sequences, gint64 number, gboolean is_backward, guint32 op);
/* Tells the pairs that were not told yet. */
void sequences_end(Sequences *sequences);

#endif
