/* SPDX-License-Identifier: Apache-2.0 */
/* One line above a table of the overview: what its numbers say of the program. */
#ifndef STROBE_TOOLS_SHOW_VERDICT_H
#define STROBE_TOOLS_SHOW_VERDICT_H

#include "show-rows.h"

typedef struct StrobeVerdict StrobeVerdict;

StrobeVerdict *strobe_verdict_new(void);
void strobe_verdict_free(StrobeVerdict *verdict);
/* Lets it see steps, loading of data and devices in the next run. */
void strobe_verdict_watch(StrobeVerdict *verdict, StrobeShowConsumer *consumer);

/* After the run: how many tasks of devices there were. */
guint64 strobe_verdict_tasks(const StrobeVerdict *verdict);
/* "3 steps of 12.3 ms; waiting for data 31 % of each step"; NULL: neither is known. Free it. */
char *strobe_verdict_steps(const StrobeVerdict *verdict);
/* "devices idle 42 % of the time"; NULL: not known. Free it. */
char *strobe_verdict_devices(const StrobeVerdict *verdict);

/* "93 % of the processor time in 2 functions": the first rows of those that are sorted by their
 * measure, `of` what that is, `noun` a row. NULL: they took nothing. Free it. */
char *strobe_verdict_shares(const StrobeRows *rows, const char *of, const char *noun);

#endif
