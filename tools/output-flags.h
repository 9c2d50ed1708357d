/* SPDX-License-Identifier: Apache-2.0 */
/* Options of the commands that make output files: analyse, export, import. */
#ifndef STROBE_TOOLS_OUTPUT_FLAGS_H
#define STROBE_TOOLS_OUTPUT_FLAGS_H

#include "memory-flags.h"

typedef struct StrobeOutputFlags {
    char **export, **plugin_path;
    char *output, *export_type, *generation;
    StrobeMemoryFlags memory;
    gboolean json;
} StrobeOutputFlags;

/* The entries for the options, whose values go to `flags`. The other parameters are texts in the
 * help that differ between the commands. */
/* clang-format off */
#define STROBE_OUTPUT_OPTIONS(flags, output_text, export_default, type_text, generation_default) \
    {"output", 'o', 0, G_OPTION_ARG_FILENAME, &(flags)->output, output_text, "DIR"}, \
    {"export", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &(flags)->export, \
     "Exporter with options; repeatable (default: " export_default ")", "NAME[:OPTION=VALUE,...]"}, \
    {"export-type", 0, 0, G_OPTION_ARG_FILENAME, &(flags)->export_type, \
     type_text ": text, db or text+db", "TYPE"}, \
    {"generation", 0, 0, G_OPTION_ARG_FILENAME, &(flags)->generation, \
     "Write the Ascend formats of this generation: 1, 2, 3 or source (" generation_default ")", "N"}, \
    STROBE_MAX_MEM_OPTION(&(flags)->memory), \
    STROBE_TMP_DIR_OPTION(&(flags)->memory), \
    {"plugin-path", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &(flags)->plugin_path, \
     "Look for plugins here first; repeatable", "DIR"}, \
    {"json", 0, 0, G_OPTION_ARG_NONE, &(flags)->json, "Say in JSON what was made", NULL}
/* clang-format on */

/* Checks the generation and the plugin folders, and applies the memory flags. FALSE: a message was
 * printed; exit with *code. */
gboolean strobe_output_flags_apply(StrobeOutputFlags *flags, gint *generation, int *code);
void strobe_output_flags_clear(StrobeOutputFlags *flags);

#endif
