/* SPDX-License-Identifier: Apache-2.0 */
/* What an mstx domain handle points to. */
#ifndef STROBE_PLUGINS_MARKER_MSTX_DOMAIN_H
#define STROBE_PLUGINS_MARKER_MSTX_DOMAIN_H

#include "marker-marks.h"

typedef struct MstxDomain {
    MarkDomain *marks;
    void *_Atomic behind; /* handle of the tool behind, NULL: none */
    struct MstxDomain *next;
} MstxDomain;

/* Of a handle that a program passes: those that were never given out are the default domain. */
const MstxDomain *mstx_domain_of(const void *handle);

static inline void *mstx_domain_behind(const MstxDomain *domain)
{
    return domain->behind;
}

/* Finds or makes it; NULL only where there is no memory. */
MstxDomain *mstx_domain_make(const char *name);

#endif
