/* SPDX-License-Identifier: Apache-2.0 */
/* A tree of calls. Each of its paths consists of a call and the calls that enclose it. */
#ifndef STROBE_PASSES_CALL_TREE_H
#define STROBE_PASSES_CALL_TREE_H

#include <strobe/exporter.h>

#include "path-nodes.h"

typedef struct CallTree CallTree;

/* A path: its frames, innermost first, and the self time of the innermost call. */
typedef struct CallTreePath {
    const StrobeStringId *frames;
    gsize n_frames;
    guint64 calls;
    gint64 self_ns;
} CallTreePath;

CallTree *call_tree_new(void);
void call_tree_free(CallTree *tree);

/* Adds a call (a python_call record). Calls arrive in the order of their ends. */
void call_tree_add(CallTree *tree, const StrobeView *record);
/* Adds the calls that still wait for a call that encloses them. Must be called after the last
 * call. */
void call_tree_finish(CallTree *tree);

/* Calls `visit` for all paths that have calls. A path comes after the shorter path that it
 * extends. */
void call_tree_visit(const CallTree *tree, void (*visit)(void *user, const CallTreePath *path),
                     void *user);
/* Returns the sum of the calls that have no node, because their path was too long or there were too
 * many nodes. */
const StackSum *call_tree_others(const CallTree *tree);

#endif
