/* SPDX-License-Identifier: Apache-2.0 */
#include "batch-line.h"

StrobeBatchLine *strobe_batch_line_new(guint n_batches, guint n_takers)
{
    StrobeBatchLine *line = g_new0(StrobeBatchLine, 1);

    line->n_batches = MIN(n_batches, STROBE_BATCHES);
    for (guint i = 0; i < line->n_batches; i++)
        line->batches[i] = g_new(StrobeBatch, 1);
    line->n_takers = n_takers;
    line->takers = g_malloc0_n(n_takers + 1, sizeof *line->takers);
    return line;
}

void strobe_batch_line_free(StrobeBatchLine *line)
{
    for (guint i = 0; i < line->n_batches; i++)
        g_free(line->batches[i]);
    g_free(line->takers);
    g_free(line);
}

gboolean strobe_batch_line_has_room(const StrobeBatchLine *line)
{
    return line->end - line->first < line->n_batches;
}

StrobeBatch *strobe_batch_line_next(const StrobeBatchLine *line)
{
    return line->batches[line->end % line->n_batches];
}

/* Those that everybody has behind them make room. */
static void move_first(StrobeBatchLine *line)
{
    guint64 least = line->end;

    for (guint i = 0; i < line->n_takers; i++)
        least = MIN(least, line->takers[i].next);
    line->first = least;
}

void strobe_batch_line_put(StrobeBatchLine *line)
{
    line->end++;
    if (line->n_takers == 0)
        move_first(line);
}

gboolean strobe_batch_line_is_empty(const StrobeBatchLine *line)
{
    return line->first == line->end;
}

gint strobe_batch_line_take(StrobeBatchLine *line)
{
    for (guint64 number = line->first; number < line->end; number++)
        for (guint i = 0; i < line->n_takers; i++)
            if (line->takers[i].next == number && !line->takers[i].has_it) {
                line->takers[i].has_it = TRUE;
                return (gint)i;
            }
    return -1;
}

/* Of who has it nobody else changes which one it is. */
const StrobeBatch *strobe_batch_line_given(const StrobeBatchLine *line, guint taker)
{
    return line->batches[line->takers[taker].next % line->n_batches];
}

void strobe_batch_line_done(StrobeBatchLine *line, guint taker)
{
    line->takers[taker].has_it = FALSE;
    line->takers[taker].next++;
    move_first(line);
}
