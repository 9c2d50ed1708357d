/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the line above a table of the overview, which explains the table's numbers. */
#ifndef STROBE_TOOLS_SHOW_VERDICT_H
#define STROBE_TOOLS_SHOW_VERDICT_H

#include "show-rows.h"

typedef struct StrobeVerdict StrobeVerdict;

StrobeVerdict *strobe_verdict_new(void);
void strobe_verdict_free(StrobeVerdict *verdict);
/* Makes the verdict receive steps, loading of data and devices in the next run. */
void strobe_verdict_watch(StrobeVerdict *verdict, StrobeShowConsumer *consumer);

/* After the run: the number of device tasks. */
guint64 strobe_verdict_tasks(const StrobeVerdict *verdict);
/* "3 steps of 12.3 ms; waiting for data 31 % of each step"; NULL: neither is known. Free it. */
char *strobe_verdict_steps(const StrobeVerdict *verdict);
/* "devices idle 42 % of the time"; NULL: not known. Free it. */
char *strobe_verdict_devices(const StrobeVerdict *verdict);

/* "93 % of the processor time in 2 functions": the first rows, sorted by their measure; `of`
 * describes the measure, `noun` a row. NULL: their measure is 0. Free it. */
char *strobe_verdict_shares(const StrobeRows *rows, const char *of, const char *noun);

#endif
