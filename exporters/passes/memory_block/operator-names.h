/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which operator ran at a moment, answered as the operators arrive, in order of their ends: the
 * innermost one is the first to end of those that had begun.
 *
 * On a thread that runs what the framework's queue hands it the operator is the one that put the
 * entry there. Kept are the questions that wait, 64 operators a thread and the queue entries that
 * are on their way.
 */
#ifndef STROBE_PASSES_OPERATOR_NAMES_H
#define STROBE_PASSES_OPERATOR_NAMES_H

#include <glib.h>
#include <strobe/exporter.h>

/* What is said of a moment. */
typedef struct OperatorAnswer {
    StrobeStringId name; /* 0: no operator */
    gint64 begin_ns;     /* of the operator */
    gboolean is_node;    /* a node of the backward graph: what it makes goes to the next one */
} OperatorAnswer;

typedef void (*OperatorReported)(void *user, guint64 question, const OperatorAnswer *answer);

typedef struct OperatorNames OperatorNames;

OperatorNames *operator_names_new(const StrobeConsumerHost *host, StrobeInstance *self,
                                  OperatorReported reported, void *user);
void operator_names_free(OperatorNames *names);

/* Whoever asked is told once, by one of the calls below or never. Questions of a thread come in
 * order of time; ANY: whatever thread the operator was on. */
#define OPERATOR_NAMES_ANY G_MAXUINT64
void operator_names_ask(OperatorNames *names, guint64 question, guint64 thread, gint64 at_ns);

void operator_names_operator(OperatorNames *names, const StrobeView *record, guint64 thread);
void operator_names_queue(OperatorNames *names, const StrobeView *record, guint64 thread);
/* No more records: those that have a likely answer are told it. */
void operator_names_finish(OperatorNames *names);

#endif
