/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the capture of a run on a board, with a recorder whose writer is a thread, and one
 * window. */
#ifndef STROBE_BOARD_CAPTURE_H
#define STROBE_BOARD_CAPTURE_H

#include "board-plan.h"

#define BOARD_CAPTURE_NAME "capture.strobe"

/* Begins the capture of the program with the process id `pid`. Returns 0 after a message. */
int board_capture_begin(const BoardPlan *plan, pid_t pid);
/* Completes the capture. Prints a message if it could not be written completely. */
void board_capture_end(void);
/* Removes the capture. Call this if the program did not start. */
void board_capture_discard(const BoardPlan *plan);

#endif
