/* SPDX-License-Identifier: Apache-2.0 */
/* Finds steps among operators by name. Ascend's text results have no other records of steps. */
#ifndef STROBE_TOOLS_STEP_NAME_H
#define STROBE_TOOLS_STEP_NAME_H

#include <glib.h>
#include <string.h>

/* Reads the number in the name of an operator that is a step. FALSE: the operator is not a step. */
static inline gboolean strobe_step_of_name(const char *name, gint64 *number)
{
    static const char prefix[] = "ProfilerStep#";

    return g_str_has_prefix(name, prefix) &&
           g_ascii_string_to_signed(name + strlen(prefix), 10, 0, G_MAXINT64, number, NULL);
}

#endif
