/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that the calls of a thread nest, because viewers cannot draw a call that begins inside
 * another one and ends after it. */
#ifndef STROBE_SVP_TIMELINE_CALL_NESTING_H
#define STROBE_SVP_TIMELINE_CALL_NESTING_H

#include <svp-rows.h>

GHashTable *call_nesting_new(void);
/* Adds a call; calls must come in the order of their begins. Returns FALSE if the call begins
 * inside another one and ends after it. */
gboolean call_nesting_add(GHashTable *threads, const SvpCall *call);

#endif
