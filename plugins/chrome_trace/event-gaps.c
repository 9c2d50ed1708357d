/* SPDX-License-Identifier: Apache-2.0 */
#include "event-gaps.h"

void gap_table_init(GapTable *table)
{
    table->n = 1;
    table->gaps[0].n_next = 0;
}

static guint32 bits(guint n)
{
    return n >= 32 ? G_MAXUINT32 : (1u << n) - 1;
}

guint gap_table_learn(GapTable *table, guint from, const char *p, const char *end,
                      const GapEnd *found)
{
    Gap *before = &table->gaps[from], *gap = &table->gaps[table->n];

    if (end - p > (gssize)GAP_BYTES || table->n == GAPS_MAX || before->n_next == GAP_NEXT_MAX)
        return 0;
    memset(gap, 0, sizeof *gap);
    memcpy(gap->text, p, (gsize)(end - p));
    gap->length = (guint16)(end - p);
    gap->mask = bits(gap->length);
    gap->more_mask = gap->length > 32 ? bits(gap->length - 32u) : 0;
    gap->type = found->type;
    gap->in_args = found->in_args;
    gap->member = found->member;
    if (found->type != GAP_END) {
        gap->key_at = (guint16)(found->key.text - p);
        gap->key_length = (guint16)found->key.length;
        gap->has_escapes = found->key.has_escapes;
    }
    before->next[before->n_next++] = (guint16)table->n;
    return table->n++;
}
