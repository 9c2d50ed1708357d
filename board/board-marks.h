/* SPDX-License-Identifier: Apache-2.0 */
/* How a program on a board, and the process that records it, find each other for marks. */
#ifndef STROBE_BOARD_MARKS_H
#define STROBE_BOARD_MARKS_H

/* The variable names a folder with the file, which has the path of the pool and the number of the
 * window. */
#define BOARD_MARKS_VARIABLE "STROBE_BOARD_MARKS"
#define BOARD_MARKS_FILE "marks"

#endif
