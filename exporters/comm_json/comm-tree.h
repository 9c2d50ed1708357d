/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps communication records by step, type and name, in the order in which they came. */
#ifndef STROBE_COMM_TREE_H
#define STROBE_COMM_TREE_H

#include <glib.h>
#include <strobe/kinds.h>

enum { COMM_P2P, COMM_COLLECTIVE, COMM_TYPES };

/* An operation and its values, or a rank of the matrix and its links. */
typedef struct CommEntry {
    char *name;
    gboolean has_time, is_total;
    struct strobe_communication_time time;
    GArray *bandwidths; /* of struct strobe_communication_bandwidth */
    GArray *links;      /* of struct strobe_communication_matrix */
} CommEntry;

typedef struct CommList {
    GPtrArray *entries;  /* elements of type CommEntry */
    GHashTable *by_name; /* name of an entry -> CommEntry */
    CommEntry *total;    /* NULL: no record of a total has come */
} CommList;

typedef struct CommStep {
    gint64 number; /* STROBE_ABSENT_I64: the capture has no steps */
    CommList lists[COMM_TYPES];
} CommStep;

GPtrArray *comm_tree_new(void); /* elements of type CommStep */
/* Returns the list of a step and a type; makes it at the first call. */
CommList *comm_tree_list(GPtrArray *tree, gint64 step, guint type);
CommEntry *comm_list_entry(CommList *list, const char *name, gboolean is_total);

#endif
