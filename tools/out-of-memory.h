/* SPDX-License-Identifier: Apache-2.0 */
/* Ends a command that gets no memory, and reports which limit is reached or which component needs
 * the memory. */
#ifndef STROBE_TOOLS_MEMORY_SHORTAGE_H
#define STROBE_TOOLS_MEMORY_SHORTAGE_H

#include <glib.h>

/* From now on, if an allocation of GLib fails, the command prints a message, removes incomplete
 * files and ends with exit code 6. */
void strobe_memory_shortage_begin(void);
/* Limits the growth of the heap and of other private memory to `bytes`. Mapped files do not
 * count. */
void strobe_memory_shortage_bound(guint64 bytes);

#endif
