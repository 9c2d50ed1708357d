/* SPDX-License-Identifier: Apache-2.0 */
/* The recorder for a board's machine and C library. */
#ifndef STROBE_TOOLS_BOARD_KIT_H
#define STROBE_TOOLS_BOARD_KIT_H

#include "board-properties.h"
#include "board-program.h"

/* The path of libstrobe-board.so for the board and the program (NULL: any); NULL: none is
 * installed. Free it. */
char *strobe_board_kit_find(const StrobeBoardProperties *properties,
                            const StrobeBoardProgram *program);

#endif
