/* SPDX-License-Identifier: Apache-2.0 */
#include "comm-matrix.h"

#include <string.h>

/* The words for a link's rank by bandwidth among the links of a pair of ranks, in the order in
 * which the Ascend profiler adds them. */
static const char *const ranks[] = {"top1", "middle", "bottom1", "total", "bottom2", "bottom3"};

static void free_link(gpointer data)
{
    MatrixLink *link = data;

    g_array_unref(link->links);
    g_free(link);
}

static void free_group(gpointer data)
{
    MatrixGroup *group = data;

    g_free(group->hash);
    g_ptr_array_unref(group->links);
    g_free(group);
}

GPtrArray *matrix_new(void)
{
    return g_ptr_array_new_with_free_func(free_group);
}

static MatrixGroup *group_of(GPtrArray *matrix, const char *word, const char *hash)
{
    MatrixGroup *group;

    for (guint i = 0; i < matrix->len; i++) {
        group = g_ptr_array_index(matrix, i);
        if (!strcmp(group->word, word) && !strcmp(group->hash, hash))
            return group;
    }
    group = g_new0(MatrixGroup, 1);
    group->word = word;
    group->hash = g_strdup(hash);
    group->links = g_ptr_array_new_with_free_func(free_link);
    g_ptr_array_add(matrix, group);
    return group;
}

static MatrixLink *link_of(MatrixGroup *group, const Link *from)
{
    MatrixLink *link;

    for (guint i = 0; i < group->links->len; i++) {
        link = g_ptr_array_index(group->links, i);
        if (link->source == from->source && link->target == from->target)
            return link;
    }
    link = g_new0(MatrixLink, 1);
    link->source = from->source;
    link->target = from->target;
    link->links = g_array_new(FALSE, FALSE, sizeof(Link));
    g_ptr_array_add(group->links, link);
    return link;
}

void matrix_add(GPtrArray *matrix, const char *word, const char *hash, const GArray *links)
{
    MatrixGroup *group = links->len ? group_of(matrix, word, hash) : NULL;

    for (guint i = 0; i < links->len; i++) {
        const Link *link = &g_array_index(links, Link, i);

        g_array_append_vals(link_of(group, link)->links, link, 1);
    }
}

static gint compare_links(gconstpointer a, gconstpointer b)
{
    const Link *x = a, *y = b;

    return (x->bandwidth < y->bandwidth) - (x->bandwidth > y->bandwidth);
}

/* Sets `row` to the link of the pair that has the rank `rank` by bandwidth, or to the pair's total.
 * Returns FALSE if the pair has too few links for this rank. */
static gboolean take_rank(const MatrixLink *from, guint rank, Link *row)
{
    const Link *links = (const Link *)(const void *)from->links->data;
    guint n = from->links->len;
    const guint at[] = {0, n / 2, n - 1, 0, n - 2, n - 3};
    static const guint least[] = {1, 1, 1, 1, 2, 3};

    if (n < least[rank])
        return FALSE;
    *row = links[at[rank]];
    if (strcmp(ranks[rank], "total"))
        return TRUE;
    row->op_name = 0;
    row->megabytes = row->ms = 0;
    for (guint i = 0; i < n; i++) {
        row->megabytes += links[i].megabytes;
        row->ms += links[i].ms;
    }
    row->bandwidth = comm_link_bandwidth(row->megabytes, row->ms);
    return TRUE;
}

/* Calls `row` for the rows of the group: first all rows with the same word of `ranks`, then those
 * with the next word. The words are in the order in which the pairs first have them: every pair has
 * the first three and the total; the other words need more links. */
static gboolean rank_group(const MatrixGroup *group, MatrixRow row, void *user)
{
    guint order[G_N_ELEMENTS(ranks)], n = 0;

    for (guint i = 0; i < group->links->len; i++) {
        const MatrixLink *link = g_ptr_array_index(group->links, i);

        g_array_sort(link->links, compare_links);
        for (guint rank = 0; rank < G_N_ELEMENTS(ranks); rank++) {
            gboolean is_known = FALSE;
            Link unused;

            for (guint k = 0; k < n; k++)
                is_known = is_known || order[k] == rank;
            if (!is_known && take_rank(link, rank, &unused))
                order[n++] = rank;
        }
    }
    for (guint k = 0; k < n; k++)
        for (guint i = 0; i < group->links->len; i++) {
            Link made;

            if (take_rank(g_ptr_array_index(group->links, i), order[k], &made) &&
                !row(user, group, ranks[order[k]], &made))
                return FALSE;
        }
    return TRUE;
}

gboolean matrix_rank(const GPtrArray *matrix, MatrixRow row, void *user)
{
    for (guint i = 0; i < matrix->len; i++)
        if (!rank_group(g_ptr_array_index(matrix, i), row, user))
            return FALSE;
    return TRUE;
}
