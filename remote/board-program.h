/* SPDX-License-Identifier: Apache-2.0 */
/* What the file of a program says about the machine it is for. */
#ifndef STROBE_REMOTE_BOARD_PROGRAM_H
#define STROBE_REMOTE_BOARD_PROGRAM_H

#include <glib.h>

typedef struct StrobeBoardProgram {
    gboolean is_elf;      /* FALSE: a script, and nothing below is known */
    gboolean is_dynamic;  /* it has a loader, which takes LD_PRELOAD */
    gboolean has_runtime; /* it names libsvp_acl.so among its libraries */
    guint word_bits;
    const char
        *machine; /* as uname says it, "" for an unknown one; "arm" for all of its versions */
} StrobeBoardProgram;

/* Reads it. FALSE: it cannot be read. Damaged files are what they seem. */
gboolean strobe_board_program_read(const char *path, StrobeBoardProgram *program, GError **error);

/* Can a board with this machine (of uname) run it? TRUE if that is not known. */
gboolean strobe_board_program_fits(const StrobeBoardProgram *program, const char *machine);

#endif
