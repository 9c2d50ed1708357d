/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the losses of a capture by cause, thread and time, and finds the steps that they touch. */
#ifndef STROBE_TOOLS_LOSS_REPORT_H
#define STROBE_TOOLS_LOSS_REPORT_H

#include <glib.h>
#include <strobe/exporter.h>

/* The losses of one thread for one cause. */
typedef struct StrobeLossReportEntry {
    guint32 cause;
    StrobeTrackId track; /* 0: the losses are not those of one thread */
    guint64 n;
    gint64 begin_ns, end_ns; /* from the first loss to the last */
} StrobeLossReportEntry;

typedef struct StrobeLossReport StrobeLossReport;

StrobeLossReport *strobe_loss_report_new(void);
void strobe_loss_report_free(StrobeLossReport *loss_report);

/* Adds a record of a loss or a step; ignores other records. */
void strobe_loss_report_add(StrobeLossReport *loss_report, const StrobeView *record);
/* Adds a gap over all times. The caller must call this if a part of the capture could not be
 * read. */
void strobe_loss_report_add_damage(StrobeLossReport *loss_report);

/* Returns the entries (StrobeLossReportEntry), those with the most losses first. Free with
 * g_array_unref. */
GArray *strobe_loss_report_entries(const StrobeLossReport *loss_report);
/* Returns the numbers of the steps that touch a gap, in the recorded order. Considers only the
 * first million steps. Free with g_array_unref. */
GArray *strobe_loss_report_incomplete_steps(StrobeLossReport *loss_report);

#endif
