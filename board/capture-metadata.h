/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the metadata of captures that are made on a board. */
#ifndef STROBE_BOARD_CAPTURE_METADATA_H
#define STROBE_BOARD_CAPTURE_METADATA_H

#include <sys/types.h>

/* Returns the metadata of a capture of the process `pid` as JSON text (free it). NULL: no memory.
 * The recorder must be open. `command` is the command line of the program; NULL: the process `pid`
 * already has it. The members of `more` are added: it must be a JSON object with at least one
 * member, without blanks around it. */
char *board_capture_metadata(pid_t pid, const char *command, const char *more);

#endif
