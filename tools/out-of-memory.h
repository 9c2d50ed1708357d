/* SPDX-License-Identifier: Apache-2.0 */
/* Ends a command that gets no memory: says which limit is reached, or which state does not fit. */
#ifndef STROBE_TOOLS_MEMORY_SHORTAGE_H
#define STROBE_TOOLS_MEMORY_SHORTAGE_H

#include <glib.h>

/* From now on a failed allocation of GLib's ends the command with exit code 6 and a message; what
 * is half made is removed. */
void strobe_memory_shortage_begin(void);
/* The heap and what else is this process's own may take so many bytes more than now; mapped files
 * do not count. */
void strobe_memory_shortage_bound(guint64 bytes);

#endif
