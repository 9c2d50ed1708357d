/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of collectors: makes a tree like /proc or /sys, and finds records. */
#ifndef STROBE_CHECK_TEST_TREE_H
#define STROBE_CHECK_TEST_TREE_H

#include <glib.h>

#include "mock-host.h"

char *tree_new(void);
void tree_free(char *root);

/* Writes a file and the folders that it needs; a "%d" in its name is the number of this process. An
 * existing file is overwritten in place, so that a collector's open descriptor stays valid. */
void tree_put(const char *root, const char *pattern, const char *text);
void tree_remove(const char *root, const char *pattern);
/* Makes a FIFO that is never written to. */
void tree_put_fifo(const char *root, const char *pattern);

/* Returns record number `index` of this kind and name (NULL: any name); NULL if there is none. */
const StrobeMockRecord *tree_record(StrobeMockHost *mock, const char *kind, const char *name,
                                    gsize index);
gsize tree_count(StrobeMockHost *mock, const char *kind, const char *name);

#endif
