/* SPDX-License-Identifier: Apache-2.0 */
/* Sends a command's output through the user's pager. */
#ifndef STROBE_TOOLS_PAGER_H
#define STROBE_TOOLS_PAGER_H

#include <glib.h>

/* From now on stdout goes through $PAGER (default: less, with -FRX unless LESS is set). Does
 * nothing if stdout is no terminal or the pager does not exist. Call this before the first text is
 * printed. */
void strobe_pager_begin(void);
/* Ends the pager: waits until the user has quit it. Does nothing without a pager. */
void strobe_pager_end(void);
gboolean strobe_pager_is_on(void);

#endif
