/* SPDX-License-Identifier: Apache-2.0 */
/* Drops ranges that have a step's name, if there are steps. For the reader such a range is a step,
 * so it would show each step twice. */
#include <strobe/helpers/fields.h>

#include "tensorboard.h"

/* maximum number of ranges that wait; further ranges are written at once */
#define HELD_MAX 65536u

struct BoardStepRanges {
    gboolean has_steps, is_over;
    GArray *held;      /* elements of type StrobeView: ranges that came before the first step */
    GPtrArray *fields; /* the fields of the records in `held` */
};

BoardStepRanges *board_step_ranges_new(void)
{
    BoardStepRanges *ranges = g_new0(BoardStepRanges, 1);

    ranges->held = g_array_new(FALSE, FALSE, sizeof(StrobeView));
    ranges->fields = g_ptr_array_new_with_free_func(g_free);
    return ranges;
}

void board_step_ranges_free(BoardStepRanges *ranges)
{
    if (!ranges)
        return;
    g_array_unref(ranges->held);
    g_ptr_array_unref(ranges->fields);
    g_free(ranges);
}

gboolean board_is_step_name(Board *board, guint32 name)
{
    static const char prefix[] = "ProfilerStep#";
    const char *text = board->host->string(board->self, name).bytes;

    return g_str_has_prefix(text, prefix) &&
           g_ascii_string_to_signed(text + strlen(prefix), 10, 0, G_MAXINT64, NULL, NULL);
}

void board_step_ranges_drop(BoardStepRanges *ranges)
{
    ranges->has_steps = TRUE;
    g_array_set_size(ranges->held, 0);
    g_ptr_array_set_size(ranges->fields, 0);
}

gboolean board_step_ranges_hold(BoardStepRanges *ranges, const StrobeView *record)
{
    StrobeView copy = *record;

    if (ranges->has_steps)
        return TRUE;
    if (ranges->is_over || ranges->held->len == HELD_MAX)
        return FALSE;
    copy.fields = g_memdup2(record->fields, strobe_view_field_bytes(record->kind));
    g_ptr_array_add(ranges->fields, (gpointer)copy.fields);
    g_array_append_val(ranges->held, copy);
    return TRUE;
}

const GArray *board_step_ranges_end(BoardStepRanges *ranges)
{
    ranges->is_over = TRUE;
    return ranges->held;
}
