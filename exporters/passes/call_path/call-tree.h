/* SPDX-License-Identifier: Apache-2.0 */
/* Calls by the path of those that enclose them. */
#ifndef STROBE_PASSES_CALL_TREE_H
#define STROBE_PASSES_CALL_TREE_H

#include <strobe/exporter.h>

#include "path-nodes.h"

typedef struct CallTree CallTree;

/* One path: frames innermost first, and what its last call took itself. */
typedef struct CallTreePath {
    const StrobeStringId *frames;
    gsize n_frames;
    guint64 calls;
    gint64 self_ns;
} CallTreePath;

CallTree *call_tree_new(void);
void call_tree_free(CallTree *tree);

/* Takes a call (python_call), which has ended. */
void call_tree_add(CallTree *tree, const StrobeView *record);
/* No more calls. */
void call_tree_finish(CallTree *tree);

/* All paths that were called, parents first. */
void call_tree_visit(const CallTree *tree, void (*visit)(void *user, const CallTreePath *path),
                     void *user);
/* The calls that there was no room for: of too long a path, or of too many. */
const StackSum *call_tree_others(const CallTree *tree);

#endif
