/* SPDX-License-Identifier: Apache-2.0 */
#include "diff-head.h"

#include <strobe/helpers/fields.h>

static const char *const fields[STROBE_DIFF_HEAD_PARTS] = {
    "framework", "platform", "torchair",           "python",         "cpp",
    "ge",        "total",    "ge_to_first_kernel", "to_first_kernel"};

static gboolean is_set(const StrobeView *record, const char *field, guint32 type)
{
    guint32 at = strobe_field_offset(record->kind, field, type);

    return type == STROBE_FIELD_BOOL ? strobe_field_u8(record, at, 0)
                                     : strobe_field_u32(record, at, 0) != 0;
}

/* Adds a time to the mean and to the sum of the squared deviations. The sum of the squared times
 * would not be exact enough to compute the deviations from it. */
static void add_time(StrobeDiffHeadPart *part, double ns)
{
    double off = ns - part->mean;

    part->n++;
    part->mean += off / (double)part->n;
    part->squares += off * (ns - part->mean);
}

void strobe_diff_head_add(StrobeDiffHead *head, const StrobeView *record)
{
    if (is_set(record, "is_compile", STROBE_FIELD_BOOL) ||
        is_set(record, "is_nested", STROBE_FIELD_BOOL) ||
        is_set(record, "error", STROBE_FIELD_STRING))
        return;
    head->n_inferences++;
    for (guint i = 0; i < STROBE_DIFF_HEAD_PARTS; i++) {
        guint32 at = strobe_field_offset(record->kind, fields[i], STROBE_FIELD_I64);
        gint64 ns = strobe_field_i64(record, at, STROBE_ABSENT_I64);
        if (ns != STROBE_ABSENT_I64)
            add_time(&head->parts[i], (double)ns);
    }
}

void strobe_diff_head_end_run(const StrobeDiffHead *head, StrobeDiffRows *rows, guint side)
{
    for (guint i = 0; i < STROBE_DIFF_HEAD_PARTS; i++) {
        const StrobeDiffHeadPart *part = &head->parts[i];
        StrobeDiffRow *row = part->n ? strobe_diff_rows_get(rows, &fields[i], 1) : NULL;

        if (!row)
            continue;
        StrobeDiffSample *sample = &row->sides[side];
        sample->calls += part->n;
        sample->is_present = TRUE;
        strobe_diff_sample_add(sample, part->mean);
        if (rows->rule.by_runs)
            continue;
        sample->n = (guint)MIN(part->n, G_MAXUINT);
        sample->squares = part->squares;
    }
}
