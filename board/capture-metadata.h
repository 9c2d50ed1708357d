/* SPDX-License-Identifier: Apache-2.0 */
/* Metadata of captures that are made on a board. */
#ifndef STROBE_BOARD_CAPTURE_METADATA_H
#define STROBE_BOARD_CAPTURE_METADATA_H

#include <sys/types.h>

/* Returns the metadata of a capture whose program is `pid`, as JSON text (free it); the recorder is
 * open. `command` is its command line, NULL: the process has it already. `more` is a JSON object
 * without blanks around it, whose members are added; it has at least one. NULL: no memory. */
char *board_capture_metadata(pid_t pid, const char *command, const char *more);

#endif
