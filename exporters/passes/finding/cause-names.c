/* SPDX-License-Identifier: Apache-2.0 */
#include "cause-names.h"

#include <string.h>

typedef struct NamePattern {
    const char *text;
    const char *also; /* text that the name must also contain; NULL: no such condition */
    StepPart part;
} NamePattern;

/* The patterns for names. The first pattern that matches is used; case is ignored. */
static const NamePattern patterns[] = {
    {"enumerate(dataloader)", NULL, PART_DATA},
    {"dataloader.py", "__next__", PART_DATA},
    {"dataloader.__next__", NULL, PART_DATA},
    {"load_batch", NULL, PART_DATA},
    {"next_batch", NULL, PART_DATA},
    {"fetch_batch", NULL, PART_DATA},
    {"load_data", NULL, PART_DATA},
    {"synchronize", NULL, PART_SYNCHRONIZATION},
    {"aten::item", NULL, PART_SYNCHRONIZATION},
    {"aten::_local_scalar_dense", NULL, PART_SYNCHRONIZATION},
    {"aten::is_nonzero", NULL, PART_SYNCHRONIZATION},
    {"aten::nonzero", NULL, PART_SYNCHRONIZATION},
    {"clfinish", NULL, PART_SYNCHRONIZATION},
    {"clwaitforevents", NULL, PART_SYNCHRONIZATION},
    {"compile_inner", NULL, PART_COMPILE},
    {"entire_frame_compile", NULL, PART_COMPILE},
    {"backend_compile", NULL, PART_COMPILE},
    {"aclopcompile", NULL, PART_COMPILE},
    {"clbuildprogram", NULL, PART_COMPILE},
};

static StepPart match_patterns(const char *name)
{
    g_autofree char *lower = g_ascii_strdown(name, -1);

    for (gsize i = 0; i < G_N_ELEMENTS(patterns); i++)
        if (strstr(lower, patterns[i].text) &&
            (!patterns[i].also || strstr(lower, patterns[i].also)))
            return patterns[i].part;
    return N_PARTS;
}

StepPart cause_of_name(const char *kind, const char *name)
{
    if (!strcmp(kind, "gc"))
        return PART_GC;
    StepPart part = match_patterns(name);

    if (part != N_PARTS)
        return part;
    if (g_str_has_prefix(name, CAUSE_STEP_MARK))
        return N_PARTS;
    if (!strcmp(kind, "cpu_op"))
        return PART_OPERATORS;
    return !strcmp(kind, "python_call") ? PART_PYTHON : N_PARTS;
}
