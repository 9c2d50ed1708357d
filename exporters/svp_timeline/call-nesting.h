/* SPDX-License-Identifier: Apache-2.0 */
/* Viewers draw calls of one thread inside each other: one that lies partly in another is counted.
 */
#ifndef STROBE_SVP_TIMELINE_CALL_NESTING_H
#define STROBE_SVP_TIMELINE_CALL_NESTING_H

#include <svp-rows.h>

GHashTable *call_nesting_new(void);
/* In order of their begins. FALSE: it reaches over the end of a call in which it begins. */
gboolean call_nesting_add(GHashTable *threads, const SvpCall *call);

#endif
