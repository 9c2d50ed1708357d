/* SPDX-License-Identifier: Apache-2.0 */
/* What an mstx domain handle points to. */
#ifndef STROBE_PLUGINS_MARKER_MSTX_DOMAIN_H
#define STROBE_PLUGINS_MARKER_MSTX_DOMAIN_H

#include "marker-marks.h"

typedef struct MstxDomain {
    MarkDomain *marks;
    void *_Atomic behind; /* handle of the tool behind (mstx-chain.h); NULL: none */
    struct MstxDomain *next;
} MstxDomain;

/* Returns the domain of a handle that a program passes. A handle that was never given out stands
 * for the default domain. */
const MstxDomain *mstx_domain_of(const void *handle);

static inline void *mstx_domain_behind(const MstxDomain *domain)
{
    return domain->behind;
}

/* Finds or creates the domain; NULL only if there is no memory. */
MstxDomain *mstx_domain_make(const char *name);

#endif
