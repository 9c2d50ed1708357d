/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that the calls of a thread nest, because viewers cannot draw a call that lies partly in
 * another one. */
#ifndef STROBE_SVP_TIMELINE_CALL_NESTING_H
#define STROBE_SVP_TIMELINE_CALL_NESTING_H

#include <svp-rows.h>

GHashTable *call_nesting_new(void);
/* Adds calls in order of their begins. FALSE: the call begins inside another one and ends after
 * it. */
gboolean call_nesting_add(GHashTable *threads, const SvpCall *call);

#endif
