/* SPDX-License-Identifier: Apache-2.0 */
/* Steps among a source's operators: text results of Ascend have no others. */
#ifndef STROBE_TOOLS_STEP_NAME_H
#define STROBE_TOOLS_STEP_NAME_H

#include <glib.h>
#include <string.h>

/* The number in the name of a step's operator; FALSE: it is not a step. */
static inline gboolean strobe_step_of_name(const char *name, gint64 *number)
{
    static const char prefix[] = "ProfilerStep#";

    return g_str_has_prefix(name, prefix) &&
           g_ascii_string_to_signed(name + strlen(prefix), 10, 0, G_MAXINT64, number, NULL);
}

#endif
