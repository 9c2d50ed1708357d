/* SPDX-License-Identifier: Apache-2.0 */
/* Reads properties of an executable or a library from its file. */
#ifndef STROBE_TOOLS_ELF_FILE_H
#define STROBE_TOOLS_ELF_FILE_H

#include <glib.h>

typedef struct StrobeElfFile {
    gboolean is_elf;
    gboolean is_native;    /* the file is for this machine and word size */
    char interpreter[256]; /* path of the dynamic linker; "" for a static program */
    char build_id[41];     /* hexadecimal, "" if there is none; at most 40 digits */
} StrobeElfFile;

/* Reads the properties of the file into `answer`, whose members also say whether the file is
 * damaged or not ELF. FALSE with an error: the file cannot be read. */
gboolean strobe_elf_read(const char *path, StrobeElfFile *answer, GError **error);

#endif
