/* SPDX-License-Identifier: Apache-2.0 */
#include "output-flags.h"

#include "analysis.h"
#include "command.h"
#include "plugin-folders.h"

gboolean strobe_output_flags_apply(StrobeOutputFlags *flags, gint *generation, int *code)
{
    if (!strobe_analysis_generation(flags->generation, generation)) {
        *code = STROBE_EXIT_USAGE;
        return FALSE;
    }
    return strobe_plugin_folders_check(flags->plugin_path, code) &&
           strobe_memory_flags_apply(&flags->memory, code);
}

void strobe_output_flags_clear(StrobeOutputFlags *flags)
{
    g_strfreev(flags->export);
    g_strfreev(flags->plugin_path);
    g_free(flags->output);
    g_free(flags->export_type);
    g_free(flags->generation);
}
