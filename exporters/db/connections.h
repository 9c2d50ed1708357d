/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Links operators to their enqueues and launches. An enqueue or launch belongs to the innermost
 * operator of its thread that contains it strictly in time. Records arrive in the order of their
 * ends: the content of an operator arrives before the operator, and an inner operator before an
 * outer one.
 */
#ifndef STROBE_DB_CONNECTIONS_H
#define STROBE_DB_CONNECTIONS_H

#include <strobe/helpers/external-sorter.h>

#include "db-state.h"

typedef struct Connections Connections;

/* A link of the operator `op`. The sorter sorts the links by operator, and keeps the order of links
 * of the same operator. */
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

/* Returns whether the operator contains an enqueue or launch. If it does, the caller must call
 * connections_claim before the next operator, to assign these enqueues and launches to the
 * operator. */
gboolean connections_has(Connections *c, gint64 tid, gint64 begin, gint64 end);
void connections_claim(Connections *c, gint64 tid, gint64 begin, gint64 end, guint32 op);

/* Adds a link for each launch of an operator. Must be called after the last record. */
void connections_end(Connections *c, StrobeExternalSorter *links);
/* Returns the number of enqueues and launches that were dropped because too many waited for an
 * operator. */
guint64 connections_n_forgotten(const Connections *c);

#endif
