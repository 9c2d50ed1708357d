/* SPDX-License-Identifier: Apache-2.0 */
#include "table-tree.h"

/* "B-tree Pages" and "Cell Payload Overflow Pages" of sqlite.org/fileformat2.html. */
#define TYPE_INTERIOR 5
#define TYPE_LEAF 13
#define LEAF_HEAD 8u
#define INTERIOR_HEAD 12u
#define POINTER_BYTES 2u            /* a cell's place in its page */
#define LOCAL_MAX (PAGE_BYTES - 35) /* of a record that lies whole in its leaf */
#define LOCAL_MIN ((PAGE_BYTES - 12) * 32 / 255 - 23)
#define CHILD_MAX (4 + PAGE_VARINT_MAX) /* bytes of a cell that leads to a page below */
#define LEVELS_MAX 8                    /* 2^32 pages, at least 270 below each, need five */

typedef struct Page {
    guint8 bytes[PAGE_BYTES]; /* head and pointers from its begin on, cells up to its end */
    guint head;               /* bytes */
    guint cells;              /* where they begin */
    guint n;                  /* of cells */
} Page;

typedef struct Child {
    guint32 number;
    gint64 key; /* the largest below it */
} Child;

/* Pages above the leaves. The last two children wait, so that no page begins with a single one at
 * the end: SQLite refuses a page that leads to one only. */
typedef struct Level {
    Page page;
    Child waiting[2];
    guint n_waiting;
} Level;

struct TableTree {
    PageFile *pages;
    Page leaf;
    gint64 last_key;
    guint reserved; /* bytes of each page above the leaves */
    Level *levels[LEVELS_MAX];
};

/* ---- a page ---- */

static void page_clear(Page *page, guint head)
{
    page->head = head;
    page->cells = PAGE_BYTES;
    page->n = 0;
}

static guint page_room(const Page *page)
{
    return page->cells - page->head - page->n * POINTER_BYTES;
}

/* Room for the next cell, which is known to fit. */
static guint8 *page_cell(Page *page, guint bytes)
{
    page->cells -= bytes;
    page_put_u16(page->bytes + page->head + page->n++ * POINTER_BYTES, (guint16)page->cells);
    return page->bytes + page->cells;
}

static void page_end(Page *page, guint32 right)
{
    guint8 *at = page->bytes;
    guint end = page->head + page->n * POINTER_BYTES;

    at[0] = page->head == LEAF_HEAD ? TYPE_LEAF : TYPE_INTERIOR;
    memset(at + 1, 0, 7); /* nothing was freed in it */
    page_put_u16(at + 3, (guint16)page->n);
    page_put_u16(at + 5, (guint16)page->cells);
    if (page->head == INTERIOR_HEAD)
        page_put_u32(at + 8, right);
    memset(at + end, 0, page->cells - end);
}

/* ---- the tree ---- */

TableTree *table_tree_new(PageFile *pages, guint reserved)
{
    TableTree *tree = g_new0(TableTree, 1);

    tree->pages = pages;
    tree->reserved = reserved;
    page_clear(&tree->leaf, LEAF_HEAD);
    return tree;
}

void table_tree_free(TableTree *tree)
{
    if (!tree)
        return;
    for (guint i = 0; i < LEVELS_MAX; i++)
        g_free(tree->levels[i]);
    g_free(tree);
}

static void put_child(Level *level)
{
    guint8 cell[CHILD_MAX];
    gsize n;

    page_put_u32(cell, level->waiting[0].number);
    n = (gsize)(page_put_varint(cell + 4, (guint64)level->waiting[0].key) - cell);
    memcpy(page_cell(&level->page, (guint)n), cell, n);
    level->waiting[0] = level->waiting[1];
    level->n_waiting--;
}

static Level *level_at(TableTree *tree, guint i)
{
    Level *level = tree->levels[i];

    if (!level) {
        level = tree->levels[i] = g_new0(Level, 1);
        page_clear(&level->page, INTERIOR_HEAD);
    }
    return level;
}

