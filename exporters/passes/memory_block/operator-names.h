/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the operator that ran at a given time. Operators arrive in the order of their ends, so it
 * is the first operator to end that had begun by then: the innermost one. On a thread that runs the
 * framework's queue, it is the operator that enqueued the entry that was running. The state is
 * bounded: questions that wait, the last 64 operators of each thread, and queue entries that wait.
 */
#ifndef STROBE_PASSES_OPERATOR_NAMES_H
#define STROBE_PASSES_OPERATOR_NAMES_H

#include <glib.h>
#include <strobe/exporter.h>

/* The answer to a question: the operator that ran at that time. */
typedef struct OperatorAnswer {
    StrobeStringId name; /* 0: no operator */
    gint64 begin_ns;     /* begin of the operator */
    /* the operator is a node of the backward graph: the next node uses its blocks */
    gboolean is_node;
} OperatorAnswer;

typedef void (*OperatorReported)(void *user, guint64 question, const OperatorAnswer *answer);

typedef struct OperatorNames OperatorNames;

OperatorNames *operator_names_new(const StrobeConsumerHost *host, StrobeInstance *self,
                                  OperatorReported reported, void *user);
void operator_names_free(OperatorNames *names);

/* Asks for the operator at a time. `reported` gets the answer, in one of the calls below, at most
 * once. Questions of a thread must come in the order of their times. OPERATOR_NAMES_ANY: the
 * operator may be on any thread. */
#define OPERATOR_NAMES_ANY G_MAXUINT64
void operator_names_ask(OperatorNames *names, guint64 question, guint64 thread, gint64 at_ns);

void operator_names_operator(OperatorNames *names, const StrobeView *record, guint64 thread);
void operator_names_queue(OperatorNames *names, const StrobeView *record, guint64 thread);
/* Call this after the last record: questions with a likely answer get it. */
void operator_names_finish(OperatorNames *names);

#endif
