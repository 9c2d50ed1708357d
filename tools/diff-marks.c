/* SPDX-License-Identifier: Apache-2.0 */
#include "diff-marks.h"

#define NAMES_MAX 65536    /* maximum number of names with a cached result */
#define SCOPE_USER_RANGE 7 /* at::RecordScope::USER_SCOPE */

void strobe_diff_marks_init(StrobeDiffMarks *marks, const StrobeConsumerHost *host,
                            StrobeInstance *self)
{
    *marks = (StrobeDiffMarks){
        .host = host, .self = self, .names = g_hash_table_new(g_direct_hash, g_direct_equal)};
}

void strobe_diff_marks_clear(StrobeDiffMarks *marks)
{
    g_clear_pointer(&marks->names, g_hash_table_unref);
}

gboolean strobe_diff_marks_have(StrobeDiffMarks *marks, StrobeStringId name, guint8 scope)
{
    static const char *const prefixes[] = {"ProfilerStep#", "Optimizer.step#",
                                           "Optimizer.zero_grad#", "enumerate(DataLoader)#"};
    guint known;

    if (scope == SCOPE_USER_RANGE)
        return TRUE;
    known = GPOINTER_TO_UINT(g_hash_table_lookup(marks->names, GUINT_TO_POINTER(name)));
    if (known)
        return known == 1;
    const char *text = marks->host->string(marks->self, name).bytes;
    if (g_hash_table_size(marks->names) == NAMES_MAX)
        g_hash_table_remove_all(marks->names);
    known = 2;
    for (gsize i = 0; i < G_N_ELEMENTS(prefixes); i++)
        if (g_str_has_prefix(text, prefixes[i]))
            known = 1;
    g_hash_table_insert(marks->names, GUINT_TO_POINTER(name), GUINT_TO_POINTER(known));
    return known == 1;
}
