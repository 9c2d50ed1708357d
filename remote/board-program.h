/* SPDX-License-Identifier: Apache-2.0 */
/* Reads from a program's file for which machine type the program was built. */
#ifndef STROBE_REMOTE_BOARD_PROGRAM_H
#define STROBE_REMOTE_BOARD_PROGRAM_H

#include <glib.h>

typedef struct StrobeBoardProgram {
    /* FALSE: the program is no ELF file, but a script, for example; the other members are
     * unknown */
    gboolean is_elf;
    gboolean is_dynamic;  /* a dynamic loader, which reads LD_PRELOAD, loads the program */
    gboolean has_runtime; /* the program is linked with libsvp_acl.so */
    guint word_bits;
    /* machine type as uname prints it, but "arm" for all versions of arm; "": unknown */
    const char *machine;
} StrobeBoardProgram;

/* Reads the properties of the file into `program`. FALSE with an error: the file cannot be read. A
 * damaged file is no error; the members of `program` then contain the data that could be read. */
gboolean strobe_board_program_read(const char *path, StrobeBoardProgram *program, GError **error);

/* Whether a board whose uname prints `machine` can run the program. TRUE if the program's machine
 * type is unknown. */
gboolean strobe_board_program_fits(const StrobeBoardProgram *program, const char *machine);

#endif
