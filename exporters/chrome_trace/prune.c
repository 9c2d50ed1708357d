/* SPDX-License-Identifier: Apache-2.0 */
#include "prune.h"

#include <string.h>

static const char *const names[] = {"CANN", "AscendCL",   "Runtime",       "GE", "Node", "Model",
                                    "Hccl", "acl_to_npu", "Communication@"};

gboolean prune_has_prefix(const char *name, gsize length)
{
    for (guint i = 0; i < G_N_ELEMENTS(names); i++)
        if (length >= strlen(names[i]) && !memcmp(name, names[i], strlen(names[i])))
            return TRUE;
    return FALSE;
}

gboolean prune_has_name(const char *name)
{
    for (guint i = 0; i < G_N_ELEMENTS(names); i++)
        if (!strcmp(names[i], name))
            return TRUE;
    return FALSE;
}
