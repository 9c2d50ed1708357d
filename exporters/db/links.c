/* SPDX-License-Identifier: Apache-2.0 */
#include "links.h"

#define LINKS_MAX (1u << 21)

typedef struct Link {
    gint64 value;
    guint32 op;
    guint32 order;
} Link;

struct Links {
    OutDb *out;
    GArray *links; /* of Link */
    guint next;
    OutTable *table; /* NULL: all are in memory */
    sqlite3_stmt *sorted;
    gboolean has_row;
};

Links *links_new(OutDb *out)
{
    Links *links = g_new0(Links, 1);

    links->out = out;
    links->links = g_array_new(FALSE, FALSE, sizeof(Link));
    return links;
}

void links_free(Links *links)
{
    sqlite3_finalize(links->sorted);
    g_array_unref(links->links);
    g_free(links);
}

static void spill(Links *links)
{
    if (!links->table)
        links->table =
            out_db_table(links->out, OUT_SCRATCH, "links", "CREATE TABLE links(op, value)", 2, -1);
    for (guint i = 0; i < links->links->len; i++) {
        const Link *link = &g_array_index(links->links, Link, i);
        RowBuffer *rows = out_db_rows(links->out);

        row_begin(rows, links->table);
        row_int(rows, link->op);
        row_int(rows, link->value);
        row_end(rows);
        if (rows->used >= OUT_BLOCK_BYTES) /* somebody may be reading from the database */
            out_db_wait(links->out, OUT_SCRATCH);
    }
    g_array_set_size(links->links, 0);
}

void links_add(Links *links, guint32 op, gint64 value)
{
    const Link link = {.value = value, .op = op, .order = links->links->len};

    g_array_append_val(links->links, link);
    if (links->links->len == LINKS_MAX)
        spill(links);
}

static gint compare_links(gconstpointer a, gconstpointer b)
{
    const Link *x = a, *y = b;

    if (x->op != y->op)
        return x->op < y->op ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static void step(Links *links)
{
    int code = sqlite3_step(links->sorted);

    links->has_row = code == SQLITE_ROW;
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        out_db_fail(links->out, OUT_SCRATCH);
}

void links_sort(Links *links)
{
    sqlite3 *sql;

    if (!links->table) {
        g_array_sort(links->links, compare_links);
        return;
    }
    spill(links);
    sql = out_db_wait(links->out, OUT_SCRATCH);
    if (!sql)
        return;
    if (sqlite3_prepare_v2(sql, "SELECT op, value FROM links ORDER BY op, rowid", -1,
                           &links->sorted, NULL))
        out_db_fail(links->out, OUT_SCRATCH);
    else
        step(links);
}

gboolean links_next(Links *links, guint32 op, gint64 *value)
{
    if (links->table) {
        if (!links->has_row || sqlite3_column_int64(links->sorted, 0) != op)
            return FALSE;
        *value = sqlite3_column_int64(links->sorted, 1);
        step(links);
        return TRUE;
    }
    if (links->next == links->links->len || g_array_index(links->links, Link, links->next).op != op)
        return FALSE;
    *value = g_array_index(links->links, Link, links->next++).value;
    return TRUE;
}
