/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much memory the command keeps resident, whatever its input, and where the rest lies.
 *
 * Sorters and the like are told the limit (core/resources). What else grows with the input lies,
 * beyond a part of the limit, in a mapped file of the folder for temporary files
 * (overflow-memory): so it is bounded in every plugin, and the output is the same as without. See
 * docs/decisions/0102.
 */
#ifndef STROBE_TOOLS_MEMORY_LIMIT_H
#define STROBE_TOOLS_MEMORY_LIMIT_H

#include <glib.h>

#define STROBE_MAX_MEM_MIN (96u << 20)

/* Values of the options that each such command has. */
typedef struct StrobeMemoryFlags {
    char *max_mem, *tmp_dir;
} StrobeMemoryFlags;

/* The two options, for `flags` of this type. */
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

/* Whether the flags can be kept to, for who begins later. FALSE after a complaint: exit with *code.
 */
gboolean strobe_memory_limit_check(const StrobeMemoryFlags *flags, int *code);
/* Reads the flags and frees them, and keeps to them from now on. Once a process. FALSE after a
 * complaint: exit with *code. */
gboolean strobe_memory_limit_begin(StrobeMemoryFlags *flags, int *code);

#endif
