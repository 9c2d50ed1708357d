/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Links operators to their enqueues and launches by strict containment in time on a thread.
 * Records come in the order of their ends, so the contents of an operator come before it, and
 * the innermost operator comes first.
 */
#ifndef STROBE_DB_CONNECTIONS_H
#define STROBE_DB_CONNECTIONS_H

#include <strobe/helpers/external-sorter.h>

#include "db-state.h"

typedef struct Connections Connections;

/* The links of an operator. A sorter puts links in the order of operators, and keeps the order
 * of each operator's links. */
typedef struct OpLink {
    guint32 op;
    gint64 value;
} OpLink;

static inline void add_op_link(StrobeExternalSorter *links, guint32 op, gint64 value)
{
    const OpLink link = {op, value};

    strobe_external_sorter_add(links, (StrobeSortKey){op, 0}, &link, sizeof link);
}

Connections *connections_new(Db *db);
void connections_free(Connections *c);

void connections_enqueue(Connections *c, gint64 tid, gint64 begin, gint64 end, gint64 correlation);
void connections_dequeue(Connections *c, gint64 tid, gint64 begin, gint64 end, gint64 correlation);
void connections_launch(Connections *c, gint64 tid, gint64 begin, gint64 end, gint64 connection);

/* Whether the operator contains an enqueue or launch. Then connections_claim must be called before
 * the next operator: it assigns them to this one. */
gboolean connections_has(Connections *c, gint64 tid, gint64 begin, gint64 end);
void connections_claim(Connections *c, gint64 tid, gint64 begin, gint64 end, guint32 op);

/* Adds a link for each launch of an operator. */
void connections_end(Connections *c, StrobeExternalSorter *links);
/* Number of entries that were dropped because no operator came in time. */
guint64 connections_n_forgotten(const Connections *c);

#endif
