/* SPDX-License-Identifier: Apache-2.0 */
/* Ends a command that gets no memory, and reports which limit is reached or which state is too
 * large. */
#ifndef STROBE_TOOLS_MEMORY_SHORTAGE_H
#define STROBE_TOOLS_MEMORY_SHORTAGE_H

#include <glib.h>

/* From now on a failed GLib allocation ends the command with exit code 6 and a message;
 * incomplete files are removed. */
void strobe_memory_shortage_begin(void);
/* Limits the growth of the heap and other private memory to that many bytes; mapped files do not
 * count. */
void strobe_memory_shortage_bound(guint64 bytes);

#endif
