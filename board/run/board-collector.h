/* SPDX-License-Identifier: Apache-2.0 */
/* Loads and runs a collector on a board: an ordinary plugin, whose library was sent with the
 * program. It samples the program from outside, in a thread of this process. Only the main thread
 * may call these functions. */
#ifndef STROBE_BOARD_COLLECTOR_H
#define STROBE_BOARD_COLLECTOR_H

#include "board-instance.h"

/* Loads the plugin and finds the component in it. Returns 0 after a message. */
int board_collector_load(BoardCollector *collector);
/* Probes whether the collector can work on this machine. If it cannot and has a fallback, sets the
 * fallback's option and prints a message. */
void board_collector_probe(BoardCollector *collector);
/* Returns the new value of the variable in the program's environment (free it). NULL: the variable
 * is not changed. `before` is the current value, which may be NULL. */
char *board_collector_variable(const BoardCollector *collector, const StrobeVariable *variable,
                               const char *before);
/* Whether the collector needs a library in the program, so that it can start only after the
 * program. */
int board_collector_is_late(const BoardCollector *collector);

/* board_collector_open opens the collector, board_collector_start starts it. They return 0 on
 * failure, with a message and a diagnostic. If `tries` is not 0, a failure to start has no effect,
 * and the caller may try again. */
int board_collector_open(BoardCollector *collector);
int board_collector_start(BoardCollector *collector, int tries);
/* Stops the collector, and flushes its remaining records. */
void board_collector_stop(BoardCollector *collector);
void board_collector_close(BoardCollector *collector);

#endif
