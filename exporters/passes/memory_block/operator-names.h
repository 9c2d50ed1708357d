/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the operator that ran at a given time, while operators arrive in the order of their ends:
 * the innermost one is the first to end of those that had begun.
 *
 * On a thread that runs the framework's queue, it is the operator that enqueued the entry. The
 * state consists of waiting questions, 64 operators for each thread and pending queue entries.
 */
#ifndef STROBE_PASSES_OPERATOR_NAMES_H
#define STROBE_PASSES_OPERATOR_NAMES_H

#include <glib.h>
#include <strobe/exporter.h>

/* The answer to a question: the operator that ran at the time. */
typedef struct OperatorAnswer {
    StrobeStringId name; /* 0: no operator */
    gint64 begin_ns;     /* of the operator */
    gboolean is_node;    /* a node of the backward graph: its blocks go to the next node */
} OperatorAnswer;

typedef void (*OperatorReported)(void *user, guint64 question, const OperatorAnswer *answer);

typedef struct OperatorNames OperatorNames;

OperatorNames *operator_names_new(const StrobeConsumerHost *host, StrobeInstance *self,
                                  OperatorReported reported, void *user);
void operator_names_free(OperatorNames *names);

/* Each question is answered at most once, by one of the calls below. Questions of a thread come
 * in order of time; ANY: the operator may be on any thread. */
#define OPERATOR_NAMES_ANY G_MAXUINT64
void operator_names_ask(OperatorNames *names, guint64 question, guint64 thread, gint64 at_ns);

void operator_names_operator(OperatorNames *names, const StrobeView *record, guint64 thread);
void operator_names_queue(OperatorNames *names, const StrobeView *record, guint64 thread);
/* No more records follow: questions with a likely answer get it. */
void operator_names_finish(OperatorNames *names);

#endif
