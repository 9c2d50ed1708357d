/* SPDX-License-Identifier: Apache-2.0 */
/* What an executable or a library is, read from its file. */
#ifndef STROBE_TOOLS_ELF_FILE_H
#define STROBE_TOOLS_ELF_FILE_H

#include <glib.h>

typedef struct StrobeElfFile {
    gboolean is_elf;
    gboolean is_native;    /* of this machine's kind and word size */
    char interpreter[256]; /* the dynamic linker, "" for a static program */
    char build_id[41];     /* hexadecimal, "" if there is none; at most 40 digits are kept */
} StrobeElfFile;

/* FALSE if the file cannot be read. A file that is no ELF file, or a damaged one, is an answer. */
gboolean strobe_elf_read(const char *path, StrobeElfFile *answer, GError **error);

#endif
