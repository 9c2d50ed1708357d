/* SPDX-License-Identifier: Apache-2.0 */
/* The names by which a program on a board finds the pool for its marks, which strobe-board-run has
 * made. */
#ifndef STROBE_BOARD_MARKS_H
#define STROBE_BOARD_MARKS_H

/* The variable has the path of a folder. The file in this folder contains the path of the pool and
 * the number of the window. */
#define BOARD_MARKS_VARIABLE "STROBE_BOARD_MARKS"
#define BOARD_MARKS_FILE "marks"

#endif
