/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the line above a table of the overview, which explains the table's numbers. */
#ifndef STROBE_TOOLS_SHOW_VERDICT_H
#define STROBE_TOOLS_SHOW_VERDICT_H

#include "show-rows.h"

typedef struct StrobeVerdict StrobeVerdict;

StrobeVerdict *strobe_verdict_new(void);
void strobe_verdict_free(StrobeVerdict *verdict);
/* Adds the verdict to `consumer`: in the next run it receives the records of steps, of PyTorch's
 * data loader and of devices. */
void strobe_verdict_watch(StrobeVerdict *verdict, StrobeShowConsumer *consumer);

/* Returns the number of device tasks, after the run. */
guint64 strobe_verdict_tasks(const StrobeVerdict *verdict);
/* Returns a text about the steps, for example "3 steps of 12.3 ms; waiting for data 31 % of each
 * step". NULL: nothing is known about steps. Free it. */
char *strobe_verdict_steps(const StrobeVerdict *verdict);
/* Returns a text about the devices, for example "devices idle 42 % of the time". NULL: nothing is
 * known about devices. Free it. */
char *strobe_verdict_devices(const StrobeVerdict *verdict);

/* Returns a text about the first rows, for example "93 % of the processor time in 2 functions". The
 * rows must be sorted by their measure. `of` describes the measure, `noun` a row. NULL: the total
 * of the measure is 0. Free it. */
char *strobe_verdict_shares(const StrobeRows *rows, const char *of, const char *noun);

#endif
