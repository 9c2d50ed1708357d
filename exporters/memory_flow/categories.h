/* SPDX-License-Identifier: Apache-2.0 */
/* Assigns to each version of each block one of the eight categories of PyTorch's memory profiler,
 * by the rules of this profiler. */
#ifndef STROBE_MEMORY_FLOW_CATEGORIES_H
#define STROBE_MEMORY_FLOW_CATEGORIES_H

#include "data-flow.h"

enum {
    CATEGORY_PARAMETER = 0,
    CATEGORY_OPTIMIZER_STATE = 1,
    CATEGORY_INPUT = 2,
    CATEGORY_TEMPORARY = 3,
    CATEGORY_ACTIVATION = 4,
    CATEGORY_GRADIENT = 5,
    CATEGORY_AUTOGRAD_DETAIL = 6,
    CATEGORY_UNKNOWN = 7,
    N_CATEGORIES = 8
};

typedef struct Categories {
    const Flow *flow;
    /* category of all versions of the block; CATEGORY_UNKNOWN: the versions have categories of
     * their own in of_version */
    guint8 *of_block;
    guint8 *temporary;  /* for each block: TRUE if the same node allocates and releases it */
    guint8 *of_version; /* indexed by the number of a version among the versions of all blocks */
} Categories;

Categories *categories_new(const Flow *flow);
void categories_free(Categories *categories);

static inline guint category_of(const Categories *c, guint32 block, guint32 version)
{
    if (c->of_block[block] != CATEGORY_UNKNOWN)
        return c->of_block[block];
    if (c->temporary[block])
        return CATEGORY_TEMPORARY;
    return c->of_version[flow_block(c->flow, block)->first_version + version];
}

#endif
