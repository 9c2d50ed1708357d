/* SPDX-License-Identifier: Apache-2.0 */
/* Reads from a program's file for which machine it was built. */
#ifndef STROBE_REMOTE_BOARD_PROGRAM_H
#define STROBE_REMOTE_BOARD_PROGRAM_H

#include <glib.h>

typedef struct StrobeBoardProgram {
    gboolean is_elf;      /* FALSE: no ELF file, such as a script; the other members are unknown */
    gboolean is_dynamic;  /* it is loaded by a dynamic loader, which reads LD_PRELOAD */
    gboolean has_runtime; /* it is linked with libsvp_acl.so */
    guint word_bits;
    const char *machine; /* as uname prints it; "arm" for all versions of arm; "": unknown */
} StrobeBoardProgram;

/* FALSE: the file cannot be read. A damaged file is no error: the members of `program` contain
 * whatever could be read. */
gboolean strobe_board_program_read(const char *path, StrobeBoardProgram *program, GError **error);

/* Can a board whose uname prints this machine run the program? TRUE if that is unknown. */
gboolean strobe_board_program_fits(const StrobeBoardProgram *program, const char *machine);

#endif
