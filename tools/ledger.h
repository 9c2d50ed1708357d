/* SPDX-License-Identifier: Apache-2.0 */
/* The losses of a capture by cause, thread and time, and the steps in which they fall. */
#ifndef STROBE_TOOLS_LEDGER_H
#define STROBE_TOOLS_LEDGER_H

#include <glib.h>
#include <strobe/exporter.h>

/* What one thread lost for one cause. */
typedef struct StrobeLedgerEntry {
    guint32 cause;
    StrobeTrackId track; /* 0: not of one thread */
    guint64 n;
    gint64 begin_ns, end_ns; /* from the first loss to the last */
} StrobeLedgerEntry;

typedef struct StrobeLedger StrobeLedger;

StrobeLedger *strobe_ledger_new(void);
void strobe_ledger_free(StrobeLedger *ledger);

/* Takes losses and steps; other records are none of its concern. */
void strobe_ledger_add(StrobeLedger *ledger, const StrobeView *record);
/* A part of the capture could not be read: what was in it may be of any time. */
void strobe_ledger_add_damage(StrobeLedger *ledger);

/* The entries (of StrobeLedgerEntry), most lost first. Free with g_array_unref. */
GArray *strobe_ledger_entries(const StrobeLedger *ledger);
/* Numbers of the steps that touch a gap, in the order recorded; of the first million steps. Free
 * with g_array_unref. */
GArray *strobe_ledger_incomplete_steps(StrobeLedger *ledger);

#endif