static void add_child(TableTree *tree, guint i, Child child)
{
    Level *level = level_at(tree, i);

    /* With room for one more at the end, when the first that waits becomes a cell. */
    if (level->n_waiting == 2 &&
        page_room(&level->page) >= tree->reserved + 2 * (CHILD_MAX + POINTER_BYTES)) {
        put_child(level);
    } else if (level->n_waiting == 2) {
        const Child right = level->waiting[0];

        page_end(&level->page, right.number);
        add_child(
            tree, i + 1,
            (Child){.number = page_file_put(tree->pages, level->page.bytes), .key = right.key});
        page_clear(&level->page, INTERIOR_HEAD);
        level->waiting[0] = level->waiting[1];
        level->n_waiting = 1;
    }
    level->waiting[level->n_waiting++] = child;
}

static void end_leaf(TableTree *tree)
{
    page_end(&tree->leaf, 0);
    add_child(
        tree, 0,
        (Child){.number = page_file_put(tree->pages, tree->leaf.bytes), .key = tree->last_key});
    page_clear(&tree->leaf, LEAF_HEAD);
}

/* So much of a long record lies in the leaf: what is left fills pages, if that is not too much. */
static gsize local_bytes(gsize n)
{
    gsize fitting = LOCAL_MIN + (n - LOCAL_MIN) % (PAGE_BYTES - sizeof(guint32));

    return n <= LOCAL_MAX ? n : fitting <= LOCAL_MAX ? fitting : LOCAL_MIN;
}

void table_tree_add(TableTree *tree, gint64 key, const guint8 *record, gsize n)
{
    guint8 head[2 * PAGE_VARINT_MAX], *cell;
    gsize local = local_bytes(n);
    gsize head_bytes = (gsize)(page_put_varint(page_put_varint(head, n), (guint64)key) - head);
    gsize bytes = head_bytes + local + (local < n ? sizeof(guint32) : 0);

    if (page_room(&tree->leaf) < bytes + POINTER_BYTES)
        end_leaf(tree);
    tree->last_key = key;
    cell = page_cell(&tree->leaf, (guint)bytes);
    memcpy(cell, head, head_bytes);
    memcpy(cell + head_bytes, record, local);
    if (local < n)
        page_put_u32(cell + head_bytes + local,
                     page_file_put_overflow(tree->pages, record + local, n - local));
}

/* ---- the end ---- */

/* What leads to all others, not written yet; NULL: the page `number` is all there is. */
static Page *end_levels(TableTree *tree, guint32 *number)
{
    for (guint i = 0;; i++) {
        Level *level = tree->levels[i];
        Child right;

        if (level->n_waiting == 1) {
            *number = level->waiting[0].number;
            return NULL;
        }
        put_child(level);
        right = level->waiting[0];
        page_end(&level->page, right.number);
        if (i + 1 == LEVELS_MAX || !tree->levels[i + 1])
            return &level->page;
        add_child(
            tree, i + 1,
            (Child){.number = page_file_put(tree->pages, level->page.bytes), .key = right.key});
    }
}

guint32 table_tree_finish(TableTree *tree)
{
    guint32 number = 0;
    Page *top;

    end_leaf(tree);
    top = end_levels(tree, &number);
    return top ? page_file_put(tree->pages, top->bytes) : number;
}

void table_tree_finish_schema(TableTree *tree, guint8 *first)
{
    Page *top = &tree->leaf;
    guint32 number = 0;

    if (tree->levels[0] || page_room(top) < PAGE_FILE_HEAD) {
        end_leaf(tree);
        top = end_levels(tree, &number);
        if (!top) { /* page 1 may lead to one page only */
            top = &tree->levels[0]->page;
            page_end(top, number);
        }
    } else {
        page_end(top, 0);
    }
    memcpy(first, top->bytes, PAGE_BYTES);
    memcpy(first + PAGE_FILE_HEAD, top->bytes, top->head + top->n * POINTER_BYTES);
}
