/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the recorder and the other files of the kit for a board's machine and C library. */
#ifndef STROBE_TOOLS_BOARD_KIT_H
#define STROBE_TOOLS_BOARD_KIT_H

#include "board-properties.h"
#include "board-program.h"

/* Returns the path of libstrobe-board.so for the board and the program (NULL: any program). NULL:
 * none is installed. Free it. */
char *strobe_board_kit_find(const StrobeBoardProperties *properties,
                            const StrobeBoardProgram *program);

/* Returns the names of the bundled collectors in the board's kit, for example "cpu_sample,
 * host_sys". NULL: no kit for `strobe run --on` is installed for the board. Free it. */
char *strobe_board_kit_collectors(const StrobeBoardProperties *properties);

/* Returns the path of the file `file` of the kit, for example "host_sys.so". If no kit has the
 * file, and the board has the machine type of this machine and glibc, returns `own`, the path of
 * that file for this machine (may be NULL). Free it. */
char *strobe_board_kit_file(const StrobeBoardProperties *properties,
                            const StrobeBoardProgram *program, const char *file, const char *own);

#endif
