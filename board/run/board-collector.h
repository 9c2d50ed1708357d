/* SPDX-License-Identifier: Apache-2.0 */
/* A collector on a board: an ordinary plugin, whose library was sent with the program. It samples
 * the program from outside, in a thread of this process. Control thread, except where stated. */
#ifndef STROBE_BOARD_COLLECTOR_H
#define STROBE_BOARD_COLLECTOR_H

#include "board-instance.h"

/* Loads the plugin and finds the component in it. Returns 0 after a message. */
int board_collector_load(BoardCollector *collector);
/* Can it work here? If not, uses the fallback. Prints what it does. */
void board_collector_probe(BoardCollector *collector);
/* Returns the value that the variable gets in the program's environment (free it); NULL: it stays
 * as it is. `before` is the present value, which may be NULL. */
char *board_collector_variable(const BoardCollector *collector, const StrobeVariable *variable,
                               const char *before);
/* Does it need a library in the program, so that it begins after the program? */
int board_collector_is_late(const BoardCollector *collector);

/* A window records. Both return 0 if the collector has failed, after a message and a diagnostic.
 * start: with `tries`, a failure is not final yet. */
int board_collector_open(BoardCollector *collector);
int board_collector_start(BoardCollector *collector, int tries);
/* Stops it, and records what is late. */
void board_collector_stop(BoardCollector *collector);
void board_collector_close(BoardCollector *collector);

#endif
