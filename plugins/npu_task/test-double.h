/* SPDX-License-Identifier: Apache-2.0 */
/* Loads npu_task with a simulated MSPTI, opens sessions and windows, and plays records. */
#ifndef STROBE_NPU_TASK_TEST_DOUBLE_H
#define STROBE_NPU_TASK_TEST_DOUBLE_H

#include <glib.h>

#include "../../tests/mspti-double/mspti-double.h"
#include "../../sdk/check/test-tree.h"

/* Paths of the collector and of the simulated MSPTI, which double_find() sets. */
extern char *double_plugin, *double_library;
void double_find(void);

/* Returns a symbol of the simulated MSPTI that the collector has loaded. */
void *double_symbol(const char *name);
MsptiDoubleState *double_state(void);

guint64 double_now_ns(void);
/* Plays a record. The text is a line in the form that mspti-double.h describes. */
G_GNUC_PRINTF(2, 3) void double_play(guint64 base, const char *format, ...);
/* Plays a task and its launch; if the launch had no record, the end of the window would wait for a
 * second. */
void double_play_task(guint64 base, guint id);

/* Opens a session that records these activities. */
StrobeMockHost *double_load(const char *activities);
/* Checks that the mock host has no complaints, and frees it. */
void double_end(StrobeMockHost *mock);

/* Begins a window. Returns a time in the window. */
guint64 double_begin_window(StrobeMockHost *mock);
void double_end_window(StrobeMockHost *mock);

#endif
