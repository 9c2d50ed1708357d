/* SPDX-License-Identifier: Apache-2.0 */
/* A domain of mstx. The program's domain handle points to it. */
#ifndef STROBE_PLUGINS_MARKER_MSTX_DOMAIN_H
#define STROBE_PLUGINS_MARKER_MSTX_DOMAIN_H

#include "marker-marks.h"

typedef struct MstxDomain {
    MarkDomain *marks;
    /* handle of the vendor's tool for this domain (mstx-chain.h); NULL: there is none */
    void *_Atomic behind;
    struct MstxDomain *next;
} MstxDomain;

/* Returns the domain of a handle that a program passes. An unknown handle means the default
 * domain. */
const MstxDomain *mstx_domain_of(const void *handle);

static inline void *mstx_domain_behind(const MstxDomain *domain)
{
    return domain->behind;
}

/* Returns the domain with this name, and makes it if necessary. Returns NULL if there is no
 * memory. */
MstxDomain *mstx_domain_make(const char *name);

#endif
