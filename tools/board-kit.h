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

/* The bundled collectors of the board's kit, "cpu_sample, host_sys"; NULL: strobe run --on has no
 * kit for it. Free it. */
char *strobe_board_kit_collectors(const StrobeBoardProperties *properties);

/* The same for another file of the kit, such as "host_sys.so". `own` is the path of that file for
 * this machine (NULL: there is none), for a board that is such a machine and has no kit. */
char *strobe_board_kit_file(const StrobeBoardProperties *properties,
                            const StrobeBoardProgram *program, const char *file, const char *own);

#endif
