/* SPDX-License-Identifier: Apache-2.0 */
/* npu_task loaded over MSPTI's double: its session, its windows, what is played into them. */
#ifndef STROBE_NPU_TASK_TEST_DOUBLE_H
#define STROBE_NPU_TASK_TEST_DOUBLE_H

#include <glib.h>

#include "../../tests/mspti-double/mspti-double.h"
#include "../../sdk/check/test-tree.h"

/* Paths of the collector and of the double, once double_find() has been called. */
extern char *double_plugin, *double_library;
void double_find(void);

/* Of the double that the collector has loaded. */
void *double_symbol(const char *name);
MsptiDoubleState *double_state(void);

guint64 double_now_ns(void);
/* A line of mspti-double.h. */
G_GNUC_PRINTF(2, 3) void double_play(guint64 base, const char *format, ...);
/* A task whose launch is told: for a stray one's launch the window's end would wait for a second.
 */
void double_play_task(guint64 base, guint id);

/* A session that records these activities. */
StrobeMockHost *double_load(const char *activities);
/* Nothing was complained of; frees it. */
void double_end(StrobeMockHost *mock);

/* Returns a moment of the window. */
guint64 double_begin_window(StrobeMockHost *mock);
void double_end_window(StrobeMockHost *mock);

#endif
