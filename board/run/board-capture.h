/* SPDX-License-Identifier: Apache-2.0 */
/* The capture of a run on a board: the recorder, with the writer as a thread, and one window. */
#ifndef STROBE_BOARD_CAPTURE_H
#define STROBE_BOARD_CAPTURE_H

#include "board-plan.h"

#define BOARD_CAPTURE_NAME "capture.strobe"

/* Begins to record what collectors see of the program `pid`. Returns 0 after a message. */
int board_capture_begin(const BoardPlan *plan, pid_t pid);
/* Completes the file. Prints a message if it cannot be written. */
void board_capture_end(void);
/* Removes it: the program did not start. */
void board_capture_discard(const BoardPlan *plan);

#endif
