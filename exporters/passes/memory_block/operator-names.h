/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the operator that ran at a given time. Operators arrive in the order of their ends, so the
 * answer is the first operator that arrives after this time and began before it: the innermost one.
 * On a thread that runs the framework's queue, the answer is the operator that enqueued the entry
 * that was running. The state is bounded: it consists of waiting questions, the last 64 operators
 * of each thread, and waiting queue entries.
 */
#ifndef STROBE_PASSES_OPERATOR_NAMES_H
#define STROBE_PASSES_OPERATOR_NAMES_H

#include <glib.h>
#include <strobe/exporter.h>

/* The answer to a question: the operator that ran at the time of the question. */
typedef struct OperatorAnswer {
    StrobeStringId name; /* 0: no operator */
    gint64 begin_ns;     /* begin of the operator */
    /* the operator is a node of the backward graph, and the next node uses the blocks that it
     * allocates */
    gboolean is_node;
} OperatorAnswer;

typedef void (*OperatorReported)(void *user, guint64 question, const OperatorAnswer *answer);

typedef struct OperatorNames OperatorNames;

OperatorNames *operator_names_new(const StrobeConsumerHost *host, StrobeInstance *self,
                                  OperatorReported reported, void *user);
void operator_names_free(OperatorNames *names);

/* Asks which operator ran at the time `at_ns`. `reported` gets the answer at most once, during a
 * call of a function below or of this one. Questions of a thread must come in the order of their
 * times. OPERATOR_NAMES_ANY: the operator may be on any thread. */
#define OPERATOR_NAMES_ANY G_MAXUINT64
void operator_names_ask(OperatorNames *names, guint64 question, guint64 thread, gint64 at_ns);

void operator_names_operator(OperatorNames *names, const StrobeView *record, guint64 thread);
void operator_names_queue(OperatorNames *names, const StrobeView *record, guint64 thread);
/* Answers the waiting questions that have a likely answer. Must be called after the last record. */
void operator_names_finish(OperatorNames *names);

#endif
