/* SPDX-License-Identifier: Apache-2.0 */
/* What a command prints, through the user's pager. */
#ifndef STROBE_TOOLS_PAGER_H
#define STROBE_TOOLS_PAGER_H

#include <glib.h>

/* From now on stdout goes through $PAGER (else less, as -FRX unless LESS says otherwise), if it is
 * a terminal and there is such a program. Call it when the first text is known. */
void strobe_pager_begin(void);
/* Ends it and waits until the user has left it. Does nothing without a pager. */
void strobe_pager_end(void);
gboolean strobe_pager_is_on(void);

#endif
