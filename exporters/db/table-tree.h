/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree of one table, made from its rows in the order of their keys: leaves are filled to the
 * end and written when they are, then the pages above them, so that no page is read or written
 * twice. One page for each level is in memory. One thread.
 */
#ifndef STROBE_DB_TABLE_TREE_H
#define STROBE_DB_TABLE_TREE_H

#include "page-file.h"

typedef struct TableTree TableTree;

/* `pages` are lent. `reserved`: so many bytes of each page above the leaves stay free,
 * PAGE_FILE_HEAD for the schema, 0 for others. */
TableTree *table_tree_new(PageFile *pages, guint reserved);
void table_tree_free(TableTree *tree); /* NULL is fine */

/* `key` is larger than that of any row before. A failure is kept by the pages. */
void table_tree_add(TableTree *tree, gint64 key, const guint8 *record, gsize n);

/* Writes what is left; the number of the page that the tree begins with. */
guint32 table_tree_finish(TableTree *tree);
/* The same for the schema, which begins with page 1: that is laid out in `first`, with place for
 * the file's head. */
void table_tree_finish_schema(TableTree *tree, guint8 *first);

#endif
