/* SPDX-License-Identifier: Apache-2.0 */
/* The options --max-mem and --tmp-dir; docs/topics/memory.md describes their effect. */
#ifndef STROBE_TOOLS_MEMORY_FLAGS_H
#define STROBE_TOOLS_MEMORY_FLAGS_H

#include <glib.h>

#define STROBE_MAX_MEM_MIN (96u << 20)

/* Values of the two options; each command that has the options has such a variable. */
typedef struct StrobeMemoryFlags {
    char *max_mem, *tmp_dir;
} StrobeMemoryFlags;

/* The entries for the two options; `flags` is a StrobeMemoryFlags. */
#define STROBE_MAX_MEM_OPTION(flags)                                                               \
    {"max-mem",                                                                                    \
     0,                                                                                            \
     0,                                                                                            \
     G_OPTION_ARG_FILENAME,                                                                        \
     &(flags)->max_mem,                                                                            \
     "Keep no more than this in memory, the rest in temporary files (default: 512MB)",             \
     "SIZE"}
#define STROBE_TMP_DIR_OPTION(flags)                                                               \
    {"tmp-dir",                                                                                    \
     0,                                                                                            \
     0,                                                                                            \
     G_OPTION_ARG_FILENAME,                                                                        \
     &(flags)->tmp_dir,                                                                            \
     "Existing folder for temporary files, best on a disk (default: $TMPDIR, /var/tmp)",           \
     "DIR"}

/* Checks the flags. A command calls this first if it applies the flags later. FALSE: a message was
 * printed; exit with *code. */
gboolean strobe_memory_flags_check(const StrobeMemoryFlags *flags, int *code);
/* Reads and frees the flags, and applies them for the rest of the process. Call this once. FALSE: a
 * message was printed; exit with *code. */
gboolean strobe_memory_flags_apply(StrobeMemoryFlags *flags, int *code);

#endif
